// The exact solver for a few thousand rows: many small machines over one provider, one after
// another.
//
// The same dual and the same stopping rule as solve_batch. Small machines are bound by their steps,
// so steps are made cheap: gradients are float32 and counted from the middle of the gap, passes run
// over the rows that may matter only. What the steps claim is never trusted: gradients of all rows
// are computed again in float64 before a machine is called solved, and where float32 cannot reach
// the tolerance solve_batch finishes from the coefficients found.
//
// Memory is kept from one machine to the next. One object serves one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/row_pool.hpp"
#include "solver/batch.hpp"

namespace rarebit {

class DenseDual {
  public:
    explicit DenseDual(KernelProvider& provider)
        : provider_(provider), packed_rows_(provider.packed_rows()) {}

    // Whether the problem is small enough to be held as one block of kernel values.
    static bool takes(std::size_t rows, const BatchOptions& options);

    // `margins` are guesses of y f(x), one per row of the problem, or empty: rows far outside the
    // margin are left out of the passes until a look at all rows shows that they matter.
    Solution solve(const BatchProblem& problem, const std::vector<double>& margins,
                   const BatchOptions& options, Control& control);

  private:
    void arrange(const BatchProblem& problem, const std::vector<double>& margins);
    void place(const BatchProblem& problem, int slot, int position, double alpha);
    void widen(int active);
    void set_gates(int slot);
    void fetch(const std::vector<int>& slots);
    const float* row(int slot);
    bool refresh();
    void step_until(double gap, std::int64_t last, Control& control);
    bool admit(const BatchProblem& problem, double tolerance);
    int padded() const { return (active_ + 63) / 64 * 64; }

    KernelProvider& provider_;
    const HotLoops& loops_ = hot_loops();
    std::shared_ptr<SlabStore> slabs_ = std::make_shared<SlabStore>();
    std::unique_ptr<RowPool> pool_;
    PackedRows packed_rows_;
    std::vector<int> position_;  // rows of the problem by slot; the first active_ are in the passes
    int active_ = 0, stride_ = 0, sure_ = 0;
    std::vector<double> y_, cost_, alpha_;
    AlignedVector<double> exact_;  // gradients in float64, as of the last refresh
    AlignedVector<float> gradient_, up_gate_, low_gate_, diagonal_;
    std::vector<float*> rows_;  // kernel rows by slot, null where never needed
    Extreme up_{0.0f};
    double up_value_ = 0.0, low_value_ = 0.0;  // exact extremes
    bool has_pair_ = false;
    std::int64_t steps_ = 0, sweeps_ = 0, rows_swept_ = 0;
    Progress progress_;
};

}  // namespace rarebit
