// Rows within a radius of every point, and the smallest radius that holds k rows.
#include <algorithm>
#include <cmath>

#include "neighbours/neighbour_tree.hpp"
#include "threads.hpp"

namespace rarebit {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSlack = 1.0 + 1e-9;
// Values on a decimal grid have distances that are equal but for rounding: they count as equal.
constexpr double kTie = 1.0 + 1e-10;
constexpr int kLeavesAtOnce = 16;  // per thread between two looks at the control
constexpr int kStarts = 24;        // dense places from which a small radius is sought
constexpr int kLooks = 16;         // points looked at in a place, at first
constexpr int kMostLooks = 4096;

}  // namespace

template <class Real>
void NeighbourTree<Real>::count_leaf(const Node& leaf, const double* limits, int n_limits,
                                     std::int32_t* out, std::vector<std::int32_t>* stack) const {
    const double widest = *std::max_element(limits, limits + n_limits);
    const double narrowest = *std::min_element(limits, limits + n_limits);
    const std::int32_t own = static_cast<std::int32_t>(&leaf - nodes_.data());
    // A leaf wider than the narrowest limit is never wholly within it of anything.
    const bool compact = farthest_apart(own, own) <= narrowest;
    const int n_queries = leaf.to - leaf.from;
    std::vector<double> queries(n_queries * depth_), sums(n_queries * n_limits, 0.0);
    for (int q = 0; q < n_queries; ++q) read_point(leaf.from + q, queries.data() + q * depth_);
    double near[kBlock], far[kBlock], apart[kBlock], for_all = 0.0;
    stack->assign(1, 0);
    while (!stack->empty()) {
        const std::int32_t at = stack->back();
        stack->pop_back();
        const Node& node = nodes_[at];
        if (nearest_apart(at, own, widest * kSlack) > widest * kSlack) continue;
        if (compact && farthest_apart(at, own) * kSlack <= narrowest) {
            for_all += static_cast<double>(node.weight);
            continue;
        }
        if (!node.leaf()) {
            stack->push_back(node.left);
            stack->push_back(node.right);
            continue;
        }
        for (int from = 0; from < n_queries; from += kBlock) {
            if (!loops_.box_distances(block_of(leaf.from + from), low(at), high(at), depth_,
                                      widest * kSlack, near, far))
                continue;
            for (int i = 0; i < std::min(kBlock, n_queries - from); ++i) {
                if (near[i] > widest * kSlack) continue;
                double* sum = sums.data() + (from + i) * n_limits;
                if (far[i] * kSlack <= narrowest) {
                    for (int l = 0; l < n_limits; ++l) sum[l] += static_cast<double>(node.weight);
                    continue;
                }
                const double* query = queries.data() + (from + i) * depth_;
                for (std::int32_t p = node.from; p < node.to; p += kBlock) {
                    if (!loops_.distances(block_of(p), query, depth_, widest, apart)) continue;
                    for (int l = 0; l < n_limits; ++l)
                        sum[l] += loops_.weigh_within(apart, weights_.data() + p, limits[l]);
                }
            }
        }
    }
    for (int q = 0; q < n_queries; ++q)
        for (int l = 0; l < n_limits; ++l)
            out[static_cast<std::size_t>(l) * points() + leaf.from + q] =
                static_cast<std::int32_t>(sums[q * n_limits + l] + for_all);
}

template <class Real>
void NeighbourTree<Real>::count_within(const double* limits, int n_limits, std::int32_t* out,
                                       Control& control) const {
    if (n_limits == 0) return;
    std::vector<const Node*> leaves;
    for (const Node& node : nodes_)
        if (node.leaf()) leaves.push_back(&node);
    const int n_leaves = static_cast<int>(leaves.size());
    // One leaf at a time on one thread, so that the control is looked at often.
    const int threads = threads_allowed(), at_once = threads == 1 ? 1 : kLeavesAtOnce * threads;
    for (int first = 0; first < n_leaves; first += at_once) {
        const int last = std::min(n_leaves, first + at_once);
        run_ranges(last - first, 1, 4 * threads, [&](int, int from, int to) {
            std::vector<std::int32_t> stack;
            for (int i = first + from; i < first + to; ++i)
                count_leaf(*leaves[i], limits, n_limits, out, &stack);
        });
        if (control.poll({0, 0.0, leaves[last - 1]->to, 0})) return;
    }
}

