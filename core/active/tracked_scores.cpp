#include "active/tracked_scores.hpp"

#include <algorithm>
#include <unordered_set>

#include "threads.hpp"

namespace rarebit {
namespace {

constexpr int kRowsAtOnce = 512;   // rows whose values are turned into columns together
constexpr int kSumsAtOnce = 2048;  // sums that stay in the first-level cache
// Columns that are computed together: what the hot loops take at once, dense or CSR.
constexpr int kColumnsAtOnce = 12, kSparseColumnsAtOnce = kSparseLanes;
constexpr std::size_t kPackedShare = 4;  // one part in so many of the memory may go to packed rows

// What the rows take when they are laid out for the hot loops.
std::size_t packed_bytes(const Kernel& kernel, const Matrix& pool,
                         const std::vector<std::int32_t>& rows) {
    const std::size_t value = kernel.wide() ? sizeof(double) : sizeof(float);
    if (!pool.sparse()) return rows.size() * (pool.columns * value + 16);
    std::size_t bytes = 0;
    for (std::int32_t row : rows) {
        std::int64_t from, to;
        pool.extent(row, &from, &to);
        bytes += static_cast<std::size_t>(to - from) * (value + sizeof(std::int32_t)) + 64;
    }
    return bytes;
}

}  // namespace

TrackedScores::TrackedScores(const Kernel& kernel, const Matrix& pool,
                             std::vector<std::int32_t> rows, std::size_t bytes)
    : kernel_(kernel),
      pool_(pool),
      rows_(std::move(rows)),
      columns_at_once_(pool.sparse() ? kSparseColumnsAtOnce : kColumnsAtOnce) {
    const std::size_t packed = packed_bytes(kernel, pool, rows_);
    // A precomputed kernel has nothing to lay out.
    may_pack_ = kernel.spec().kind != KernelKind::precomputed && packed <= bytes / kPackedShare;
    most_columns_ = (bytes - (may_pack_ ? packed : 0)) /
                    (sizeof(float) * std::max<std::size_t>(rows_.size(), 1));
    memory_ = std::make_unique<RowPool>(std::max<std::size_t>(rows_.size(), 1));
}

void TrackedScores::follow(std::vector<const OnlineSolver*> machines) {
    machines_ = std::move(machines);
    applied_.assign(machines_.size(), {});
    sums_.assign(machines_.size(), std::vector<double>(rows_.size(), 0.0));
}

// What each row's coefficient has become since the last look.
std::vector<TrackedScores::Change> TrackedScores::changes(int machine) {
    std::vector<Change> found;
    for (std::size_t m = 0; m < machines_.size(); ++m) {
        if (machine >= 0 && static_cast<int>(m) != machine) continue;
        const ActiveSet& active = machines_[m]->active();
        std::vector<Applied>& applied = applied_[m];
        applied.resize(std::max<std::size_t>(applied.size(), active.slots()));
        for (int slot = 0; slot < active.slots(); ++slot) {
            Applied& was = applied[slot];
            const bool same = active.open(slot) && active.row(slot) == was.row;
            const double alpha = active.open(slot) ? active.alpha(slot) : 0.0;
            if (same && alpha == was.alpha) continue;
            if (!same && was.alpha != 0.0)
                found.push_back({static_cast<int>(m), was.row, -was.alpha});
            const double by = same ? alpha - was.alpha : alpha;
            was = {active.open(slot) ? active.row(slot) : -1, alpha};
            if (by != 0.0) found.push_back({static_cast<int>(m), was.row, by});
        }
    }
    return found;
}

void TrackedScores::update(const std::vector<std::int32_t>& likely, int machine) {
    const std::vector<Change> found = changes(machine);
    if (found.empty()) return;
    if (!recomputing_) {
        std::vector<std::int32_t> missing;
        for (const Change& change : found)
            if (columns_.count(change.row) == 0 &&
                std::find(missing.begin(), missing.end(), change.row) == missing.end())
                missing.push_back(change.row);
        if (!missing.empty()) {
            const std::size_t needed = missing.size();
            for (std::int32_t row : likely) {
                if (missing.size() % columns_at_once_ == 0) break;
                if (columns_.count(row) == 0 &&
                    std::find(missing.begin(), missing.end(), row) == missing.end())
                    missing.push_back(row);
            }
            if (!hold_columns(missing, found)) {
                missing.resize(needed);
                recomputing_ = !hold_columns(missing, found);
            }
        }
    }
    if (recomputing_) {
        recompute(machine);
        return;
    }
    // Part by part, so that sums stay in the first-level cache while all changes are applied.
    run_ranges(size(), kSumsAtOnce, threads_allowed(), [&](int, int first, int last) {
        for (int from = first; from < last; from += kSumsAtOnce) {
            const int count = std::min(kSumsAtOnce, last - from);
            for (const Change& change : found) {
                const float* column = columns_.at(change.row) + from;
                double* sums = sums_[change.machine].data() + from;
                kernel_.loops().add_row(count, column, change.by, sums);
            }
        }
    });
}

// Computes columns if there is room for them, letting go those of rows without coefficient; a row
// whose coefficient has just gone is still to be taken off the sums.
bool TrackedScores::hold_columns(const std::vector<std::int32_t>& rows,
                                 const std::vector<Change>& to_apply) {
    if (columns_.size() + rows.size() > most_columns_) {
        std::unordered_set<std::int32_t> used;
        for (const Change& change : to_apply) used.insert(change.row);
        for (const auto& applied : applied_)
            for (const Applied& slot : applied)
                if (slot.row >= 0) used.insert(slot.row);
        for (auto it = columns_.begin(); it != columns_.end();) {
            if (used.count(it->first) > 0) {
                ++it;
                continue;
            }
            memory_->give_back(it->second);
            it = columns_.erase(it);
        }
    }
    if (columns_.size() + rows.size() > most_columns_) return false;
    compute_columns(rows);
    return true;
}

void TrackedScores::compute_columns(const std::vector<std::int32_t>& rows) {
    const int columns = static_cast<int>(rows.size());
    std::vector<float*> to(columns);
    for (int j = 0; j < columns; ++j) to[j] = columns_[rows[j]] = memory_->take();
    columns_computed_ += columns;
    if (may_pack_ && !packed_) {
        packed_ = std::make_unique<PackedRows>(kernel_, pool_);
        packed_->assign(rows_);
    }
    if (packed_) {
        // A kernel value depends on its two rows alone: they may change sides.
        kernel_.compute({&pool_, rows.data(), 0, columns}, *packed_, to.data());
        return;
    }
    PackedRows right(kernel_, pool_);
    right.assign(rows);
    AlignedVector<float> block(static_cast<std::size_t>(kRowsAtOnce) * columns);
    std::vector<float*> out(kRowsAtOnce);
    for (int i = 0; i < kRowsAtOnce; ++i)
        out[i] = block.data() + static_cast<std::size_t>(i) * columns;
    for (int from = 0; from < size(); from += kRowsAtOnce) {
        const int count = std::min(kRowsAtOnce, size() - from);
        kernel_.compute({&pool_, rows_.data() + from, 0, count}, right, out.data());
        for (int j = 0; j < columns; ++j)
            for (int i = 0; i < count; ++i) to[j][from + i] = out[i][j];
    }
}

void TrackedScores::recompute(int machine) {
    columns_.clear();
    packed_.reset();
    memory_ = std::make_unique<RowPool>(std::max<std::size_t>(rows_.size(), 1));
    for (std::size_t m = 0; m < machines_.size(); ++m) {
        if (machine >= 0 && static_cast<int>(m) != machine) continue;
        const ActiveSet& active = machines_[m]->active();
        std::fill(sums_[m].begin(), sums_[m].end(), 0.0);
        std::vector<double> coefficients(active.packed_rows().size(), 0.0);
        for (int slot = 0; slot < active.slots(); ++slot)
            if (active.open(slot)) coefficients[slot] = active.alpha(slot);
        for (int from = 0; from < size(); from += kRowsAtOnce) {
            const int count = std::min(kRowsAtOnce, size() - from);
            kernel_.accumulate({&pool_, rows_.data() + from, 0, count}, active.packed_rows(),
                               coefficients.data(), 1, sums_[m].data() + from);
        }
    }
}

}  // namespace rarebit
