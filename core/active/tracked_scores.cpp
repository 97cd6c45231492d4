#include "active/tracked_scores.hpp"

#include <algorithm>
#include <cmath>

#include "threads.hpp"

namespace rarebit {
namespace {

constexpr int kRowsAtOnce = 512;  // rows whose values are turned into columns together
constexpr int kLeastSums = 2048;  // sums that are worth a thread
// Columns that are computed together: what the hot loops take at once, dense or CSR.
constexpr int kColumnsAtOnce = 12, kSparseColumnsAtOnce = kSparseLanes;
// Fewer where rows are laid out for narrow panels: most rows taken for likely are never asked for.
// The longer the rows, the more it costs to read them all once more.
constexpr int kNarrowColumnsAtOnce = 4, kLongNarrowColumnsAtOnce = 8;
constexpr std::int64_t kLongRow = 128;
constexpr std::size_t kGuessesKept = 12;  // times the columns computed at once
constexpr std::size_t kMostNoted = 256;   // changes whose columns may have to be there at once
constexpr std::size_t kPackedShare = 4;   // one part in so many of the memory may go to packed rows

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
    if (may_pack_ && !pool.sparse() && !kernel.wide())
        columns_at_once_ =
            pool.columns < kLongRow ? kNarrowColumnsAtOnce : kLongNarrowColumnsAtOnce;
    most_columns_ = (bytes - (may_pack_ ? packed : 0)) /
                    (sizeof(float) * std::max<std::size_t>(rows_.size(), 1));
    memory_ = std::make_unique<RowPool>(std::max<std::size_t>(rows_.size(), 1));
}

void TrackedScores::follow(std::vector<const OnlineSolver*> machines) {
    machines_ = std::move(machines);
    applied_.assign(machines_.size(), {});
    sums_.assign(machines_.size(), std::vector<double>(rows_.size(), 0.0));
    noted_.clear();
    for (std::size_t m = 0; m < machines_.size(); ++m) hide_left(static_cast<int>(m));
}

// What each row's coefficient has become since the last look.
void TrackedScores::take_down(int machine) {
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
                noted_.push_back({static_cast<int>(m), was.row, -was.alpha});
            const double by = same ? alpha - was.alpha : alpha;
            was = {active.open(slot) ? active.row(slot) : -1, alpha};
            if (by != 0.0) noted_.push_back({static_cast<int>(m), was.row, by});
        }
    }
}

void TrackedScores::note(int machine) {
    take_down(machine);
    if (noted_.size() > kMostNoted) update({}, machine);
}

void TrackedScores::update(const std::vector<std::int32_t>& likely, int machine) {
    take_down(machine);
    if (noted_.empty()) return;
    if (!recomputing_) find_columns(likely);
    if (recomputing_)
        recompute(machine);
    else
        add_noted();
    noted_.clear();
}

void TrackedScores::leave(std::int32_t place) {
    left_.push_back(place);
    for (std::vector<double>& sums : sums_) sums[place] = INFINITY;
}

void TrackedScores::hide_left(int machine) {
    for (std::int32_t place : left_) sums_[machine][place] = INFINITY;
}

// Rows whose columns what was noted needs and nobody has computed.
std::vector<std::int32_t> TrackedScores::missing() const {
    std::vector<std::int32_t> rows;
    for (const Change& change : noted_)
        if (columns_.count(change.row) == 0 &&
            std::find(rows.begin(), rows.end(), change.row) == rows.end())
            rows.push_back(change.row);
    return rows;
}

