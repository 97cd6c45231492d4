#include "kernel/gram.hpp"

#include <algorithm>
#include <numeric>

#include "threads.hpp"

namespace rarebit {
namespace {

constexpr int kRowsAtOnce = 96;  // rows protected by one caller at a time
constexpr std::int64_t kColumns =
    1024;  // columns laid out at a time: the matrix is never copied whole
constexpr std::int64_t kBlock = 256;  // side of the blocks on the diagonal of a gram filled at once

}  // namespace

Gram::Gram(const Kernel& kernel, const Matrix& matrix, std::size_t budget_bytes)
    : kernel_(kernel),
      matrix_(matrix),
      pool_(static_cast<std::size_t>(std::max<std::int64_t>(1, matrix.rows))),
      entries_(matrix.rows) {
    const std::size_t row_bytes = pool_.length() * sizeof(float);
    affordable_ =
        std::min<std::int64_t>(matrix.rows, static_cast<std::int64_t>(budget_bytes / row_bytes));
}

std::int64_t Gram::rows_held() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return held_;
}

// Lets the longest unused rows go; rows in use stay, so the budget may be passed for a moment.
void Gram::make_room(int rows) {
    const std::int64_t leave = held_ + rows - affordable_;
    if (leave <= 0) return;
    std::vector<std::int32_t> idle;
    for (std::size_t i = 0; i < entries_.size(); ++i)
        if (entries_[i].state == State::ready && entries_[i].readers == 0)
            idle.push_back(static_cast<std::int32_t>(i));
    const std::size_t drop = std::min<std::size_t>(idle.size(), static_cast<std::size_t>(leave));
    if (drop == 0) return;
    std::nth_element(idle.begin(), idle.begin() + (drop - 1), idle.end(),
                     [&](std::int32_t a, std::int32_t b) {
                         return entries_[a].last_use < entries_[b].last_use;
                     });
    for (std::size_t i = 0; i < drop; ++i) {
        Entry& entry = entries_[idle[i]];
        pool_.give_back(entry.values);
        entry = Entry();
    }
    held_ -= static_cast<std::int64_t>(drop);
}

void Gram::acquire(const std::int32_t* rows, int count) {
    std::vector<std::int32_t> missing;
    std::unique_lock<std::mutex> lock(mutex_);
    ++clock_;
    in_use_ += count;
    std::int64_t present = 0;
    for (int i = 0; i < count; ++i) {
        Entry& entry = entries_[rows[i]];
        ++entry.readers;
        entry.last_use = clock_;
        if (entry.state != State::absent) {
            ++present;
            continue;
        }
        entry.state = State::coming;
        missing.push_back(rows[i]);
    }
    reused_ += present * static_cast<std::int64_t>(entries_.size());
    if (!missing.empty()) {
        make_room(static_cast<int>(missing.size()));
        for (std::int32_t row : missing) entries_[row].values = pool_.take();
        held_ += static_cast<std::int64_t>(missing.size());
        lock.unlock();
        fill_rows(missing);
        lock.lock();
        for (std::int32_t row : missing) entries_[row].state = State::ready;
        arrived_.notify_all();
    }
    // Own rows are done before waiting for others', so two callers never wait for each other.
    arrived_.wait(lock, [&] {
        return std::all_of(rows, rows + count,
                           [&](std::int32_t row) { return entries_[row].state == State::ready; });
    });
}

void Gram::release(const std::int32_t* rows, int count) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (int i = 0; i < count; ++i) --entries_[rows[i]].readers;
    in_use_ -= count;
    if (in_use_ == 0) arrived_.notify_all();
    make_room(0);
}

void Gram::fill_rows(const std::vector<std::int32_t>& rows) {
    const int count = static_cast<int>(rows.size());
    std::vector<float*> out(count);
    for (std::int64_t from = 0; from < matrix_.rows; from += kColumns) {
        const std::int64_t to = std::min(matrix_.rows, from + kColumns);
        std::vector<std::int32_t> ids(to - from);
        std::iota(ids.begin(), ids.end(), static_cast<std::int32_t>(from));
        PackedRows right(kernel_, matrix_);
        right.assign(ids);
        for (int i = 0; i < count; ++i) out[i] = entries_[rows[i]].values + from;
        kernel_.compute({&matrix_, rows.data(), 0, count}, right, out.data());
    }
    computed_ += static_cast<std::int64_t>(count) * matrix_.rows;
}

bool Gram::fill() {
    const std::int64_t n = matrix_.rows;
    if (affordable_ < n) return false;
    std::vector<std::int32_t> rows(n);
    std::iota(rows.begin(), rows.end(), 0);
    std::unique_lock<std::mutex> lock(mutex_);
    arrived_.wait(lock, [&] { return in_use_ == 0; });
    for (Entry& entry : entries_) {
        if (!entry.values) entry.values = pool_.take();
        entry.state = State::ready;
    }
    held_ = n;
    std::vector<float*> out(n);
    PackedRows right(kernel_, matrix_);
    for (std::int64_t from = 0; from < n; from += kBlock) {
        const std::int64_t to = std::min(n, from + kBlock);
        right.assign({rows.begin() + from, rows.begin() + to});
        for (std::int64_t i = 0; i < to; ++i) out[i] = entries_[i].values + from;
        kernel_.compute({&matrix_, rows.data(), 0, static_cast<int>(to)}, right, out.data());
        computed_ += to * (to - from);
        mirror(from, to);
    }
    return true;
}

// Copies the values of the rows above a diagonal block to its left.
void Gram::mirror(std::int64_t from, std::int64_t to) {
    constexpr int side = 32;  // a patch of either orientation stays in the first cache
    run_ranges(static_cast<int>(to - from), side, threads_allowed(), [&](int, int first, int last) {
        for (std::int64_t left = 0; left < from; left += side)
            for (std::int64_t top = from + first; top < from + last; top += side)
                for (std::int64_t i = top; i < std::min(from + last, top + side); ++i)
                    for (std::int64_t j = left; j < std::min(from, left + side); ++j)
                        entries_[i].values[j] = entries_[j].values[i];
    });
}

void Gram::compute(const std::int32_t* rows, int count, const PackedRows& right,
                   float* const* out) {
    for (int from = 0; from < count; from += kRowsAtOnce) {
        const int part = std::min(kRowsAtOnce, count - from);
        acquire(rows + from, part);
        for (int i = 0; i < part; ++i) {
            const float* values = entries_[rows[from + i]].values;
            const std::int32_t* ids = right.rows().data();
            float* to = out[from + i];
            for (int j = 0; j < right.size(); ++j) to[j] = values[ids[j]];
        }
        release(rows + from, part);
    }
}

void Gram::accumulate(const std::int32_t* rows, int count, const PackedRows& right,
                      const double* coefficients, double* out) {
    // The kernel is symmetric: rows of the expansion are held more often than rows to be scored.
    for (int from = 0; from < right.size(); from += kRowsAtOnce) {
        const int part = std::min(kRowsAtOnce, right.size() - from);
        const std::int32_t* ids = right.rows().data() + from;
        acquire(ids, part);
        for (int j = 0; j < part; ++j) {
            const float* values = entries_[ids[j]].values;
            const double by = coefficients[from + j];
            for (int i = 0; i < count; ++i) out[i] += by * static_cast<double>(values[rows[i]]);
        }
        release(ids, part);
    }
}

}  // namespace rarebit
