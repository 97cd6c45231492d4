// The rows that a solver works on: coefficients, gradients and steps that raise the dual.
//
//   y_i      +1 or -1                          a_i   coefficient, signed as y_i
//   [l_i,u_i]  [0, C_i] or [-C_i, 0]           g_i   y_i - sum_j a_j K_ij
//
// The dual D(a) = sum a_i y_i - 1/2 a'Ka under sum a_i = 0 is at its top when
// max {g_i : a_i < u_i} - min {g_i : a_i > l_i} <= tolerance. One step moves such a pair in
// opposite directions by the same amount. Batch and online solver share this step.
//
// Rows live in slots; KernelRowCache has the kernel rows between them. A removed row leaves a
// closed slot that the next row takes.
#pragma once

#include <cstdint>
#include <vector>

#include "control.hpp"
#include "kernel/kernel_provider.hpp"
#include "kernel/kernel_row_cache.hpp"
#include "simd/hot_loops.hpp"

namespace rarebit {

struct ActiveRow {
    std::int32_t row;  // in the provider's matrix
    std::int32_t tag;  // whatever the solver calls it
    double y;
    double cost;
    double alpha;
    double gradient;
};

class ActiveSet {
  public:
    ActiveSet(KernelProvider& provider, std::size_t cache_bytes);

    // Changes how much memory kernel rows may take.
    void set_cache(std::size_t bytes) { kernel_rows_.set_bytes(bytes); }
    // Makes room for this many slots at once; growing slot by slot moves kernel rows around.
    void reserve(int slots);

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

    int slots() const { return kernel_rows_.slots(); }  // closed ones included
    int size() const { return slots() - static_cast<int>(free_.size()); }
    bool open(int slot) const { return live_[slot]; }
    const std::vector<int>& closed_slots() const { return free_; }
    double alpha(int slot) const { return alpha_[slot]; }
    double gradient(int slot) const { return gradient_[slot]; }
    double y(int slot) const { return y_[slot]; }
    double cost(int slot) const { return cost_[slot]; }
    std::int32_t tag(int slot) const { return tag_[slot]; }
    std::int32_t row(int slot) const { return packed_rows().row(slot); }
    const PackedRows& packed_rows() const { return kernel_rows_.packed_rows(); }
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

    // Finds the most violating pair anew, after rows came by insert_known() or left.
    void find_extremes();
    // Gradients follow the steps, coefficients are rounded and put on their limits: whether the two
    // may be apart by now by more than the tolerance, and by more than float32 kernel values
    // explain.
    bool drifted(double tolerance) const;
    // Computes all gradients from the coefficients.
    void refresh_gradients();
    // Whether a long run of steps has raised the dual objective by no more than rounding.
    bool at_standstill();

  private:
    int take_slot();
    void pass(const float* row_up, const float* row_low, double by);
    int pass_parts() const;
    int find_partner(int up, const float* row_up);
    void place(int slot, const ActiveRow& row);
    void set_gates(int slot);
    void widen_arrays();
    const float* kernel_row(int slot, int pinned);
    const AlignedVector<float>& diagonal() const { return kernel_rows_.diagonal(); }

    KernelProvider& provider_;
    KernelRowCache kernel_rows_;
    const HotLoops& loops_ = hot_loops();
    std::vector<int> free_;
    std::vector<char> live_;
    std::vector<std::int32_t> tag_;
    AlignedVector<double> y_, cost_, alpha_, gradient_;
    AlignedVector<float> up_gate_, low_gate_, low_gradient_, zeros_;
    std::int64_t steps_ = 0;
    std::int64_t looked_at_ = 0;  // steps at the last look for a standstill
    double gained_ = 0.0;         // by the steps since then, at most
    double strayed_ = 0.0;        // of coefficients from the steps taken, in all
    Extremes extremes_{0.0, 0.0};
    std::vector<Extremes> part_extremes_;  // of the parts of a pass
    std::vector<Extreme> part_gains_;
    double origin_ = 0.0;  // what low_gradient_ is counted from
};

}  // namespace rarebit
