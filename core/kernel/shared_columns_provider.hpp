// Kernel values for many machines that have some rows in common: values with those rows, the
// shared ones, are computed once, values between other rows each time.
//
// Balanced bags all hold the whole rare class. Its kernel rows are few and stay in the processor's
// caches; the rows of a bag that are its own meet each other so seldom that computing their values
// again costs less than fetching them from a gram in main memory.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/kernel_provider.hpp"
#include "kernel/row_pool.hpp"

namespace rarebit {

class SharedColumnsProvider : public KernelProvider {
  public:
    // Computes the values of all rows with the shared rows.
    SharedColumnsProvider(const Kernel& kernel, const Matrix& matrix,
                          const std::vector<std::int32_t>& shared);

    const Kernel& kernel() const override { return kernel_; }
    const Matrix& matrix() const override { return matrix_; }
    PackedRows packed_rows() const override { return PackedRows(kernel_, matrix_, false); }
    void compute(const std::int32_t* rows, int count, const PackedRows& right,
                 float* const* out) override;
    void accumulate(const std::int32_t* rows, int count, const PackedRows& right,
                    const double* coefficients, double* out) override;

  private:
    bool is_shared(std::int32_t row) const { return number_[row] >= 0; }
    void compute_own(const std::vector<std::int32_t>& rows, const std::vector<float*>& out,
                     const std::vector<std::int32_t>& columns, const std::vector<int>& slots) const;

    const Kernel& kernel_;
    const Matrix& matrix_;
    std::vector<std::int32_t> number_;  // of a shared row by row of the matrix, -1 for other rows
    RowPool pool_;
    std::vector<float*> values_;  // with the shared rows, by row of the matrix
};

}  // namespace rarebit
