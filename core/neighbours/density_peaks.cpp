// Where the number of neighbours falls most steeply, without looking at most points.
#include <algorithm>
#include <limits>

#include "neighbours/neighbour_tree.hpp"

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
                                          const std::int32_t* rows) const {
    // Children come after their parent, so a backward walk sees them first.
    std::vector<std::int32_t> lowest(nodes_.size());
    struct Leaf {
        std::int32_t highest;  // count of an open point
        std::int32_t row;      // the lowest of an open point
        std::int32_t node;
    };
    std::vector<Leaf> leaves;
    // No score is below 0, so where none is above it all open points tie and need no look.
    DensityPeak best;
    best.score = -1;
    std::int32_t best_row = std::numeric_limits<std::int32_t>::max();
    for (std::int32_t at = static_cast<std::int32_t>(nodes_.size()) - 1; at >= 0; --at) {
        const Node& node = nodes_[at];
        if (!node.leaf()) {
            lowest[at] = std::min(lowest[node.left], lowest[node.right]);
            continue;
        }
        lowest[at] = *std::min_element(counts + node.from, counts + node.to);
        Leaf leaf = {-1, std::numeric_limits<std::int32_t>::max(), at};
        for (std::int32_t p = node.from; p < node.to; ++p) {
            if (rows[p] < 0) continue;
            leaf.highest = std::max(leaf.highest, counts[p]);
            leaf.row = std::min(leaf.row, rows[p]);
            if (rows[p] < best_row) {
                best = {p, 0};
                best_row = rows[p];
            }
        }
        if (leaf.highest >= 0) leaves.push_back(leaf);
    }
    std::sort(leaves.begin(), leaves.end(), [](const Leaf& a, const Leaf& b) {
        return a.highest > b.highest || (a.highest == b.highest && a.row < b.row);
    });

    // Whether a score that is at most `score` can win with a row that is at least `row`. Of equal
    // scores the lowest row wins, whatever the order in which points are met.
    const auto can_win = [&](std::int64_t score, std::int32_t row) {
        return score > best.score || (score == best.score && row < best_row);
    };
    std::vector<double> here(depth_);
    for (const Leaf& leaf : leaves) {
        if (leaf.highest - lowest[0] < best.score) break;
        if (!can_win(leaf.highest - lowest[0], leaf.row)) continue;
        // Only a count of highest - best or below makes a score that can win. In a dense place all
        // counts are higher, so whole branches of the tree are passed over.
        const std::int32_t best_score = static_cast<std::int32_t>(best.score);
        const std::int32_t floor =
            lowest_near_box(leaf.node, lowest, counts, limit, leaf.highest - best_score + 1);
        if (!can_win(leaf.highest - floor, leaf.row)) continue;
        const Node& node = nodes_[leaf.node];
        for (std::int32_t p = node.from; p < node.to; ++p) {
            if (rows[p] < 0 || !can_win(counts[p] - floor, rows[p])) continue;
            read_point(p, here.data());
            const std::int32_t lowest_here =
                lowest_near_point(here.data(), lowest, counts, limit,
                                  counts[p] - static_cast<std::int32_t>(best.score) + 1);
            const std::int64_t score = static_cast<std::int64_t>(counts[p]) - lowest_here;
            if (can_win(score, rows[p])) {
                best = {p, score};
                best_row = rows[p];
            }
        }
    }
    return best;
}

template DensityPeak NeighbourTree<float>::steepest(const std::int32_t*, double,
                                                    const std::int32_t*) const;
template DensityPeak NeighbourTree<double>::steepest(const std::int32_t*, double,
                                                     const std::int32_t*) const;

}  // namespace rarebit
