// Rows of a linear machine as float32: what the linear solvers read again and again. Dense rows lie
// one after another, less the centre; rows that are mostly 0 keep their other columns only.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/kernel.hpp"
#include "simd/aligned.hpp"

namespace rarebit {

class LinearRows {
  public:
    LinearRows(const Kernel& kernel, const Matrix& matrix, const std::vector<std::int32_t>& rows);
    // Bytes that the copy takes.
    static std::size_t bytes(const Matrix& matrix, std::size_t rows);

    int rows() const { return rows_; }
    int columns() const { return columns_; }
    bool sparse() const { return sparse_; }
    // Whether the kernel's centre was taken off: not where that would fill the zeros.
    bool centred() const { return centred_; }
    std::int64_t entries() const { return static_cast<std::int64_t>(values_.size()); }
    double squared_norm(int row) const { return norms_[row]; }

    // <w, row>
    double dot(int row, const double* w) const;
    // w += by * row
    void add(int row, double by, double* w) const;
    // matrix += sum_i weights[i] row_i row_i', its upper half at least; `matrix` is square.
    void add_products(const double* weights, double* matrix) const;

  private:
    void add_dense_products(const double* weights, double* matrix) const;

    const HotLoops& loops_ = hot_loops();
    bool sparse_, centred_;
    int rows_, columns_;
    AlignedVector<float> values_;
    std::vector<std::int32_t> indices_;
    std::vector<std::int64_t> starts_;
    std::vector<double> norms_;
};

}  // namespace rarebit
