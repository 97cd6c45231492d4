#include "neighbour_tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "unique_rows.hpp"

namespace rarebit {

namespace {

constexpr std::int32_t kLeaf = 32;  // most points of a leaf, a multiple of kBlock
constexpr double kInfinity = std::numeric_limits<double>::infinity();
// A box is left out only when it lies beyond the limit by more than rounding can move it.
constexpr double kSlack = 1.0 + 1e-9;

// Features by falling variance: sums of squares then pass a limit early.
std::vector<std::int32_t> spread_order(const double* values, std::int64_t rows,
                                       std::int64_t columns) {
    std::vector<double> mean(columns, 0.0), spread(columns, 0.0);
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t k = 0; k < columns; ++k) mean[k] += values[i * columns + k];
    for (double& m : mean) m /= static_cast<double>(std::max<std::int64_t>(rows, 1));
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t k = 0; k < columns; ++k) {
            const double apart = values[i * columns + k] - mean[k];
            spread[k] += apart * apart;
        }
    std::vector<std::int32_t> order(columns);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int32_t a, std::int32_t b) { return spread[a] > spread[b]; });
    return order;
}

}  // namespace

NeighbourTree::NeighbourTree(const double* values, std::int64_t rows, std::int64_t columns)
    : loops_(distance_loops()),
      depth_(static_cast<std::size_t>(columns)),
      columns_(spread_order(values, rows, columns)) {
    const std::vector<std::int32_t> numbers = number_unique_rows(values, rows, columns);
    std::vector<std::int32_t> first;  // first row of each number
    for (std::int64_t i = 0; i < rows; ++i)
        if (numbers[i] == static_cast<std::int32_t>(first.size()))
            first.push_back(static_cast<std::int32_t>(i));
    std::vector<double> weights(first.size(), 0.0);
    for (std::int32_t number : numbers) weights[number] += 1.0;

    std::vector<std::int32_t> order = first;
    if (!order.empty()) build(order, 0, static_cast<std::int32_t>(order.size()), values);
    copy_blocks(order, values);

    std::vector<std::int32_t> point_of_number(first.size());
    weights_of_.resize(first.size());
    for (std::size_t p = 0; p < order.size(); ++p) {
        const std::int32_t number = numbers[order[p]];
        point_of_number[number] = static_cast<std::int32_t>(p);
        weights_of_[p] = weights[number];
    }
    point_of_row_.resize(static_cast<std::size_t>(rows));
    for (std::int64_t i = 0; i < rows; ++i) point_of_row_[i] = point_of_number[numbers[i]];
    weights_.assign((order.size() + kBlock - 1) / kBlock * kBlock, 0.0);
    std::copy(weights_of_.begin(), weights_of_.end(), weights_.begin());
    for (Node& node : nodes_)
        node.weight = static_cast<std::int64_t>(
            std::accumulate(weights_.begin() + node.from, weights_.begin() + node.to, 0.0));
}

std::int32_t NeighbourTree::build(std::vector<std::int32_t>& order, std::int32_t from,
                                  std::int32_t to, const double* values) {
    const std::int32_t node = static_cast<std::int32_t>(nodes_.size());
    nodes_.push_back({from, to});
    boxes_.resize(boxes_.size() + 2 * depth_);
    double* low = boxes_.data() + 2 * node * depth_;
    double* high = low + depth_;
    std::fill(low, high, kInfinity);
    std::fill(high, high + depth_, -kInfinity);
    for (std::int32_t i = from; i < to; ++i) {
        const double* row = values + order[i] * static_cast<std::int64_t>(depth_);
        for (std::size_t k = 0; k < depth_; ++k) {
            const double value = row[columns_[k]];
            low[k] = std::min(low[k], value);
            high[k] = std::max(high[k], value);
        }
    }
    if (to - from <= kLeaf) return node;
    std::size_t widest = 0;
    for (std::size_t k = 1; k < depth_; ++k)
        if (high[k] - low[k] > high[widest] - low[widest]) widest = k;
    // Left halves of whole blocks: only the last block of the tree needs padding.
    const std::int32_t middle = from + ((to - from) / 2 + kBlock - 1) / kBlock * kBlock;
    const std::int32_t column = columns_[widest];
    const auto before = [&](std::int32_t a, std::int32_t b) {
        const double left = values[a * static_cast<std::int64_t>(depth_) + column];
        const double right = values[b * static_cast<std::int64_t>(depth_) + column];
        return left < right || (left == right && a < b);
    };
    std::nth_element(order.begin() + from, order.begin() + middle, order.begin() + to, before);
    const std::int32_t left = build(order, from, middle, values);
    const std::int32_t right = build(order, middle, to, values);
    nodes_[node].left = left;
    nodes_[node].right = right;
    return node;
}

void NeighbourTree::copy_blocks(const std::vector<std::int32_t>& order, const double* values) {
    const std::size_t n = order.size();
    const std::size_t padded = (n + kBlock - 1) / kBlock * kBlock;
    blocks_.resize(padded * depth_);
    for (std::size_t p = 0; p < padded; ++p) {
        double* block = blocks_.data() + p / kBlock * depth_ * kBlock;
        for (std::size_t k = 0; k < depth_; ++k)
            block[k * kBlock + p % kBlock] =
                p < n ? values[order[p] * static_cast<std::int64_t>(depth_) + columns_[k]]
                      : kInfinity;
    }
}

double NeighbourTree::nearest_in_box(const double* point, std::int32_t node, double enough) const {
    const double *lowest = low(node), *highest = high(node);
    double sum = 0.0;
    for (std::size_t k = 0; k < depth_ && sum <= enough; ++k) {
        const double outside = std::max({lowest[k] - point[k], point[k] - highest[k], 0.0});
        sum += outside * outside;
    }
    return sum;
}

std::vector<std::int32_t> NeighbourTree::within(std::int32_t point, double limit) const {
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

void NeighbourTree::distances_from(std::int32_t point, double* out) const {
    std::vector<double> here(depth_);
    read_point(point, here.data());
    double apart[kBlock];
    for (std::int32_t p = 0; p < points(); p += kBlock) {
        loops_.distances(block_of(p), here.data(), depth_, kInfinity, apart);
        std::copy(apart, apart + std::min(kBlock, points() - p), out + p);
    }
}

// The squared distance at which the weights of the nearest points sum to k, or infinity when it
// lies beyond the limit. Opens a leaf at a time, the nearest first along the tree.
double NeighbourTree::kth_of(std::int32_t point, std::int64_t k, double limit,
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
                    reached->push_back({apart[i], weights[p + i]});
                    weight += weights[p + i];
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

void NeighbourTree::kth_points(std::int64_t k, int most_leaves, double* out,
                               Control& control) const {
    const std::vector<double> alike(weights_.size(), 1.0);
    std::vector<Reached> reached;
    for (std::int32_t p = 0; p < points(); ++p) {
        out[p] = kth_of(p, k, kInfinity, alike.data(), most_leaves, &reached);
        if (p % 256 == 0 && control.poll({0, 0.0, p, 0})) return;
    }
}

}  // namespace rarebit
