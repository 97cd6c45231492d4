#include "neighbours/neighbour_tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "neighbours/unique_rows.hpp"
#include "threads.hpp"

namespace rarebit {

namespace {

constexpr std::int32_t kLeaf = 32;           // most points of a leaf, a multiple of kBlock
constexpr std::int32_t kPointsAtOnce = 256;  // per thread between two looks at the control
constexpr double kInfinity = std::numeric_limits<double>::infinity();
// A box is left out only when it lies beyond the limit by more than rounding can move it.
constexpr double kSlack = 1.0 + 1e-9;

// Features by falling variance: sums of squares then pass a limit early.
template <class Real>
std::vector<std::int32_t> spread_order(const ScaledRows<Real>& x) {
    std::vector<double> mean(x.columns, 0.0), spread(x.columns, 0.0);
    for (std::int64_t i = 0; i < x.rows; ++i)
        for (std::int64_t k = 0; k < x.columns; ++k) mean[k] += static_cast<double>(x.at(i, k));
    for (double& m : mean) m /= static_cast<double>(std::max<std::int64_t>(x.rows, 1));
    for (std::int64_t i = 0; i < x.rows; ++i)
        for (std::int64_t k = 0; k < x.columns; ++k) {
            const double apart = static_cast<double>(x.at(i, k)) - mean[k];
            spread[k] += apart * apart;
        }
    std::vector<std::int32_t> order(x.columns);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int32_t a, std::int32_t b) { return spread[a] > spread[b]; });
    return order;
}

// The least and largest values of some rows, at least one, in the order of the columns and before
// they are scaled: scaling never turns the order of two values round, and values read as they lie
// in memory are compared several at a time.
template <class Real>
struct ValueRange {
    std::vector<Real> low, high;

    ValueRange(const ScaledRows<Real>& x, const std::int32_t* row, const std::int32_t* end)
        : low(x.row(*row), x.row(*row) + x.columns), high(low) {
        Real *lowest = low.data(), *highest = high.data();
        while (++row != end) {
            const Real* values = x.row(*row);
            for (std::int64_t k = 0; k < x.columns; ++k) {
                lowest[k] = values[k] < lowest[k] ? values[k] : lowest[k];
                highest[k] = values[k] > highest[k] ? values[k] : highest[k];
            }
        }
    }
};

}  // namespace

template <class Real>
NeighbourTree<Real>::NeighbourTree(const ScaledRows<Real>& x)
    : loops_(distance_loops<Real>()),
      depth_(static_cast<std::size_t>(x.columns)),
      columns_(spread_order(x)) {
    const std::vector<std::int32_t> numbers = number_unique_rows(x);
    std::vector<std::int32_t> first;  // first row of each number
    for (std::int64_t i = 0; i < x.rows; ++i)
        if (numbers[i] == static_cast<std::int32_t>(first.size()))
            first.push_back(static_cast<std::int32_t>(i));
    std::vector<double> weights(first.size(), 0.0);
    for (std::int32_t number : numbers) weights[number] += 1.0;

    std::vector<std::int32_t> order = first;
    // Room for all nodes at once, for a vector that grows holds its numbers twice.
    std::size_t n_nodes = 1;
    while (order.size() > (n_nodes + 1) / 2 * kLeaf) n_nodes = 2 * n_nodes + 1;
    nodes_.reserve(n_nodes);
    boxes_.reserve(2 * depth_ * n_nodes);
    if (!order.empty()) build(order, 0, static_cast<std::int32_t>(order.size()), x);
    copy_blocks(order, x);

    n_points_ = static_cast<std::int32_t>(order.size());
    weights_.assign((order.size() + kBlock - 1) / kBlock * kBlock, 0.0);
    std::vector<std::int32_t> point_of_number(first.size());
    for (std::size_t p = 0; p < order.size(); ++p) {
        const std::int32_t number = numbers[order[p]];
        point_of_number[number] = static_cast<std::int32_t>(p);
        weights_[p] = weights[number];
    }
    point_of_row_.resize(static_cast<std::size_t>(x.rows));
    for (std::int64_t i = 0; i < x.rows; ++i) point_of_row_[i] = point_of_number[numbers[i]];
    for (Node& node : nodes_)
        node.weight = static_cast<std::int64_t>(
            std::accumulate(weights_.begin() + node.from, weights_.begin() + node.to, 0.0));
}

