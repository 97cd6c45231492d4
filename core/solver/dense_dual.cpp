#include "solver/dense_dual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "solver/pair_step.hpp"

namespace rarebit {
namespace {

constexpr std::size_t kMostRows = 4096;
constexpr double kLeastTolerance = 1e-5;  // float32 gradients say nothing below it
constexpr double kLikelyMargin = 1.5;     // rows with a larger guess are left out at first
constexpr double kSureMargin = 1.0;       // rows with a smaller one get their kernel row at once
constexpr double kLooseGap = 0.05;        // gap at which the rows left out are looked at first
constexpr int kLeastActive = 128;
constexpr int kRowsAtOnce = 24;     // kernel rows computed for one that is missing
constexpr int kBlockRows = 1024;    // kernel rows computed in one go
constexpr int kStepsPerPoll = 512;  // steps between two looks at the control
constexpr int kMostRefreshes = 12;  // more of them mean that float32 is too coarse
constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace

bool DenseDual::takes(std::size_t rows, const BatchOptions& options) {
    return rows <= kMostRows && options.tolerance >= kLeastTolerance &&
           rows * rows * sizeof(float) <= options.cache_bytes;
}

void DenseDual::set_gates(int slot) {
    const Box box(y_[slot], cost_[slot]);
    up_gate_[slot] = box.may_grow(alpha_[slot]) ? 0.0f : -kInfinity;
    low_gate_[slot] = box.may_shrink(alpha_[slot]) ? 0.0f : kInfinity;
}

void DenseDual::place(const BatchProblem& problem, int slot, int position, double alpha) {
    position_[slot] = position;
    y_[slot] = problem.y[position];
    cost_[slot] = problem.cost[position];
    alpha_[slot] = alpha;
}

// Orders the rows by guess, the likely ones first, and opens them.
void DenseDual::arrange(const BatchProblem& problem, const std::vector<double>& margins) {
    const int n = static_cast<int>(problem.rows.size());
    std::vector<double> start = problem.start;
    start.resize(n, 0.0);
    clip_and_balance(problem, &start);
    std::vector<int> order;
    for (int p = 0; p < n; ++p)
        if (problem.cost[p] > 0.0) order.push_back(p);
    const int usable = static_cast<int>(order.size());
    int active = usable;
    sure_ = 0;
    if (!margins.empty()) {
        const auto guess = [&](int p) {
            return start[p] != 0.0 ? -std::numeric_limits<double>::infinity() : margins[p];
        };
        std::stable_sort(order.begin(), order.end(),
                         [&](int a, int b) { return guess(a) < guess(b); });
        active = 0;
        while (active < usable && guess(order[active]) < kLikelyMargin) ++active;
        while (sure_ < usable && guess(order[sure_]) < kSureMargin) ++sure_;
        active = std::min(usable, std::max(active, kLeastActive));
        // Both classes are needed for a first pair.
        const auto positive = [&](int p) { return problem.y[p] > 0; };
        const int positives =
            static_cast<int>(std::count_if(order.begin(), order.begin() + active, positive));
        if (positives == 0 || positives == active) active = usable;
    }
    stride_ = (usable + 63) / 64 * 64;
    position_.resize(usable);
    y_.resize(stride_);
    cost_.resize(stride_);
    alpha_.resize(stride_);
    exact_.assign(stride_, 0.0);
    gradient_.assign(stride_, 0.0f);
    up_gate_.assign(stride_, -kInfinity);
    low_gate_.assign(stride_, kInfinity);
    diagonal_.assign(stride_, 0.0f);
    rows_.assign(usable, nullptr);
    pool_ = std::make_unique<RowPool>(std::max(stride_, 64), slabs_);
    for (int slot = 0; slot < usable; ++slot) place(problem, slot, order[slot], start[order[slot]]);
    std::vector<std::int32_t> ids;
    for (int slot = 0; slot < active; ++slot) ids.push_back(problem.rows[position_[slot]]);
    packed_rows_.assign(ids);
    active_ = 0;
    widen(active);
}

// Opens the slots up to `active`; their rows are packed already.
void DenseDual::widen(int active) {
    for (int slot = active_; slot < active; ++slot) {
        diagonal_[slot] = static_cast<float>(provider_.diagonal(packed_rows_.row(slot)));
        set_gates(slot);
    }
    active_ = active;
}

void DenseDual::fetch(const std::vector<int>& slots) {
    std::vector<std::int32_t> ids;
    std::vector<float*> out;
    for (std::size_t from = 0; from < slots.size(); from += kBlockRows) {
        const std::size_t to = std::min(slots.size(), from + kBlockRows);
        ids.clear();
        out.clear();
        for (std::size_t i = from; i < to; ++i) {
            rows_[slots[i]] = pool_->take();
            ids.push_back(packed_rows_.row(slots[i]));
            out.push_back(rows_[slots[i]]);
            // Passes run to a multiple of 64; what lies behind the last slot must be finite.
            std::fill(out.back() + active_, out.back() + stride_, 0.0f);
        }
        provider_.compute(ids.data(), static_cast<int>(ids.size()), packed_rows_, out.data());
        for (std::size_t i = from; i < to; ++i) out[i - from][slots[i]] = diagonal_[slots[i]];
    }
}

// The kernel row of a slot; with one that is missing come the next likely ones.
const float* DenseDual::row(int slot) {
    if (rows_[slot]) return rows_[slot];
    std::vector<std::pair<float, int>> likely;
    for (int other = 0; other < active_; ++other) {
        if (rows_[other] || other == slot) continue;
        // Gradients are counted from the middle of the gap.
        const float excess = std::max(up_gate_[other] == 0.0f ? gradient_[other] : 0.0f,
                                      low_gate_[other] == 0.0f ? -gradient_[other] : 0.0f);
        if (excess > 0.0f) likely.push_back({-excess, other});
    }
    const std::size_t extra = std::min<std::size_t>(kRowsAtOnce - 1, likely.size());
    std::partial_sort(likely.begin(), likely.begin() + extra, likely.end());
    std::vector<int> wanted = {slot};
    for (std::size_t i = 0; i < extra; ++i) wanted.push_back(likely[i].second);
    fetch(wanted);
    return rows_[slot];
}

// Computes all gradients of the passes again, and the extremes; false when there is no pair.
bool DenseDual::refresh() {
    std::fill_n(exact_.begin(), active_, 0.0);
    std::vector<int> missing;
    for (int slot = 0; slot < active_; ++slot)
        if (alpha_[slot] != 0.0 && !rows_[slot]) missing.push_back(slot);
    fetch(missing);
    for (int slot = 0; slot < active_; ++slot)
        if (alpha_[slot] != 0.0) loops_.add_row(active_, rows_[slot], alpha_[slot], exact_.data());
    const double infinity = std::numeric_limits<double>::infinity();
    up_value_ = -infinity, low_value_ = infinity;
    for (int slot = 0; slot < active_; ++slot) {
        exact_[slot] = y_[slot] - exact_[slot];
        if (up_gate_[slot] == 0.0f) up_value_ = std::max(up_value_, exact_[slot]);
        if (low_gate_[slot] == 0.0f) low_value_ = std::min(low_value_, exact_[slot]);
    }
    has_pair_ = up_value_ > -infinity && low_value_ < infinity;
    if (!has_pair_) return false;
    const double middle = 0.5 * (up_value_ + low_value_);
    up_ = {-kInfinity};
    for (int slot = 0; slot < active_; ++slot) {
        gradient_[slot] = static_cast<float>(exact_[slot] - middle);
        if (gradient_[slot] + up_gate_[slot] > up_.value) up_ = {gradient_[slot], slot};
    }
    return true;
}

// Steps until the float32 gap is at most `gap`.
void DenseDual::step_until(double gap, std::int64_t last, Control& control) {
    while (steps_ < last && up_.index >= 0) {
        const int up = up_.index;
        const float* row_up = row(up);
        const Partner found = loops_.partner32(padded(), row_up, gradient_.data(), low_gate_.data(),
                                               diagonal_.data(), up_.value, diagonal_[up]);
        if (found.low.index < 0 ||
            static_cast<double>(up_.value) - static_cast<double>(found.low.value) <= gap)
            return;
        const int low = found.best < 0 || found.best == up ? found.low.index : found.best;
        const float* row_low = row(low);
        const Box up_box(y_[up], cost_[up]), low_box(y_[low], cost_[low]);
        const double by = pair_step_size(static_cast<double>(gradient_[up]) - gradient_[low],
                                         diagonal_[up], diagonal_[low], row_up[low],
                                         up_box.upper - alpha_[up], alpha_[low] - low_box.lower);
        move_pair(by, up_box, low_box, &alpha_[up], &alpha_[low]);
        set_gates(up);
        set_gates(low);
        up_ = loops_.move32(padded(), row_up, row_low, static_cast<float>(by), gradient_.data(),
                            up_gate_.data());
        ++steps_;
        if (steps_ % kStepsPerPoll == 0) {
            progress_.steps = steps_;
            progress_.active = active_;
            if (control.poll(progress_)) return;
        }
    }
}

// Looks at the rows left out of the passes; those that violate come in. False when none does.
bool DenseDual::admit(const BatchProblem& problem, double tolerance) {
    const int usable = static_cast<int>(position_.size());
    if (active_ == usable) return false;
    std::vector<std::int32_t> support, rest;
    std::vector<double> coefficients;
    for (int slot = 0; slot < active_; ++slot)
        if (alpha_[slot] != 0.0) {
            support.push_back(packed_rows_.row(slot));
            coefficients.push_back(alpha_[slot]);
        }
    for (int slot = active_; slot < usable; ++slot) rest.push_back(problem.rows[position_[slot]]);
    std::vector<double> sums(rest.size(), 0.0);
    PackedRows right = provider_.packed_rows();
    right.assign(support);
    provider_.accumulate(rest.data(), static_cast<int>(rest.size()), right, coefficients.data(),
                         sums.data());
    ++sweeps_;
    rows_swept_ += static_cast<std::int64_t>(rest.size());
    // Rows without a coefficient violate by growing away from 0.
    std::vector<int> coming;
    int to = active_;
    for (int slot = active_; slot < usable; ++slot) {
        const double gradient = y_[slot] - sums[slot - active_];
        const bool violates =
            y_[slot] > 0 ? gradient - low_value_ > tolerance : up_value_ - gradient > tolerance;
        if (!violates) continue;
        std::swap(position_[slot], position_[to]);
        std::swap(y_[slot], y_[to]);
        std::swap(cost_[slot], cost_[to]);
        std::swap(sums[slot - active_], sums[to - active_]);
        packed_rows_.assign(to, problem.rows[position_[to]]);
        coming.push_back(to++);
    }
    if (coming.empty()) return false;
    const int before = active_;
    widen(to);
    fetch(coming);
    for (int slot = 0; slot < before; ++slot)
        if (rows_[slot])
            for (int other : coming) rows_[slot][other] = rows_[other][slot];
    return true;
}

Solution DenseDual::solve(const BatchProblem& problem, const std::vector<double>& margins,
                          const BatchOptions& options, Control& control) {
    steps_ = sweeps_ = rows_swept_ = 0;
    progress_ = Progress();
    progress_.rows = static_cast<std::int64_t>(problem.rows.size());
    arrange(problem, margins);
    const std::int64_t last =
        options.most_steps < 0 ? std::numeric_limits<std::int64_t>::max() : options.most_steps;
    std::vector<int> sure;
    for (int slot = 0; slot < std::min(sure_, active_); ++slot) sure.push_back(slot);
    fetch(sure);
    bool clean = false, coarse = false;
    int refreshes = 0;
    // Rows that come in late disturb those that were solved already: look for them early.
    double tolerance = active_ < static_cast<int>(position_.size())
                           ? std::max(options.tolerance, kLooseGap)
                           : options.tolerance;
    while (!clean && !coarse && !control.stopped()) {
        if (!refresh() || up_value_ - low_value_ <= tolerance) {
            const bool more = admit(problem, tolerance);
            clean = !more && tolerance <= options.tolerance;
            tolerance = options.tolerance;
            refreshes = 0;
            continue;
        }
        if (steps_ >= last) break;
        const std::int64_t before = steps_;
        step_until(0.9 * tolerance, last, control);
        coarse = steps_ == before || ++refreshes > kMostRefreshes;
    }
    Solution solution;
    solution.rows = problem.rows;
    solution.alpha.assign(problem.rows.size(), 0.0);
    for (int slot = 0; slot < active_; ++slot) solution.alpha[position_[slot]] = alpha_[slot];
    if (coarse && !control.stopped()) {
        BatchProblem rest = problem;
        rest.start = solution.alpha;
        BatchOptions left = options;
        if (left.most_steps >= 0) left.most_steps = std::max<std::int64_t>(0, last - steps_);
        solution = solve_batch(provider_, rest, left, control);
        solution.steps += steps_;
        return solution;
    }
    for (int slot = 0; slot < active_; ++slot)
        solution.objective += 0.5 * alpha_[slot] * (y_[slot] + exact_[slot]);
    const double infinity = std::numeric_limits<double>::infinity();
    if (has_pair_)
        solution.bias = 0.5 * (up_value_ + low_value_), solution.gap = up_value_ - low_value_;
    else if (up_value_ > -infinity)
        solution.bias = up_value_;
    else if (low_value_ < infinity)
        solution.bias = low_value_;
    solution.steps = steps_;
    solution.sweeps = sweeps_;
    solution.rows_swept = rows_swept_;
    solution.interrupted = control.stopped();
    solution.converged = clean;
    return solution;
}

}  // namespace rarebit
