#include "active_set.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rarebit {
namespace {

constexpr int kRowsAtOnce = 16;     // kernel rows computed for one that is missing
constexpr int kBlockRows = 192;     // kernel rows computed in one go when rows arrive together
constexpr int kStepsPerPoll = 256;  // steps between two looks at the control
constexpr std::size_t kLeastWanted = std::size_t(64) << 20;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace

ActiveSet::ActiveSet(Source& source, std::size_t cache_bytes)
    : source_(source),
      cache_bytes_(cache_bytes),
      wanted_bytes_(std::max(kLeastWanted, cache_bytes / 4)),
      operand_(source.operand()) {
    widen_rows(256);
    find_extremes();
}

int ActiveSet::affordable_rows() const {
    const std::size_t bytes = std::min(cache_bytes_, wanted_bytes_);
    const std::size_t rows = bytes / (static_cast<std::size_t>(stride_) * sizeof(float));
    return static_cast<int>(std::min<std::size_t>(std::max<std::size_t>(rows, 4), 1u << 30));
}

// Most rows reach their limit and are not needed again, so a quarter of the cache is often enough,
// and memory never touched costs nothing. Rows computed a second time are the sign to take more.
void ActiveSet::note_recomputed(int rows) {
    recomputed_ += rows;
    if (4 * recomputed_ < affordable_rows()) return;
    recomputed_ = 0;
    if (wanted_bytes_ < cache_bytes_) wanted_bytes_ += wanted_bytes_ / 2;
}

void ActiveSet::widen_rows(int columns) {
    if (columns <= stride_) return;
    const int old = stride_;
    stride_ = (std::max(columns, old + old / 4) + 63) / 64 * 64;
    y_.resize(stride_, 0.0);
    cost_.resize(stride_, 0.0);
    alpha_.resize(stride_, 0.0);
    gradient_.resize(stride_, 0.0);
    diagonal_.resize(stride_, 0.0f);
    up_gate_.resize(stride_, -kInfinity);
    low_gate_.resize(stride_, kInfinity);
    low_gradient_.resize(stride_, kInfinity);
    zeros_.resize(stride_, 0.0f);
    live_.resize(stride_, 0);
    tag_.resize(stride_, -1);
    rows_.resize(stride_, nullptr);
    last_use_.resize(stride_, 0);
    was_held_.resize(stride_, 0);
    caught_up_.resize(stride_, 0);
    drop_oldest_rows(affordable_rows(), -1);
    // In order of address, so that the old pool returns its slabs while the new one grows.
    std::vector<int> held;
    for (int slot = 0; slot < used_; ++slot)
        if (rows_[slot]) held.push_back(slot);
    std::sort(held.begin(), held.end(), [&](int a, int b) { return rows_[a] < rows_[b]; });
    auto wider = std::make_unique<RowPool>(stride_, slabs_);
    for (int slot : held) {
        float* row = wider->take();
        std::copy_n(rows_[slot], padded(), row);
        pool_->give_back(rows_[slot]);
        rows_[slot] = row;
    }
    pool_ = std::move(wider);
}

void ActiveSet::hold_row(int slot) {
    if (!rows_[slot]) {
        rows_[slot] = pool_->take();
        ++held_rows_;
    }
    // Passes over a row run to a multiple of 64; what lies behind the last slot must be finite.
    std::fill(rows_[slot] + std::min(used_, operand_.size()), rows_[slot] + padded(), 0.0f);
    last_use_[slot] = steps_;
    caught_up_[slot] = arrivals_.size();
}

void ActiveSet::drop_row(int slot) {
    if (!rows_[slot]) return;
    pool_->give_back(rows_[slot]);
    rows_[slot] = nullptr;
    --held_rows_;
}

int ActiveSet::take_slot() {
    if (!free_.empty()) {
        const int slot = free_.back();
        free_.pop_back();
        return slot;
    }
    widen_rows(used_ + 1);
    if (used_ % 64 == 0)
        for (float* row : rows_)
            if (row) std::fill_n(row + used_, 64, 0.0f);
    return used_++;
}

void ActiveSet::set_gates(int slot) {
    const double lower = y_[slot] > 0 ? 0.0 : -cost_[slot];
    const double upper = y_[slot] > 0 ? cost_[slot] : 0.0;
    up_gate_[slot] = live_[slot] && alpha_[slot] < upper ? 0.0f : -kInfinity;
    low_gate_[slot] = live_[slot] && alpha_[slot] > lower ? 0.0f : kInfinity;
}

void ActiveSet::place(int slot, const ActiveRow& row) {
    operand_.assign(slot, row.row);
    tag_[slot] = row.tag;
    y_[slot] = row.y;
    cost_[slot] = row.cost;
    alpha_[slot] = row.alpha;
    gradient_[slot] = row.gradient;
    diagonal_[slot] = static_cast<float>(source_.diagonal(row.row));
    live_[slot] = 1;
    was_held_[slot] = 0;
    set_gates(slot);
}

void ActiveSet::remove(int slot) {
    live_[slot] = 0;
    alpha_[slot] = 0.0;
    tag_[slot] = -1;
    set_gates(slot);
    drop_row(slot);
    free_.push_back(slot);
}

void ActiveSet::insert(const std::vector<ActiveRow>& rows, bool fetch, Control& control,
                       const Progress& progress) {
    widen_rows(used_ + std::max(0, static_cast<int>(rows.size()) - static_cast<int>(free_.size())));
    std::vector<int> slots;
    slots.reserve(rows.size());
    for (const ActiveRow& row : rows) {
        const int slot = take_slot();
        place(slot, row);
        slots.push_back(slot);
    }
    const std::vector<float*> held_before = rows_;
    // The part of the cache that rows in use may need stays theirs.
    const std::size_t room = static_cast<std::size_t>(std::max(0, affordable_rows() - held_rows_));
    std::vector<int> with_row, without_row;
    for (std::size_t i = 0; i < slots.size(); ++i)
        (fetch && i < room ? with_row : without_row).push_back(slots[i]);
    const int at_once = std::min(
        kBlockRows, source_.kernel().rows_between_polls(source_.matrix(), operand_.size()));
    if (!without_row.empty() && held_rows_ > 0) {
        // Rows already held lack the columns of these slots.
        Operand arrived = source_.operand();
        std::vector<std::int32_t> ids, held_ids;
        std::vector<int> held;
        for (int slot : without_row) ids.push_back(operand_.row(slot));
        for (int slot = 0; slot < used_; ++slot)
            if (rows_[slot]) held.push_back(slot), held_ids.push_back(operand_.row(slot));
        arrived.assign(ids);
        AlignedVector<float> block(kBlockRows * ids.size());
        std::vector<float*> out(kBlockRows);
        for (int i = 0; i < kBlockRows; ++i) out[i] = block.data() + i * ids.size();
        for (std::size_t from = 0; from < held.size() && !control.poll(progress); from += at_once) {
            const int count = static_cast<int>(std::min<std::size_t>(at_once, held.size() - from));
            source_.compute(held_ids.data() + from, count, arrived, out.data());
            for (int i = 0; i < count; ++i)
                for (std::size_t j = 0; j < ids.size(); ++j)
                    rows_[held[from + i]][without_row[j]] = out[i][j];
        }
    }
    for (std::size_t from = 0; from < with_row.size() && !control.poll(progress); from += at_once) {
        const std::size_t to = std::min(with_row.size(), from + at_once);
        compute_rows({with_row.begin() + from, with_row.begin() + to}, &held_before);
    }
    find_extremes();
}

void ActiveSet::restore(const std::vector<ActiveRow>& rows, const std::vector<std::int32_t>& slots,
                        const std::vector<std::int32_t>& closed) {
    const int count = static_cast<int>(rows.size() + closed.size());
    widen_rows(count);
    used_ = count;
    free_.assign(closed.begin(), closed.end());
    for (std::size_t i = 0; i < rows.size(); ++i) place(slots[i], rows[i]);
    find_extremes();
}

int ActiveSet::insert_known(const ActiveRow& row, const float* kernel_row) {
    const int slot = take_slot();
    place(slot, row);
    while (held_rows_ >= affordable_rows() && wanted_bytes_ < cache_bytes_)
        wanted_bytes_ += wanted_bytes_ / 2;
    // Many at a time, because each round looks at all rows held.
    if (held_rows_ >= affordable_rows())
        drop_oldest_rows(affordable_rows() - 1 - affordable_rows() / 8, -1);
    hold_row(slot);
    float* own = rows_[slot];
    std::copy_n(kernel_row, used_, own);
    own[slot] = diagonal_[slot];
    // Rows held get the new column when they are next used: most have reached their limit and
    // never are.
    arrivals_.push_back(slot);
    caught_up_[slot] = arrivals_.size();
    if (arrivals_.size() > 65536 + 16 * static_cast<std::size_t>(used_)) forget_arrivals();
    return slot;
}

// A long stream must not leave a long list behind.
void ActiveSet::forget_arrivals() {
    for (int slot = 0; slot < used_; ++slot)
        if (rows_[slot]) catch_up(slot);
    arrivals_.clear();
    std::fill(caught_up_.begin(), caught_up_.end(), 0);
}

void ActiveSet::catch_up(int slot) {
    float* row = rows_[slot];
    // A row that came later has the value, because this one was there when it came.
    for (std::size_t i = caught_up_[slot]; i < arrivals_.size(); ++i)
        if (const float* other = rows_[arrivals_[i]]) row[arrivals_[i]] = other[slot];
    caught_up_[slot] = arrivals_.size();
}

// Computes whole kernel rows of these slots, and fills their columns in the rows of `mirror`.
void ActiveSet::compute_rows(const std::vector<int>& slots, const std::vector<float*>* mirror) {
    std::vector<std::int32_t> ids;
    std::vector<float*> out;
    for (int slot : slots) {
        ids.push_back(operand_.row(slot));
        hold_row(slot);
        out.push_back(rows_[slot]);
    }
    const int count = static_cast<int>(slots.size());
    source_.compute(ids.data(), count, operand_, out.data());
    for (int i = 0; i < count; ++i) out[i][slots[i]] = diagonal_[slots[i]];
    if (!mirror) return;
    // Sixteen neighbouring values of a row are one cache line.
    for (int from = 0; from < used_; from += 16) {
        const int to = std::min(used_, from + 16);
        for (int i = 0; i < count; ++i)
            for (int other = from; other < to; ++other)
                if ((*mirror)[other]) (*mirror)[other][slots[i]] = out[i][other];
    }
}

void ActiveSet::drop_oldest_rows(int keep, int pinned) {
    if (held_rows_ <= keep) return;
    // A row about to go may hold values that others have still to take from it.
    for (int slot = 0; slot < used_; ++slot)
        if (rows_[slot]) catch_up(slot);
    std::vector<int> held;
    for (int slot = 0; slot < used_; ++slot)
        if (rows_[slot] && slot != pinned) held.push_back(slot);
    const int drop = std::min(static_cast<int>(held.size()), held_rows_ - keep);
    std::nth_element(held.begin(), held.begin() + drop - 1, held.end(), [&](int a, int b) {
        return last_use_[a] != last_use_[b] ? last_use_[a] < last_use_[b] : a < b;
    });
    for (int i = 0; i < drop; ++i) {
        drop_row(held[i]);
        was_held_[held[i]] = 1;
    }
}

const float* ActiveSet::kernel_row(int slot, int pinned) {
    last_use_[slot] = steps_;
    if (rows_[slot]) {
        catch_up(slot);
        return rows_[slot];
    }
    // One missing row is a matrix-vector product; computing the next likely ones with it costs
    // little more. Likely are the rows that violate most.
    std::vector<std::pair<double, int>> likely;
    const double middle = 0.5 * (extremes_.up_value + extremes_.low_value);
    for (int other = 0; other < used_; ++other) {
        if (rows_[other] || !live_[other] || other == slot) continue;
        const double excess = std::max(up_gate_[other] == 0.0f ? gradient_[other] - middle : 0.0,
                                       low_gate_[other] == 0.0f ? middle - gradient_[other] : 0.0);
        if (excess > 0.0) likely.push_back({-excess, other});
    }
    const int most = std::min(kRowsAtOnce, std::max(1, affordable_rows() / 4));
    const int extra = std::min(most - 1, static_cast<int>(likely.size()));
    std::partial_sort(likely.begin(), likely.begin() + extra, likely.end());
    std::vector<int> wanted = {slot};
    for (int i = 0; i < extra; ++i) wanted.push_back(likely[i].second);
    note_recomputed(static_cast<int>(
        std::count_if(wanted.begin(), wanted.end(), [&](int other) { return was_held_[other]; })));
    drop_oldest_rows(std::max(1, affordable_rows() - static_cast<int>(wanted.size())), pinned);
    compute_rows(wanted, nullptr);
    return rows_[slot];
}

void ActiveSet::pass(const float* row_up, const float* row_low, double by) {
    // The partner is sought in float32, whose grain must be fine where the extremes lie. They move
    // little in one step, so the last ones tell where that is.
    if (has_pair()) origin_ = 0.5 * (extremes_.up_value + extremes_.low_value);
    extremes_ = loops_.update(padded(), row_up, row_low, by, gradient_.data(), up_gate_.data(),
                              low_gate_.data(), origin_, low_gradient_.data());
}

void ActiveSet::find_extremes() { pass(zeros_.data(), zeros_.data(), 0.0); }

void ActiveSet::go_back(const Position& position) {
    alpha_ = position.alpha;
    gradient_ = position.gradient;
    for (int slot = 0; slot < used_; ++slot) set_gates(slot);
    find_extremes();
}

void ActiveSet::step(int up, int low) {
    const float* row_up = kernel_row(up, low);
    const float* row_low = kernel_row(low, up);
    const double curvature =
        std::max(static_cast<double>(diagonal_[up]) + diagonal_[low] - 2.0 * row_up[low], 1e-12);
    const double room_up = (y_[up] > 0 ? cost_[up] : 0.0) - alpha_[up];
    const double room_low = alpha_[low] - (y_[low] > 0 ? 0.0 : -cost_[low]);
    double by = std::max(0.0, gradient_[up] - gradient_[low]) / curvature;
    by = std::min(by, std::min(room_up, room_low));
    // A coefficient within rounding of its limit is put on it: a step too small to change the sum
    // would otherwise be repeated for ever.
    const double grain_up = 1e-14 * cost_[up], grain_low = 1e-14 * cost_[low];
    alpha_[up] = room_up - by <= grain_up ? (y_[up] > 0 ? cost_[up] : 0.0) : alpha_[up] + by;
    alpha_[low] = room_low - by <= grain_low ? (y_[low] > 0 ? 0.0 : -cost_[low]) : alpha_[low] - by;
    set_gates(up);
    set_gates(low);
    pass(row_up, row_low, by);
    ++steps_;
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
        int low =
            loops_.partner(padded(), kernel_row(up, -1), low_gradient_.data(), diagonal_.data(),
                           static_cast<float>(extremes_.up_value - origin_), diagonal_[up]);
        // The search sees float32; a pair must violate in float64 as well. The extreme one does.
        if (low < 0 || low == up || !(gradient_[low] < gradient_[up])) low = extremes_.low;
        step(up, low);
        if (steps_ % kStepsPerPoll == 0) {
            progress->steps = steps_;
            progress->gap = gap();
            progress->active = size();
            if (control.poll(*progress)) return;
        }
    }
}

}  // namespace rarebit
