// Blocks of kernel values between rows.
//
//   linear    <a, b>                       (rows less the centre: the dual does not notice)
//   rbf       exp(-gamma |a - b|^2)        (rows less the centre)
//   poly      (gamma <a, b> + coef0)^degree
//   sigmoid   tanh(gamma <a, b> + coef0)
//   precomputed   the matrix itself, one column a training row
//
// Values are float32. Products are taken in float32 unless that is measured to leave an error in
// the training rows' own values; then blocks are computed in float64 and rounded once at the end.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "aligned.hpp"
#include "hot_loops.hpp"
#include "matrix.hpp"

namespace rarebit {

class Kernel;

// The right-hand rows of a block, laid out for the hot loops. Rows sit in slots that may be reused.
class Operand {
  public:
    // Without `packed` only row numbers are kept: enough for a source that looks values up.
    Operand(const Kernel& kernel, const Matrix& matrix, bool packed = true);

    void assign(int slot, std::int32_t row);
    void assign(const std::vector<std::int32_t>& rows);
    int size() const { return static_cast<int>(ids_.size()); }
    std::int32_t row(int slot) const { return ids_[slot]; }
    const std::vector<std::int32_t>& rows() const { return ids_; }

  private:
    friend class Kernel;
    void grow(int size);
    template <class T>
    void read_entries(std::int32_t row, SparseRow<T>* entries);

    const Kernel* kernel_;
    const Matrix* matrix_;
    bool packed_;
    std::vector<std::int32_t> ids_;
    // CSR rows, their columns numbered in the order in which they turned up: text has millions of
    // columns, of which some rows use few.
    std::vector<SparseRow<float>> entries32_;
    std::vector<SparseRow<double>> entries64_;
    std::vector<std::int32_t> column_number_;
    std::int32_t columns_used_ = 0;
    AlignedVector<float> panels32_, norms32_;
    AlignedVector<double> panels64_, norms64_;
};

class Kernel {
  public:
    // Reads the training rows once to choose the centre and the precision.
    Kernel(const KernelSpec& spec, const Matrix& training);
    // The same kernel as a fitted model used it.
    Kernel(const KernelSpec& spec, std::vector<double> centre, bool wide);

    const KernelSpec& spec() const { return spec_; }
    const std::vector<double>& centre() const { return centre_; }
    bool wide() const { return wide_; }

    // out[i][j] = K(left_i, right_j)
    void compute(const RowBlock& left, const Operand& right, float* const* out) const;
    // out[i * machines + m] += sum_j coefficients[m * right.size() + j] K(left_i, right_j)
    void accumulate(const RowBlock& left, const Operand& right, const double* coefficients,
                    int machines, double* out) const;
    double diagonal(const Matrix& matrix, std::int64_t row) const;
    // Left rows whose values with `columns` right rows take about a tenth of a second to compute:
    // how often a long call can look at its control.
    int rows_between_polls(const Matrix& matrix, std::int64_t columns) const;

    // Values computed since the start, and the nanoseconds that took.
    std::int64_t values_computed() const { return values_; }
    std::int64_t nanoseconds() const { return nanoseconds_; }

  private:
    friend class Operand;
    template <class Sink>
    void for_each_tile(const RowBlock& left, const Operand& right, Sink sink) const;
    template <class Sink>
    void dense32_tiles(const RowBlock& left, const Operand& right, Sink sink) const;
    template <class Sink>
    void dense64_tiles(const RowBlock& left, const Operand& right, Sink sink) const;
    template <class Sink>
    void sparse32_tiles(const RowBlock& left, const Operand& right, Sink sink) const;
    template <class Sink>
    void sparse64_tiles(const RowBlock& left, const Operand& right, Sink sink) const;
    void form_arguments(const double* dots, int count, double left_norm, const double* right_norms,
                        float* out) const;
    float float_error(const Matrix& training);
    template <class Sink>
    void precomputed_tiles(const RowBlock& left, const Operand& right, Sink sink) const;

    KernelSpec spec_;
    std::vector<double> centre_;
    bool wide_ = false;
    const HotLoops& loops_ = hot_loops();
    mutable std::atomic<std::int64_t> values_{0}, nanoseconds_{0};
};

}  // namespace rarebit
