#include "solver/active_set.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solver/pair_step.hpp"
#include "threads.hpp"

namespace rarebit {
namespace {

constexpr int kStepsPerPoll = 256;      // steps between two looks at the control
constexpr int kGrain = 64;              // slots that a pass takes as one
constexpr int kLeastPass = 2048;        // slots from which a pass is worth a thread
constexpr int kStepsPerLook = 1 << 17;  // steps between two looks for a standstill
constexpr double kLeastDrift = 1e-3;    // of gradients, that is worth computing them anew
constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace

ActiveSet::ActiveSet(KernelProvider& provider, std::size_t cache_bytes)
    : provider_(provider), kernel_rows_(provider, cache_bytes) {
    widen_arrays();
    find_extremes();
}

void ActiveSet::reserve(int slots) {
    if (kernel_rows_.widen(slots)) widen_arrays();
}

void ActiveSet::widen_arrays() {
    const std::size_t length = kernel_rows_.stride();
    y_.resize(length, 0.0);
    cost_.resize(length, 0.0);
    alpha_.resize(length, 0.0);
    gradient_.resize(length, 0.0);
    up_gate_.resize(length, -kInfinity);
    low_gate_.resize(length, kInfinity);
    low_gradient_.resize(length, kInfinity);
    zeros_.resize(length, 0.0f);
    live_.resize(length, 0);
    tag_.resize(length, -1);
}

int ActiveSet::take_slot() {
    if (free_.empty()) {
        reserve(slots() + 1);
        return kernel_rows_.open_slot();
    }
    const int slot = free_.back();
    free_.pop_back();
    return slot;
}

void ActiveSet::set_gates(int slot) {
    const Box box(y_[slot], cost_[slot]);
    up_gate_[slot] = live_[slot] && box.may_grow(alpha_[slot]) ? 0.0f : -kInfinity;
    low_gate_[slot] = live_[slot] && box.may_shrink(alpha_[slot]) ? 0.0f : kInfinity;
}

void ActiveSet::place(int slot, const ActiveRow& row) {
    kernel_rows_.assign(slot, row.row);
    tag_[slot] = row.tag;
    y_[slot] = row.y;
    cost_[slot] = row.cost;
    alpha_[slot] = row.alpha;
    gradient_[slot] = row.gradient;
    live_[slot] = 1;
    set_gates(slot);
}

void ActiveSet::remove(int slot) {
    live_[slot] = 0;
    alpha_[slot] = 0.0;
    tag_[slot] = -1;
    set_gates(slot);
    kernel_rows_.drop(slot);
    free_.push_back(slot);
}

void ActiveSet::insert(const std::vector<ActiveRow>& rows, bool fetch, Control& control,
                       const Progress& progress) {
    reserve(slots() + std::max(0, static_cast<int>(rows.size()) - static_cast<int>(free_.size())));
    std::vector<int> taken;
    taken.reserve(rows.size());
    for (const ActiveRow& row : rows) {
        taken.push_back(take_slot());
        place(taken.back(), row);
    }
    kernel_rows_.add(taken, fetch, control, progress);
    find_extremes();
}

void ActiveSet::restore(const std::vector<ActiveRow>& rows, const std::vector<std::int32_t>& slots,
                        const std::vector<std::int32_t>& closed) {
    const int count = static_cast<int>(rows.size() + closed.size());
    reserve(count);
    kernel_rows_.open_slots(count);
    free_.assign(closed.begin(), closed.end());
    for (std::size_t i = 0; i < rows.size(); ++i) place(slots[i], rows[i]);
    find_extremes();
}

int ActiveSet::insert_known(const ActiveRow& row, const float* kernel_row) {
    const int slot = take_slot();
    place(slot, row);
    kernel_rows_.add_known(slot, kernel_row);
    return slot;
}

const float* ActiveSet::kernel_row(int slot, int pinned) {
    if (const float* row = kernel_rows_.find(slot)) return row;
    // One missing row is a matrix-vector product; computing the next likely ones with it costs
    // little more. Likely are the rows that violate most.
    std::vector<std::pair<double, int>> likely;
    const double middle = 0.5 * (extremes_.up_value + extremes_.low_value);
    for (int other = 0; other < slots(); ++other) {
        if (kernel_rows_.holds(other) || !live_[other] || other == slot) continue;
        const double excess = std::max(up_gate_[other] == 0.0f ? gradient_[other] - middle : 0.0,
                                       low_gate_[other] == 0.0f ? middle - gradient_[other] : 0.0);
        if (excess > 0.0) likely.push_back({-excess, other});
    }
    const int extra = std::min(kernel_rows_.rows_at_once() - 1, static_cast<int>(likely.size()));
    std::partial_sort(likely.begin(), likely.begin() + extra, likely.end());
    std::vector<int> wanted = {slot};
    for (int i = 0; i < extra; ++i) wanted.push_back(likely[i].second);
    return kernel_rows_.fetch(wanted, pinned);
}

void ActiveSet::pass(const float* row_up, const float* row_low, double by) {
    // The partner is sought in float32, whose grain must be fine where the extremes lie. They move
    // little in one step, so the last ones tell where that is.
    if (has_pair()) origin_ = 0.5 * (extremes_.up_value + extremes_.low_value);
    const int parts = pass_parts();
    if (parts == 1) {
        extremes_ = loops_.update(kernel_rows_.padded(), row_up, row_low, by, gradient_.data(),
                                  up_gate_.data(), low_gate_.data(), origin_, low_gradient_.data());
        return;
    }
    part_extremes_.resize(parts);
    run_ranges(kernel_rows_.padded(), kGrain, parts, [&](int part, int from, int to) {
        Extremes found = loops_.update(
            to - from, row_up + from, row_low + from, by, gradient_.data() + from,
            up_gate_.data() + from, low_gate_.data() + from, origin_, low_gradient_.data() + from);
        if (found.up >= 0) found.up += from;
        if (found.low >= 0) found.low += from;
        part_extremes_[part] = found;
    });
    // In order, and of equal values the first: as one pass over all would find them.
    extremes_ = part_extremes_[0];
    for (int part = 1; part < parts; ++part) {
        const Extremes& found = part_extremes_[part];
        if (found.up_value > extremes_.up_value)
            extremes_.up_value = found.up_value, extremes_.up = found.up;
        if (found.low_value < extremes_.low_value)
            extremes_.low_value = found.low_value, extremes_.low = found.low;
    }
}

int ActiveSet::pass_parts() const {
    const int threads = threads_allowed();
    return threads == 1 ? 1 : range_parts(kernel_rows_.padded(), kLeastPass, threads);
}

// The slot that gains most with `up`, or -1.
int ActiveSet::find_partner(int up, const float* row_up) {
    const float value = static_cast<float>(extremes_.up_value - origin_);
    const int parts = pass_parts();
    if (parts == 1)
        return loops_
            .partner(kernel_rows_.padded(), row_up, low_gradient_.data(), diagonal().data(), value,
                     diagonal()[up])
            .index;
    part_gains_.resize(parts);
    run_ranges(kernel_rows_.padded(), kGrain, parts, [&](int part, int from, int to) {
        part_gains_[part] = loops_.partner(to - from, row_up + from, low_gradient_.data() + from,
                                           diagonal().data() + from, value, diagonal()[up]);
        if (part_gains_[part].index >= 0) part_gains_[part].index += from;
    });
    Extreme best = part_gains_[0];
    for (const Extreme& found : part_gains_)
        if (found.value > best.value) best = found;
    return best.index;
}

void ActiveSet::find_extremes() { pass(zeros_.data(), zeros_.data(), 0.0); }

void ActiveSet::go_back(const Position& position) {
    alpha_ = position.alpha;
    gradient_ = position.gradient;
    for (int slot = 0; slot < slots(); ++slot) set_gates(slot);
    find_extremes();
}

void ActiveSet::step(int up, int low) {
    const float* row_up = kernel_row(up, low);
    const float* row_low = kernel_row(low, up);
    const Box up_box(y_[up], cost_[up]), low_box(y_[low], cost_[low]);
    const double by =
        pair_step_size(gradient_[up] - gradient_[low], diagonal()[up], diagonal()[low], row_up[low],
                       up_box.upper - alpha_[up], alpha_[low] - low_box.lower);
    const double up_before = alpha_[up], low_before = alpha_[low];
    gained_ += by * (gradient_[up] - gradient_[low]);
    move_pair(by, up_box, low_box, &alpha_[up], &alpha_[low]);
    strayed_ += std::abs(alpha_[up] - up_before - by) + std::abs(low_before - alpha_[low] - by);
    set_gates(up);
    set_gates(low);
    pass(row_up, row_low, by);
    kernel_rows_.tick();
    ++steps_;
}

bool ActiveSet::drifted(double tolerance) const {
    float largest = 0.0f;
    for (int slot = 0; slot < slots(); ++slot)
        if (live_[slot]) largest = std::max(largest, std::abs(diagonal()[slot]));
    return strayed_ * largest > std::max(tolerance, kLeastDrift);
}

void ActiveSet::refresh_gradients() {
    std::vector<std::int32_t> rows, support;
    std::vector<double> coefficients;
    for (int slot = 0; slot < slots(); ++slot) {
        if (!live_[slot]) continue;
        rows.push_back(row(slot));
        if (alpha_[slot] == 0.0) continue;
        support.push_back(row(slot));
        coefficients.push_back(alpha_[slot]);
    }
    std::vector<double> sums(rows.size(), 0.0);
    PackedRows right = provider_.packed_rows();
    right.assign(support);
    provider_.accumulate(rows.data(), static_cast<int>(rows.size()), right, coefficients.data(),
                         sums.data());
    std::size_t at = 0;
    for (int slot = 0; slot < slots(); ++slot)
        if (live_[slot]) gradient_[slot] = y_[slot] - sums[at++];
    strayed_ = 0.0;
    find_extremes();
}

bool ActiveSet::at_standstill() {
    if (steps_ - looked_at_ < kStepsPerLook) return false;
    double objective = 0.0;
    for (int slot = 0; slot < slots(); ++slot)
        if (live_[slot]) objective += 0.5 * alpha_[slot] * (y_[slot] + gradient_[slot]);
    const bool still = !(gained_ > 1e-15 * std::abs(objective));
    looked_at_ = steps_;
    gained_ = 0.0;
    return still;
}

double ActiveSet::bias() const {
    if (has_pair()) return 0.5 * (extremes_.up_value + extremes_.low_value);
    if (extremes_.up >= 0) return extremes_.up_value;
    return extremes_.low >= 0 ? extremes_.low_value : 0.0;
}

bool ActiveSet::step_extremes() {
    if (!has_pair() || !(gap() > 0.0)) return false;
    step(extremes_.up, extremes_.low);
    return true;
}

void ActiveSet::solve(double tolerance, std::int64_t most_steps, Control& control,
                      Progress* progress) {
    const std::int64_t last =
        most_steps < 0 ? std::numeric_limits<std::int64_t>::max() : steps_ + most_steps;
    while (has_pair() && gap() > tolerance && steps_ < last) {
        const int up = extremes_.up;
        int low = find_partner(up, kernel_row(up, -1));
        // The search sees float32; a pair must violate in float64 as well. The extreme one does.
        if (low < 0 || low == up || !(gradient_[low] < gradient_[up])) low = extremes_.low;
        step(up, low);
        if (steps_ % kStepsPerPoll == 0) {
            progress->steps = steps_;
            progress->gap = gap();
            progress->active = size();
            if (control.poll(*progress) || at_standstill()) return;
        }
    }
}

}  // namespace rarebit