template <class Real>
std::int32_t NeighbourTree<Real>::build(std::vector<std::int32_t>& order, std::int32_t from,
                                        std::int32_t to, const ScaledRows<Real>& x) {
    const std::int32_t node = static_cast<std::int32_t>(nodes_.size());
    nodes_.push_back({from, to});
    boxes_.resize(boxes_.size() + 2 * depth_);
    Real* low = boxes_.data() + 2 * node * depth_;
    Real* high = low + depth_;
    const ValueRange<Real> range(x, order.data() + from, order.data() + to);
    for (std::size_t k = 0; k < depth_; ++k) {
        low[k] = x.scaled(range.low[columns_[k]], columns_[k]);
        high[k] = x.scaled(range.high[columns_[k]], columns_[k]);
    }
    if (to - from <= kLeaf) return node;
    std::size_t widest = 0;
    for (std::size_t k = 1; k < depth_; ++k)
        if (high[k] - low[k] > high[widest] - low[widest]) widest = k;
    // Left halves of whole blocks: only the last block of the tree needs padding.
    const std::int32_t middle = from + ((to - from) / 2 + kBlock - 1) / kBlock * kBlock;
    const std::int32_t column = columns_[widest];
    const auto before = [&](std::int32_t a, std::int32_t b) {
        const Real left = x.at(a, column), right = x.at(b, column);
        return left < right || (left == right && a < b);
    };
    std::nth_element(order.begin() + from, order.begin() + middle, order.begin() + to, before);
    const std::int32_t left = build(order, from, middle, x);
    const std::int32_t right = build(order, middle, to, x);
    nodes_[node].left = left;
    nodes_[node].right = right;
    return node;
}

template <class Real>
void NeighbourTree<Real>::copy_blocks(const std::vector<std::int32_t>& order,
                                      const ScaledRows<Real>& x) {
    const std::size_t n = order.size();
    const std::size_t padded = (n + kBlock - 1) / kBlock * kBlock;
    blocks_.resize(padded * depth_);
    for (std::size_t p = 0; p < padded; ++p) {
        Real* block = blocks_.data() + p / kBlock * depth_ * kBlock;
        for (std::size_t k = 0; k < depth_; ++k)
            block[k * kBlock + p % kBlock] =
                p < n ? x.at(order[p], columns_[k]) : std::numeric_limits<Real>::infinity();
    }
}

template <class Real>
double NeighbourTree<Real>::nearest_apart(std::int32_t a, std::int32_t b, double enough) const {
    const Real *low_a = low(a), *high_a = high(a), *low_b = low(b), *high_b = high(b);
    double sum = 0.0;
    for (std::size_t k = 0; k < depth_ && sum <= enough; ++k) {
        const double below = static_cast<double>(low_a[k]) - static_cast<double>(high_b[k]);
        const double above = static_cast<double>(low_b[k]) - static_cast<double>(high_a[k]);
        const double gap = std::max({below, above, 0.0});
        sum += gap * gap;
    }
    return sum;
}

template <class Real>
double NeighbourTree<Real>::farthest_apart(std::int32_t a, std::int32_t b) const {
    const Real *low_a = low(a), *high_a = high(a), *low_b = low(b), *high_b = high(b);
    double sum = 0.0;
    for (std::size_t k = 0; k < depth_; ++k) {
        const double up = static_cast<double>(high_a[k]) - static_cast<double>(low_b[k]);
        const double down = static_cast<double>(high_b[k]) - static_cast<double>(low_a[k]);
        sum += std::max(up, down) * std::max(up, down);
    }
    return sum;
}

template <class Real>
double NeighbourTree<Real>::nearest_in_box(const double* point, std::int32_t node,
                                           double enough) const {
    const Real *lowest = low(node), *highest = high(node);
    double sum = 0.0;
    for (std::size_t k = 0; k < depth_ && sum <= enough; ++k) {
        const double outside = std::max({static_cast<double>(lowest[k]) - point[k],
                                         point[k] - static_cast<double>(highest[k]), 0.0});
        sum += outside * outside;
    }
    return sum;
}

template <class Real>
std::vector<std::int32_t> NeighbourTree<Real>::within(std::int32_t point, double limit) const {
    std::vector<double> here(depth_);
    read_point(point, here.data());
    std::vector<std::int32_t> found, stack = {0};
    double apart[kBlock];
    while (!stack.empty()) {
        const std::int32_t at = stack.back();
        stack.pop_back();
        if (nearest_in_box(here.data(), at, limit * kSlack) > limit * kSlack) continue;
        const Node& node = nodes_[at];
        if (!node.leaf()) {
            stack.push_back(node.right);
            stack.push_back(node.left);
            continue;
        }
        for (std::int32_t p = node.from; p < node.to; p += kBlock) {
            if (!loops_.distances(block_of(p), here.data(), depth_, limit, apart)) continue;
            for (std::int32_t i = 0; i < std::min(kBlock, node.to - p); ++i)
                if (apart[i] <= limit) found.push_back(p + i);
        }
    }
    return found;
}

