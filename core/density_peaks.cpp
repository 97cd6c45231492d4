// Where the number of neighbours falls most steeply, without looking at most points.
#include <algorithm>

#include "neighbour_tree.hpp"

namespace rarebit {

namespace {

constexpr double kSlack = 1.0 + 1e-9;

}  // namespace

// A lower bound, tight for a small leaf, of the lowest count within the limit of its points; `cap`
// where it is no lower than that, and so of no interest.
template <class Real>
std::int32_t NeighbourTree<Real>::lowest_near_box(std::int32_t leaf,
                                                  const std::vector<std::int32_t>& lowest,
                                                  const std::int32_t* counts, double limit,
                                                  std::int32_t cap) const {
    std::int32_t found = cap;
    std::vector<std::int32_t> stack = {0};
    double near[kBlock], far[kBlock];
    while (!stack.empty()) {
        const std::int32_t at = stack.back();
        stack.pop_back();
        if (lowest[at] >= found) continue;
        if (nearest_apart(at, leaf, limit * kSlack) > limit * kSlack) continue;
        const Node& node = nodes_[at];
        if (!node.leaf()) {
            const bool left_first = lowest[node.left] <= lowest[node.right];
            stack.push_back(left_first ? node.right : node.left);
            stack.push_back(left_first ? node.left : node.right);
            continue;
        }
        for (std::int32_t p = node.from; p < node.to; p += kBlock) {
            if (!loops_.box_distances(block_of(p), low(leaf), high(leaf), depth_, limit * kSlack,
                                      near, far))
                continue;
            for (std::int32_t i = 0; i < std::min(kBlock, node.to - p); ++i)
                if (near[i] <= limit * kSlack) found = std::min(found, counts[p + i]);
        }
    }
    return found;
}

// The lowest count within the limit of a point, or `cap` where it is no lower than that.
template <class Real>
std::int32_t NeighbourTree<Real>::lowest_near_point(const double* point,
                                                    const std::vector<std::int32_t>& lowest,
                                                    const std::int32_t* counts, double limit,
                                                    std::int32_t cap) const {
    std::int32_t found = cap;
    std::vector<std::int32_t> stack = {0};
    double apart[kBlock];
    while (!stack.empty()) {
        const std::int32_t at = stack.back();
        stack.pop_back();
        if (lowest[at] >= found) continue;
        if (nearest_in_box(point, at, limit * kSlack) > limit * kSlack) continue;
        const Node& node = nodes_[at];
        if (!node.leaf()) {
            const bool left_first = lowest[node.left] <= lowest[node.right];
            stack.push_back(left_first ? node.right : node.left);
            stack.push_back(left_first ? node.left : node.right);
            continue;
        }
        for (std::int32_t p = node.from; p < node.to; p += kBlock) {
            if (!loops_.distances(block_of(p), point, depth_, limit, apart)) continue;
            for (std::int32_t i = 0; i < std::min(kBlock, node.to - p); ++i)
                if (apart[i] <= limit) found = std::min(found, counts[p + i]);
        }
    }
    return found;
}

template <class Real>
DensityPeak NeighbourTree<Real>::steepest(const std::int32_t* counts, double limit,
                                          const std::uint8_t* open) const {
    // Children come after their parent, so a backward walk sees them first.
    std::vector<std::int32_t> lowest(nodes_.size());
    struct Leaf {
        std::int32_t highest;  // count of an open point
        std::int32_t node;
    };
    std::vector<Leaf> leaves;
    for (std::int32_t at = static_cast<std::int32_t>(nodes_.size()) - 1; at >= 0; --at) {
        const Node& node = nodes_[at];
        if (!node.leaf()) {
            lowest[at] = std::min(lowest[node.left], lowest[node.right]);
            continue;
        }
        lowest[at] = *std::min_element(counts + node.from, counts + node.to);
        std::int32_t highest = -1;
        for (std::int32_t p = node.from; p < node.to; ++p)
            if (open[p]) highest = std::max(highest, counts[p]);
        if (highest >= 0) leaves.push_back({highest, at});
    }
    std::sort(leaves.begin(), leaves.end(), [](const Leaf& a, const Leaf& b) {
        return a.highest > b.highest || (a.highest == b.highest && a.node < b.node);
    });

    DensityPeak best;
    best.score = -1;
    std::vector<double> here(depth_);
    for (const Leaf& leaf : leaves) {
        if (leaf.highest - lowest[0] <= best.score) break;
        // Only a count below highest - best makes a better score. In a dense place all counts are
        // higher, so whole branches of the tree are passed over.
        const std::int32_t best_score = static_cast<std::int32_t>(best.score);
        const std::int32_t floor =
            lowest_near_box(leaf.node, lowest, counts, limit, leaf.highest - best_score);
        if (leaf.highest - floor <= best.score) continue;
        const Node& node = nodes_[leaf.node];
        for (std::int32_t p = node.from; p < node.to; ++p) {
            if (!open[p] || counts[p] - floor <= best.score) continue;
            read_point(p, here.data());
            const std::int32_t lowest_here =
                lowest_near_point(here.data(), lowest, counts, limit,
                                  counts[p] - static_cast<std::int32_t>(best.score));
            if (counts[p] - lowest_here > best.score)
                best = {p, static_cast<std::int64_t>(counts[p]) - lowest_here};
        }
    }
    return best;
}

template DensityPeak NeighbourTree<float>::steepest(const std::int32_t*, double,
                                                    const std::uint8_t*) const;
template DensityPeak NeighbourTree<double>::steepest(const std::int32_t*, double,
                                                     const std::uint8_t*) const;

}  // namespace rarebit
