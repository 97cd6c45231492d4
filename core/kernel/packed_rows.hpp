// The right-hand rows of a block of kernel values.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/matrix.hpp"
#include "simd/aligned.hpp"

namespace rarebit {

class Kernel;

// Rows laid out for the hot loops, in slots that may be reused.
class PackedRows {
  public:
    // Without `packed` only row numbers are kept: enough for a provider that looks values up.
    PackedRows(const Kernel& kernel, const Matrix& matrix, bool packed = true);

    void assign(int slot, std::int32_t row);
    void assign(const std::vector<std::int32_t>& rows);
    int size() const { return static_cast<int>(ids_.size()); }
    std::int32_t row(int slot) const { return ids_[slot]; }
    const std::vector<std::int32_t>& rows() const { return ids_; }

    // What the tile functions read.
    const Matrix& matrix() const { return *matrix_; }
    const float* panels32() const { return panels32_.data(); }
    const double* panels64() const { return panels64_.data(); }
    const float* norms32() const { return norms32_.data(); }
    const double* norms64() const { return norms64_.data(); }
    const SparseRow<float>& entries32(int slot) const { return entries32_[slot]; }
    const SparseRow<double>& entries64(int slot) const { return entries64_[slot]; }
    const std::vector<std::int32_t>& column_numbers() const { return column_number_; }
    std::int32_t columns_used() const { return columns_used_; }

  private:
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

}  // namespace rarebit