template <class Real>
void NeighbourTree<Real>::distances_from(std::int32_t point, double* out) const {
    std::vector<double> here(depth_);
    read_point(point, here.data());
    double apart[kBlock];
    for (std::int32_t p = 0; p < points(); p += kBlock) {
        loops_.distances(block_of(p), here.data(), depth_, kInfinity, apart);
        std::copy(apart, apart + std::min(kBlock, points() - p), out + p);
    }
}

// The squared distance at which the weights of the nearest points (null: 1 each) sum to k, or
// infinity when it lies beyond the limit. Opens a leaf at a time, the nearest first along the tree.
template <class Real>
double NeighbourTree<Real>::kth_of(std::int32_t point, std::int64_t k, double limit,
                                   const double* weights, int most_leaves,
                                   std::vector<Reached>* reached) const {
    std::vector<double> here(depth_);
    read_point(point, here.data());
    reached->clear();
    double bound = limit, weight = 0.0;
    const double wanted = static_cast<double>(k);
    // Forgets what lies beyond the k-th of those reached, which then bounds the search.
    const auto shrink = [&] {
        std::sort(reached->begin(), reached->end(),
                  [](const Reached& a, const Reached& b) { return a.distance < b.distance; });
        double sum = 0.0;
        std::size_t kept = 0;
        while (sum < wanted) sum += (*reached)[kept++].weight;
        reached->resize(kept);
        weight = sum;
        bound = reached->back().distance;
    };
    struct Waiting {
        std::int32_t node;
        double nearest;
    };
    std::vector<Waiting> stack = {{0, 0.0}};
    std::size_t full = 0;
    int leaves = 0;
    double apart[kBlock];
    while (!stack.empty()) {
        const Waiting at = stack.back();
        stack.pop_back();
        if (at.nearest > bound * kSlack) continue;
        const Node& node = nodes_[at.node];
        if (!node.leaf()) {
            Waiting left{node.left, nearest_in_box(here.data(), node.left, bound * kSlack)};
            Waiting right{node.right, nearest_in_box(here.data(), node.right, bound * kSlack)};
            if (left.nearest < right.nearest) std::swap(left, right);
            stack.push_back(left);
            stack.push_back(right);
            continue;
        }
        for (std::int32_t p = node.from; p < node.to; p += kBlock) {
            if (!loops_.distances(block_of(p), here.data(), depth_, bound, apart)) continue;
            for (std::int32_t i = 0; i < std::min(kBlock, node.to - p); ++i)
                if (apart[i] <= bound) {
                    const double own = weights == nullptr ? 1.0 : weights[p + i];
                    reached->push_back({apart[i], own});
                    weight += own;
                }
        }
        if (weight >= wanted && reached->size() >= full) {
            shrink();
            full = reached->size() + std::max<std::size_t>(reached->size() / 2, 2 * kLeaf);
        }
        ++leaves;
        if (most_leaves > 0 && leaves >= most_leaves && weight >= wanted) break;
    }
    if (weight < wanted) return kInfinity;
    shrink();
    return bound;
}

template <class Real>
void NeighbourTree<Real>::kth_points(const std::vector<std::int64_t>& ks, int most_leaves,
                                     double* out, Control& control) const {
    if (ks.empty()) return;
    const std::size_t n = static_cast<std::size_t>(points());
    const std::int32_t at_once = kPointsAtOnce * threads_allowed();
    for (std::int32_t first = 0; first < points(); first += at_once) {
        const int count = std::min(at_once, points() - first);
        run_ranges(count, kLeaf, 4 * threads_allowed(), [&](int, int from, int to) {
            std::vector<Reached> reached;
            for (std::int32_t p = first + from; p < first + to; ++p) {
                // The search for the last one sorts all that come before it.
                kth_of(p, ks.back(), kInfinity, nullptr, most_leaves, &reached);
                for (std::size_t i = 0; i < ks.size(); ++i)
                    out[i * n + static_cast<std::size_t>(p)] = reached[ks[i] - 1].distance;
            }
        });
        if (control.poll({0, 0.0, first + count, 0})) return;
    }
}

template class NeighbourTree<float>;
template class NeighbourTree<double>;

}  // namespace rarebit
