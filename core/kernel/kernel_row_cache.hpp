// The kernel rows between the rows that a solver works on, as far as memory allows: which are
// held, which are dropped, and which are computed together.
//
// Rows live in slots. A kernel row has one value per slot; it is held or computed when needed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "control.hpp"
#include "kernel/kernel_provider.hpp"
#include "kernel/row_pool.hpp"

namespace rarebit {

class KernelRowCache {
  public:
    KernelRowCache(KernelProvider& provider, std::size_t bytes);

    // Changes how much memory kernel rows may take.
    void set_bytes(std::size_t bytes) { bytes_ = bytes; }
    // Makes room for this many slots; returns whether the stride has grown.
    bool widen(int slots);
    // Opens one more slot; returns it.
    int open_slot();
    // Opens this many slots of an empty cache.
    void open_slots(int count);
    // Says which row of the provider's matrix lives in a slot.
    void assign(int slot, std::int32_t row);

    // Completes the kernel rows held by the values of rows that came into `slots`; `fetch` computes
    // the kernel rows of as many of them as there is room for. When the control stops it, values
    // are missing.
    void add(const std::vector<int>& slots, bool fetch, Control& control, const Progress& progress);
    // Holds the kernel row of a row that came into `slot`; its values with all slots are known.
    void add_known(int slot, const float* values);
    void drop(int slot);

    bool holds(int slot) const { return held_[slot]; }
    // The kernel row of a slot, or null where it is not held.
    const float* find(int slot);
    // Computes the kernel rows of slots that have none, others but `pinned` making room; returns
    // the first.
    const float* fetch(const std::vector<int>& slots, int pinned);
    // How many are best fetched together.
    int rows_at_once() const;
    // Counts the time by which rows not used for long are dropped first.
    void tick() { ++now_; }

    int slots() const { return used_; }
    int stride() const { return stride_; }  // values in every kernel row, 64 at a time
    int padded() const { return (used_ + 63) / 64 * 64; }  // of which passes may read these
    const PackedRows& packed_rows() const { return packed_rows_; }
    const AlignedVector<float>& diagonal() const { return diagonal_; }

  private:
    int affordable_rows() const;
    void note_recomputed(int rows);
    void hold(int slot);
    void catch_up(int slot);
    void catch_up_all();
    void drop_oldest(int keep, int pinned);
    void add_columns(const std::vector<int>& slots, int at_once, Control& control,
                     const Progress& progress);
    void compute(const std::vector<int>& slots, const std::vector<float*>* mirror);

    KernelProvider& provider_;
    std::size_t bytes_;         // memory that kernel rows may take
    std::size_t wanted_bytes_;  // and as much of it as seems useful
    PackedRows packed_rows_;
    int used_ = 0;  // slots ever opened
    int stride_ = 0;
    AlignedVector<float> diagonal_;
    std::shared_ptr<SlabStore> slabs_ = std::make_shared<SlabStore>();
    std::unique_ptr<RowPool> pool_;
    std::vector<float*> held_;  // null where the row is not held
    std::vector<std::int64_t> last_use_;
    std::vector<int> arrivals_;           // slots that took rows one by one, in order
    std::vector<std::size_t> caught_up_;  // how many of them a held row has columns of
    std::vector<char> was_held_;          // rows dropped for want of room
    int n_held_ = 0, recomputed_ = 0;
    std::int64_t now_ = 0;
};

}  // namespace rarebit
