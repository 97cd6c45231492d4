// The rows that a solver works on: coefficients, gradients and the kernel rows between them.
//
//   y_i      +1 or -1                          a_i   coefficient, signed as y_i
//   [l_i,u_i]  [0, C_i] or [-C_i, 0]           g_i   y_i - sum_j a_j K_ij
//
// The dual D(a) = sum a_i y_i - 1/2 a'Ka under sum a_i = 0 is at its top when
// max {g_i : a_i < u_i} - min {g_i : a_i > l_i} <= tolerance. One step moves such a pair in
// opposite directions by the same amount. Batch and online solver share this step.
//
// Rows live in slots. A removed row leaves a closed slot that the next row takes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "control.hpp"
#include "hot_loops.hpp"
#include "row_pool.hpp"
#include "source.hpp"

namespace rarebit {

struct ActiveRow {
    std::int32_t row;  // in the source's matrix
    std::int32_t tag;  // whatever the solver calls it
    double y;
    double cost;
    double alpha;
    double gradient;
};

class ActiveSet {
  public:
    ActiveSet(Source& source, std::size_t cache_bytes);

    // Changes how much memory kernel rows may take.
    void set_cache(std::size_t bytes) { cache_bytes_ = bytes; }
    // Makes room for this many slots at once; growing slot by slot moves kernel rows around.
    void reserve(int slots) { widen_rows(slots); }

    // Adds rows. `fetch` computes their kernel rows at once, as far as the cache allows. When the
    // control stops it, the set is fit for nothing but reading coefficients.
    void insert(const std::vector<ActiveRow>& rows, bool fetch, Control& control,
                const Progress& progress);
    void insert(const std::vector<ActiveRow>& rows, bool fetch) {
        Control unwatched;
        insert(rows, fetch, unwatched, Progress());
    }
    // Adds one row whose kernel values with all slots are known; returns its slot.
    int insert_known(const ActiveRow& row, const float* kernel_row);
    void remove(int slot);
    // Adds rows at the given slots of an empty set; `closed` slots come free in that order, last
    // first.
    void restore(const std::vector<ActiveRow>& rows, const std::vector<std::int32_t>& slots,
                 const std::vector<std::int32_t>& closed);

    // Steps until the gap is at most `tolerance`, the steps are used up, or the control says stop.
    void solve(double tolerance, std::int64_t most_steps, Control& control, Progress* progress);
    // Coefficients and gradients, to go back to after some steps; no row may come or go between.
    struct Position {
        AlignedVector<double> alpha, gradient;
    };
    Position position() const { return {alpha_, gradient_}; }
    void go_back(const Position& position);
    // One step on the most violating pair; false when there is none.
    bool step_extremes();
    // One step between these two slots.
    void step(int up, int low);

    int slots() const { return used_; }  // closed ones included
    int size() const { return used_ - static_cast<int>(free_.size()); }
    bool open(int slot) const { return live_[slot]; }
    const std::vector<int>& closed_slots() const { return free_; }
    double alpha(int slot) const { return alpha_[slot]; }
    double gradient(int slot) const { return gradient_[slot]; }
    double y(int slot) const { return y_[slot]; }
    double cost(int slot) const { return cost_[slot]; }
    std::int32_t tag(int slot) const { return tag_[slot]; }
    std::int32_t row(int slot) const { return operand_.row(slot); }
    const Operand& operand() const { return operand_; }
    const double* alphas() const { return alpha_.data(); }

    double up_value() const { return extremes_.up_value; }
    double low_value() const { return extremes_.low_value; }
    int up_slot() const { return extremes_.up; }
    int low_slot() const { return extremes_.low; }
    bool has_pair() const { return extremes_.up >= 0 && extremes_.low >= 0; }
    double gap() const { return has_pair() ? extremes_.up_value - extremes_.low_value : 0.0; }
    // The constant of the decision function; with rows of one class only, their own side.
    double bias() const;
    std::int64_t steps() const { return steps_; }

    // Sets a gradient from outside (a more exact one); call find_extremes() after the last.
    void set_gradient(int slot, double value) { gradient_[slot] = value; }
    void find_extremes();

  private:
    int take_slot();
    void pass(const float* row_up, const float* row_low, double by);
    void place(int slot, const ActiveRow& row);
    void set_gates(int slot);
    void widen_rows(int columns);
    int affordable_rows() const;
    void note_recomputed(int rows);
    void hold_row(int slot);
    void drop_row(int slot);
    void catch_up(int slot);
    void forget_arrivals();
    void drop_oldest_rows(int keep, int pinned);
    void compute_rows(const std::vector<int>& slots, const std::vector<float*>* mirror);
    const float* kernel_row(int slot, int pinned);
    int padded() const { return (used_ + 63) / 64 * 64; }

    Source& source_;
    std::size_t cache_bytes_;   // memory that kernel rows may take
    std::size_t wanted_bytes_;  // and as much of it as seems useful
    const HotLoops& loops_ = hot_loops();
    Operand operand_;
    int used_ = 0;    // slots ever opened
    int stride_ = 0;  // floats in every kernel row, and length of the arrays below
    std::vector<int> free_;
    std::vector<char> live_;
    std::vector<std::int32_t> tag_;
    AlignedVector<double> y_, cost_, alpha_, gradient_;
    AlignedVector<float> diagonal_, up_gate_, low_gate_, low_gradient_, zeros_;
    std::shared_ptr<SlabStore> slabs_ = std::make_shared<SlabStore>();
    std::unique_ptr<RowPool> pool_;
    std::vector<float*> rows_;  // null where the row is not held
    std::vector<std::int64_t> last_use_;
    std::vector<int> arrivals_;           // slots that took rows one by one, in order
    std::vector<std::size_t> caught_up_;  // how many of them a held row has columns of
    std::vector<char> was_held_;          // rows dropped for want of room
    int held_rows_ = 0, recomputed_ = 0;
    std::int64_t steps_ = 0;
    Extremes extremes_{0.0, 0.0};
    double origin_ = 0.0;  // what low_gradient_ is counted from
};

}  // namespace rarebit