// Some point's k-th squared distance that is not 0: small, for the search of the smallest starts
// there. Climbs towards denser neighbours from the most compact nodes that hold k rows.
template <class Real>
double NeighbourTree<Real>::guess_radius(std::int64_t k) const {
    std::vector<std::pair<double, std::int32_t>> compact;
    for (std::int32_t at = 0; at < static_cast<std::int32_t>(nodes_.size()); ++at) {
        const Node& node = nodes_[at];
        const bool smallest =
            node.leaf() || std::max(nodes_[node.left].weight, nodes_[node.right].weight) < k;
        if (node.weight < k || !smallest) continue;
        compact.push_back({farthest_apart(at, at), at});
    }
    const std::size_t n_starts = std::min<std::size_t>(kStarts, compact.size());
    std::partial_sort(compact.begin(), compact.begin() + n_starts, compact.end());

    std::vector<Reached> reached;
    double best = kInfinity;
    std::int32_t best_point = -1;
    const auto look = [&](std::int32_t point) {
        if (weights_[point] >= static_cast<double>(k)) return false;  // its k-th is itself
        const double radius = kth_of(point, k, best, weights_.data(), 0, &reached);
        if (radius >= best || radius == 0.0) return false;
        best = radius;
        best_point = point;
        return true;
    };
    for (std::size_t s = 0; s < n_starts; ++s) {
        const Node& node = nodes_[compact[s].second];
        for (int i = 0; i < kLooks; ++i)
            look(node.from + static_cast<std::int32_t>(
                                 static_cast<std::int64_t>(node.to - node.from) * i / kLooks));
    }
    for (std::int32_t p = 0; best_point < 0 && p < points(); ++p) look(p);
    // Ever more neighbours are looked at, until none of them is denser.
    for (std::size_t looks = kLooks; looks <= kMostLooks && best_point >= 0;) {
        const std::vector<std::int32_t> around = within(best_point, best);
        const std::size_t step = std::max<std::size_t>(1, around.size() / looks);
        bool better = false;
        for (std::size_t i = 0; i < around.size(); i += step) better = look(around[i]) || better;
        if (!better && step == 1) break;
        if (!better) looks *= 4;
    }
    return best_point < 0 ? 0.0 : best;
}

template <class Real>
std::vector<double> NeighbourTree<Real>::smallest_radii(const std::vector<std::int64_t>& ks,
                                                        std::int32_t* counts,
                                                        Control& control) const {
    const std::size_t n = static_cast<std::size_t>(points());
    std::vector<double> limits;
    for (std::int64_t k : ks) limits.push_back(guess_radius(k) * kTie);
    count_within(limits.data(), static_cast<int>(limits.size()), counts, control);

    // A point can have a smaller radius only if it holds k rows within the guess.
    std::vector<Reached> reached;
    std::vector<std::size_t> changed;
    for (std::size_t i = 0; i < ks.size() && !control.stopped(); ++i) {
        std::int32_t* own = counts + i * n;
        std::vector<std::int32_t> rivals;
        for (std::size_t p = 0; p < n; ++p)
            if (own[p] >= ks[i] && weights_[p] < static_cast<double>(ks[i]))
                rivals.push_back(static_cast<std::int32_t>(p));
        std::stable_sort(rivals.begin(), rivals.end(),
                         [&](std::int32_t a, std::int32_t b) { return own[a] > own[b]; });
        const double guess = limits[i];
        for (std::int32_t p : rivals) {
            const double radius = kth_of(p, ks[i], limits[i], weights_.data(), 0, &reached);
            if (radius * kTie < limits[i] && radius > 0.0) limits[i] = radius * kTie;
            if (control.poll({0, 0.0, p, 0})) break;
        }
        if (limits[i] != guess) changed.push_back(i);
    }
    std::vector<double> again;
    for (std::size_t i : changed) again.push_back(limits[i]);
    std::vector<std::int32_t> recounted(again.size() * n);
    count_within(again.data(), static_cast<int>(again.size()), recounted.data(), control);
    for (std::size_t c = 0; c < changed.size(); ++c)
        std::copy_n(recounted.data() + c * n, n, counts + changed[c] * n);
    return limits;
}

template void NeighbourTree<float>::count_within(const double*, int, std::int32_t*, Control&) const;
template std::vector<double> NeighbourTree<float>::smallest_radii(const std::vector<std::int64_t>&,
                                                                  std::int32_t*, Control&) const;
template void NeighbourTree<double>::count_within(const double*, int, std::int32_t*,
                                                  Control&) const;
template std::vector<double> NeighbourTree<double>::smallest_radii(const std::vector<std::int64_t>&,
                                                                   std::int32_t*, Control&) const;

}  // namespace rarebit
