// An online machine with the rows that it keeps: the caller's rows may go away between calls.
#pragma once

#include <cstdint>
#include <vector>

#include "control.hpp"
#include "kernel/kernel_provider.hpp"
#include "kernel/support_row_store.hpp"
#include "solver/online.hpp"

namespace rarebit {

// Rows copied out of a matrix: `dense` row by row, or CSR.
struct CopiedRows {
    std::vector<double> dense, values;
    std::vector<std::int64_t> columns, offsets;
};

class OnlineMachine {
  public:
    // Keeps rows as `like` stores them. A precomputed kernel has no rows to keep: `like` is then
    // the matrix of its values, which must stay.
    OnlineMachine(const Kernel& kernel, const Matrix& like, double tolerance,
                  std::size_t cache_bytes);
    OnlineMachine(const OnlineMachine&) = delete;
    OnlineMachine& operator=(const OnlineMachine&) = delete;

    // As OnlineSolver's, after a check of the rows; `order` numbers rows of `rows`.
    void process(const Matrix& rows, const std::vector<std::int32_t>& order,
                 const std::int32_t* tags, const double* y, const double* cost, Control& control);
    bool finish(std::int64_t most_steps, Control& control);
    // Continues from a state whose entry i belongs to row i of `rows`.
    void restore(const Matrix& rows, OnlineState state);
    OnlineState state() const { return solver_.state(); }
    // The rows of a state; none of a precomputed kernel.
    CopiedRows copy_rows(const OnlineState& state) const;

    bool keeps_rows() const { return !external_; }
    const Matrix& matrix() const { return provider_.matrix(); }
    const OnlineSolver& solver() const { return solver_; }
    // Rows that were dropped but still take memory.
    std::int64_t garbage() const { return store_.garbage(); }

  private:
    void check_rows(const Matrix& rows) const;

    SupportRowStore store_;
    bool external_;
    DirectProvider provider_;
    OnlineSolver solver_;
};

}  // namespace rarebit