std::vector<double> TrackedScores::preview(int machine,
                                           const std::vector<std::int32_t>& places) const {
    const std::vector<std::int32_t> lacking = missing();
    std::vector<std::int32_t> rows;
    for (std::int32_t place : places) rows.push_back(rows_[place]);
    const std::size_t width = lacking.size();
    AlignedVector<float> values(rows.size() * width);
    std::vector<float*> out;
    for (std::size_t i = 0; i < rows.size(); ++i) out.push_back(values.data() + i * width);
    PackedRows right(kernel_, pool_);
    right.assign(lacking);
    kernel_.compute({&pool_, rows.data(), 0, static_cast<int>(rows.size())}, right, out.data());
    std::vector<double> sums;
    for (std::int32_t place : places) sums.push_back(sums_[machine][place]);
    for (const Change& change : noted_) {
        if (change.machine != machine) continue;
        const auto column = columns_.find(change.row);
        const std::size_t at =
            std::find(lacking.begin(), lacking.end(), change.row) - lacking.begin();
        for (std::size_t i = 0; i < places.size(); ++i)
            sums[i] +=
                change.by * (column != columns_.end() ? column->second[places[i]] : out[i][at]);
    }
    return sums;
}

void TrackedScores::find_columns(const std::vector<std::int32_t>& likely) {
    std::vector<std::int32_t> rows = missing();
    if (rows.empty()) return;
    const std::size_t needed = rows.size();
    for (std::int32_t row : likely) {
        if (rows.size() % columns_at_once_ == 0) break;
        if (columns_.count(row) == 0 && std::find(rows.begin(), rows.end(), row) == rows.end())
            rows.push_back(row);
    }
    if (hold_columns(rows, needed)) return;
    rows.resize(needed);
    recomputing_ = !hold_columns(rows, needed);
}

void TrackedScores::add_noted() {
    const std::size_t machines = machines_.size();
    std::vector<std::vector<const float*>> columns(machines);
    std::vector<std::vector<double>> by(machines);
    for (const Change& change : noted_) {
        columns[change.machine].push_back(columns_.at(change.row));
        by[change.machine].push_back(change.by);
    }
    run_ranges(size(), kLeastSums, threads_allowed(), [&](int, int first, int last) {
        for (std::size_t m = 0; m < machines; ++m) {
            std::vector<const float*> parts;
            for (const float* column : columns[m]) parts.push_back(column + first);
            kernel_.loops().add_rows(last - first, parts.data(), by[m].data(),
                                     static_cast<int>(parts.size()), sums_[m].data() + first);
        }
    });
}

// Lets go columns of rows without coefficient, but for the last `guesses` computed ahead. A row
// whose coefficient has just gone is still to be taken off the sums.
void TrackedScores::drop_columns(std::size_t guesses) {
    std::vector<std::int32_t> used;
    for (const Change& change : noted_) used.push_back(change.row);
    for (const auto& applied : applied_)
        for (const Applied& slot : applied)
            if (slot.row >= 0) used.push_back(slot.row);
    std::sort(used.begin(), used.end());
    const auto in_use = [&](std::int32_t row) {
        return std::binary_search(used.begin(), used.end(), row);
    };
    guessed_.erase(std::remove_if(guessed_.begin(), guessed_.end(), in_use), guessed_.end());
    if (guessed_.size() > guesses) guessed_.erase(guessed_.begin(), guessed_.end() - guesses);
    for (auto it = columns_.begin(); it != columns_.end();) {
        const std::int32_t row = it->first;
        if (in_use(row) || std::find(guessed_.begin(), guessed_.end(), row) != guessed_.end()) {
            ++it;
            continue;
        }
        memory_->give_back(it->second);
        it = columns_.erase(it);
    }
}

// Computes columns if there is room for them, `needed` of them at once, the others ahead. Memory
// that was never touched costs more than the column: that of idle columns is taken first.
bool TrackedScores::hold_columns(const std::vector<std::int32_t>& rows, std::size_t needed) {
    if (columns_.size() + rows.size() > tidy_from_) {
        drop_columns(kGuessesKept * columns_at_once_);
        tidy_from_ = std::max(tidy_from_, (columns_.size() + rows.size()) / 8 * 9);
    }
    if (columns_.size() + rows.size() > most_columns_) drop_columns(0);
    if (columns_.size() + rows.size() > most_columns_) return false;
    compute_columns(rows);
    guessed_.insert(guessed_.end(), rows.begin() + needed, rows.end());
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
    guessed_.clear();
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
        hide_left(static_cast<int>(m));
    }
}

}  // namespace rarebit
