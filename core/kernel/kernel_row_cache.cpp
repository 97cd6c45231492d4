#include "kernel/kernel_row_cache.hpp"

#include <algorithm>

#include "threads.hpp"

namespace rarebit {
namespace {

constexpr int kRowsAtOnce = 16;       // kernel rows computed for one that is missing
constexpr int kBlockRows = 192;       // kernel rows computed in one go when rows arrive together
constexpr int kLeastMirrored = 1024;  // columns copied across from which a thread is worth it
constexpr std::size_t kLeastWanted = std::size_t(64) << 20;

}  // namespace

KernelRowCache::KernelRowCache(KernelProvider& provider, std::size_t bytes)
    : provider_(provider),
      bytes_(bytes),
      wanted_bytes_(std::max(kLeastWanted, bytes / 4)),
      packed_rows_(provider.packed_rows()) {
    widen(256);
}

int KernelRowCache::affordable_rows() const {
    const std::size_t bytes = std::min(bytes_, wanted_bytes_);
    const std::size_t rows = bytes / (static_cast<std::size_t>(stride_) * sizeof(float));
    return static_cast<int>(std::min<std::size_t>(std::max<std::size_t>(rows, 4), 1u << 30));
}

int KernelRowCache::rows_at_once() const {
    return std::min(kRowsAtOnce, std::max(1, affordable_rows() / 4));
}

// Most rows reach their limit and are not needed again, so a quarter of the cache is often enough,
// and memory never touched costs nothing. Rows computed a second time are the sign to take more.
void KernelRowCache::note_recomputed(int rows) {
    recomputed_ += rows;
    if (4 * recomputed_ < affordable_rows()) return;
    recomputed_ = 0;
    if (wanted_bytes_ < bytes_) wanted_bytes_ += wanted_bytes_ / 2;
}

bool KernelRowCache::widen(int slots) {
    if (slots <= stride_) return false;
    const int old = stride_;
    stride_ = (std::max(slots, old + old / 4) + 63) / 64 * 64;
    diagonal_.resize(stride_, 0.0f);
    held_.resize(stride_, nullptr);
    last_use_.resize(stride_, 0);
    was_held_.resize(stride_, 0);
    caught_up_.resize(stride_, 0);
    drop_oldest(affordable_rows(), -1);
    // In order of address, so that the old pool returns its slabs while the new one grows.
    std::vector<int> held;
    for (int slot = 0; slot < used_; ++slot)
        if (held_[slot]) held.push_back(slot);
    std::sort(held.begin(), held.end(), [&](int a, int b) { return held_[a] < held_[b]; });
    auto wider = std::make_unique<RowPool>(stride_, slabs_);
    for (int slot : held) {
        float* row = wider->take();
        std::copy_n(held_[slot], padded(), row);
        pool_->give_back(held_[slot]);
        held_[slot] = row;
    }
    pool_ = std::move(wider);
    return true;
}

int KernelRowCache::open_slot() {
    widen(used_ + 1);
    if (used_ % 64 == 0)
        for (float* row : held_)
            if (row) std::fill_n(row + used_, 64, 0.0f);
    return used_++;
}

void KernelRowCache::open_slots(int count) {
    widen(count);
    used_ = count;
}

void KernelRowCache::assign(int slot, std::int32_t row) {
    packed_rows_.assign(slot, row);
    diagonal_[slot] = static_cast<float>(provider_.diagonal(row));
    was_held_[slot] = 0;
}

void KernelRowCache::hold(int slot) {
    if (!held_[slot]) {
        held_[slot] = pool_->take();
        ++n_held_;
    }
    // Passes over a row run to a multiple of 64; what lies behind the last slot must be finite.
    std::fill(held_[slot] + std::min(used_, packed_rows_.size()), held_[slot] + padded(), 0.0f);
    last_use_[slot] = now_;
    caught_up_[slot] = arrivals_.size();
}

void KernelRowCache::drop(int slot) {
    if (!held_[slot]) return;
    pool_->give_back(held_[slot]);
    held_[slot] = nullptr;
    --n_held_;
}

void KernelRowCache::add(const std::vector<int>& slots, bool fetch, Control& control,
                         const Progress& progress) {
    const std::vector<float*> held_before = held_;
    // The part of the cache that rows in use may need stays theirs.
    const std::size_t room = static_cast<std::size_t>(std::max(0, affordable_rows() - n_held_));
    std::vector<int> with_row, without_row;
    for (std::size_t i = 0; i < slots.size(); ++i)
        (fetch && i < room ? with_row : without_row).push_back(slots[i]);
    const int at_once = std::min(
        kBlockRows, provider_.kernel().rows_between_polls(provider_.matrix(), packed_rows_.size()));
    if (!without_row.empty() && n_held_ > 0) add_columns(without_row, at_once, control, progress);
    for (std::size_t from = 0; from < with_row.size() && !control.poll(progress); from += at_once) {
        const std::size_t to = std::min(with_row.size(), from + at_once);
        compute({with_row.begin() + from, with_row.begin() + to}, &held_before);
    }
}

// Computes the columns of these slots in the rows held.
void KernelRowCache::add_columns(const std::vector<int>& slots, int at_once, Control& control,
                                 const Progress& progress) {
    PackedRows arrived = provider_.packed_rows();
    std::vector<std::int32_t> ids, held_ids;
    std::vector<int> held;
    for (int slot : slots) ids.push_back(packed_rows_.row(slot));
    for (int slot = 0; slot < used_; ++slot)
        if (held_[slot]) held.push_back(slot), held_ids.push_back(packed_rows_.row(slot));
    arrived.assign(ids);
    AlignedVector<float> block(kBlockRows * ids.size());
    std::vector<float*> out(kBlockRows);
    for (int i = 0; i < kBlockRows; ++i) out[i] = block.data() + i * ids.size();
    for (std::size_t from = 0; from < held.size() && !control.poll(progress); from += at_once) {
        const int count = static_cast<int>(std::min<std::size_t>(at_once, held.size() - from));
        provider_.compute(held_ids.data() + from, count, arrived, out.data());
        for (int i = 0; i < count; ++i)
            for (std::size_t j = 0; j < ids.size(); ++j)
                held_[held[from + i]][slots[j]] = out[i][j];
    }
}

void KernelRowCache::add_known(int slot, const float* values) {
    while (n_held_ >= affordable_rows() && wanted_bytes_ < bytes_)
        wanted_bytes_ += wanted_bytes_ / 2;
    // Many at a time, because each round looks at all rows held.
    if (n_held_ >= affordable_rows())
        drop_oldest(affordable_rows() - 1 - affordable_rows() / 8, -1);
    hold(slot);
    std::copy_n(values, used_, held_[slot]);
    held_[slot][slot] = diagonal_[slot];
    // Rows held get the new column when they are next used: most have reached their limit and
    // never are.
    arrivals_.push_back(slot);
    caught_up_[slot] = arrivals_.size();
    if (arrivals_.size() <= 65536 + 16 * static_cast<std::size_t>(used_)) return;
    // A long stream must not leave a long list behind.
    catch_up_all();
    arrivals_.clear();
    std::fill(caught_up_.begin(), caught_up_.end(), 0);
}

void KernelRowCache::catch_up(int slot) {
    float* row = held_[slot];
    // A row that came later has the value, because this one was there when it came.
    for (std::size_t i = caught_up_[slot]; i < arrivals_.size(); ++i)
        if (const float* other = held_[arrivals_[i]]) row[arrivals_[i]] = other[slot];
    caught_up_[slot] = arrivals_.size();
}

void KernelRowCache::catch_up_all() {
    for (int slot = 0; slot < used_; ++slot)
        if (held_[slot]) catch_up(slot);
}

// Computes whole kernel rows of these slots, and fills their columns in the rows of `mirror`.
void KernelRowCache::compute(const std::vector<int>& slots, const std::vector<float*>* mirror) {
    std::vector<std::int32_t> ids;
    std::vector<float*> out;
    for (int slot : slots) {
        ids.push_back(packed_rows_.row(slot));
        hold(slot);
        out.push_back(held_[slot]);
    }
    const int count = static_cast<int>(slots.size());
    provider_.compute(ids.data(), count, packed_rows_, out.data());
    for (int i = 0; i < count; ++i) out[i][slots[i]] = diagonal_[slots[i]];
    if (!mirror) return;
    // Sixteen neighbouring values of a row are one cache line.
    run_ranges(used_, kLeastMirrored, threads_allowed(), [&](int, int first, int last) {
        for (int from = first; from < last; from += 16) {
            const int to = std::min(last, from + 16);
            for (int i = 0; i < count; ++i)
                for (int other = from; other < to; ++other)
                    if ((*mirror)[other]) (*mirror)[other][slots[i]] = out[i][other];
        }
    });
}

void KernelRowCache::drop_oldest(int keep, int pinned) {
    if (n_held_ <= keep) return;
    // A row about to go may hold values that others have still to take from it.
    catch_up_all();
    std::vector<int> held;
    for (int slot = 0; slot < used_; ++slot)
        if (held_[slot] && slot != pinned) held.push_back(slot);
    const int count = std::min(static_cast<int>(held.size()), n_held_ - keep);
    std::nth_element(held.begin(), held.begin() + count - 1, held.end(), [&](int a, int b) {
        return last_use_[a] != last_use_[b] ? last_use_[a] < last_use_[b] : a < b;
    });
    for (int i = 0; i < count; ++i) {
        drop(held[i]);
        was_held_[held[i]] = 1;
    }
}

const float* KernelRowCache::find(int slot) {
    last_use_[slot] = now_;
    if (held_[slot]) catch_up(slot);
    return held_[slot];
}

const float* KernelRowCache::fetch(const std::vector<int>& slots, int pinned) {
    note_recomputed(static_cast<int>(
        std::count_if(slots.begin(), slots.end(), [&](int slot) { return was_held_[slot]; })));
    drop_oldest(std::max(1, affordable_rows() - static_cast<int>(slots.size())), pinned);
    compute(slots, nullptr);
    return held_[slots[0]];
}

}  // namespace rarebit
