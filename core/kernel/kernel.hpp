// Blocks of kernel values between rows.
//
//   linear    <a, b>                       (rows less the centre: the dual does not notice)
//   rbf       exp(-gamma |a - b|^2)        (rows less the centre)
//   poly      (gamma <a, b> + coef0)^degree
//   sigmoid   tanh(gamma <a, b> + coef0)
//   precomputed   the matrix itself, one column per training row
//
// Values are float32. Products are taken in float32 unless that is measured to leave an error in
// the training rows' own values; then blocks are computed in float64 and rounded once at the end.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "kernel/matrix.hpp"
#include "kernel/packed_rows.hpp"
#include "kernel/tiles.hpp"
#include "simd/hot_loops.hpp"

namespace rarebit {

class Kernel {
  public:
    // Reads the training rows once to choose the centre and the precision.
    Kernel(const KernelSpec& spec, const Matrix& training);
    // The same kernel as a fitted model used it.
    Kernel(const KernelSpec& spec, std::vector<double> centre, bool wide);

    const KernelSpec& spec() const { return spec_; }
    const std::vector<double>& centre() const { return centre_; }
    bool wide() const { return wide_; }
    const HotLoops& loops() const { return loops_; }

    // out[i][j] = K(left_i, right_j)
    void compute(const RowBlock& left, const PackedRows& right, float* const* out) const;
    // out[i * machines + m] += sum_j coefficients[m * right.size() + j] K(left_i, right_j)
    void accumulate(const RowBlock& left, const PackedRows& right, const double* coefficients,
                    int machines, double* out) const;
    double diagonal(const Matrix& matrix, std::int64_t row) const;
    // Whether float32 products would leave an error in these rows' values; throws where float32
    // cannot hold the values.
    bool needs_wide(const Matrix& rows) const;
    // Left rows whose values with `columns` right rows take about a tenth of a second to compute:
    // how often a long call can look at its control. More of them with more threads.
    int rows_between_polls(const Matrix& matrix, std::int64_t columns) const;

    // Values computed since the start, and the nanoseconds that took.
    std::int64_t values_computed() const { return values_; }
    std::int64_t nanoseconds() const { return nanoseconds_; }

  private:
    void refuse_overflow(const Matrix& rows) const;
    void accumulate_many(const RowBlock& left, const PackedRows& right, const double* coefficients,
                         int machines, double* out) const;
    // Makes a sink for each part of the block; with `by_columns` parts may have some right rows
    // only.
    void for_each_tile(const RowBlock& left, const PackedRows& right, bool by_columns,
                       const std::function<TileSink()>& make_sink) const;
    void tiles(const RowBlock& left, const PackedRows& right, const ColumnRange& range,
               const TileSink& sink) const;

    KernelSpec spec_;
    std::vector<double> centre_;
    bool wide_ = false;
    const HotLoops& loops_ = hot_loops();
    mutable std::atomic<std::int64_t> values_{0}, nanoseconds_{0};
};

}  // namespace rarebit
