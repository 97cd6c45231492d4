// Rows of a linear machine: what the linear solvers read again and again. Dense rows lie one after
// another, less the centre; rows that are mostly 0 keep their other columns only. They are kept as
// float32, which halves what a pass reads, or as float64 where costs are so large that rounding
// would move w.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel/kernel.hpp"
#include "simd/aligned.hpp"

namespace rarebit {

class LinearRows {
  public:
    LinearRows(const Kernel& kernel, const Matrix& matrix, const std::vector<std::int32_t>& rows,
               bool wide = false);
    // Bytes that the copy takes as float32.
    static std::size_t bytes(const Matrix& matrix, std::size_t rows);

    int rows() const { return rows_; }
    int columns() const { return columns_; }
    bool sparse() const { return sparse_; }
    // Whether the kernel's centre was taken off: not where that would fill the zeros.
    bool centred() const { return centred_; }
    double squared_norm(int row) const { return norms_[row]; }
    // About how much <w, row> is off where each of n rows adds `cost` times its own rounding to w.
    double rounding(double cost) const;

    // <w, row>
    double dot(int row, const double* w) const;
    // w += by * row
    void add(int row, double by, double* w) const;
    // out[i] = <w, row_i>
    void dots(const double* w, double* out) const;
    // w += sum_i weights[i] row_i
    void combine(const double* weights, double* w) const;
    // matrix += sum_i weights[i] row_i row_i', its upper half at least; its rows start `stride`
    // values after one another.
    void add_products(const double* weights, double* matrix, std::size_t stride) const;

  private:
    template <class T>
    void copy(const Kernel& kernel, const Matrix& matrix, const std::vector<std::int32_t>& rows);
    template <class T>
    void keep_sparse(const Matrix& matrix, const std::vector<std::int32_t>& rows);
    template <class T>
    bool keep_entries(const Matrix& matrix, const std::vector<std::int32_t>& rows);
    template <class T>
    void keep(int count, const T* values, const std::int32_t* indices);
    template <class T>
    void add_sparse_products(const double* weights, double* matrix, std::size_t stride) const;
    template <class T>
    void add_dense_products(const double* weights, double* matrix, std::size_t stride) const;
    template <class T>
    const AlignedVector<T>& values() const;
    template <class T>
    AlignedVector<T>& values();

    const HotLoops& loops_ = hot_loops();
    bool sparse_, centred_, wide_;
    bool rounded_ = true;  // whether float32 may hold other values than the matrix
    int rows_, columns_;
    AlignedVector<float> values32_;
    AlignedVector<double> values64_;  // one of the two is empty
    std::vector<std::int32_t> indices_;
    std::vector<std::int64_t> starts_;
    std::vector<double> norms_;
};

}  // namespace rarebit
