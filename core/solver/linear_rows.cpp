#include "solver/linear_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rarebit {
namespace {

constexpr int kChunk = 256;  // rows whose products are summed before they are added

constexpr double kRounding = 3e-8;  // of a number as float32, on average
constexpr std::size_t kFirstRows = 32;
constexpr double kMostDense = 0.25;  // share of values other than 0 up to which zeros are left out

// Entries of one dense row other than 0, without a branch for each: both arrays have room for all.
template <class T, class U>
int entries_of(const T* cells, int columns, U* values, std::int32_t* indices) {
    int count = 0;
    for (int k = 0; k < columns; ++k) {
        values[count] = static_cast<U>(cells[k]);
        indices[count] = k;
        count += values[count] != U(0);
    }
    return count;
}

// Puts the entries of a row in the order of their columns, which add_products relies on.
template <class T>
void sort_entries(SparseRow<T>* entries) {
    if (std::is_sorted(entries->columns.begin(), entries->columns.end())) return;
    std::vector<int> order(entries->size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](int a, int b) { return entries->columns[a] < entries->columns[b]; });
    const SparseRow<T> read = *entries;
    for (int k = 0; k < read.size(); ++k) {
        entries->columns[k] = read.columns[order[k]];
        entries->values[k] = read.values[order[k]];
    }
}

// Several sums, because each addition waits for the one before.
template <class T, class U>
double dense_dot(const T* row, const U* w, std::int64_t columns) {
    double sums[8] = {};
    std::int64_t k = 0;
    for (; k + 8 <= columns; k += 8)
        for (int j = 0; j < 8; ++j) sums[j] += static_cast<double>(w[k + j]) * row[k + j];
    for (int j = 0; k < columns; ++k, ++j) sums[j] += static_cast<double>(w[k]) * row[k];
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
           ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

template <class T>
double sparse_dot(const T* values, const std::int32_t* columns, std::int64_t count,
                  const double* w) {
    double sum = 0.0, other = 0.0;
    std::int64_t k = 0;
    for (; k + 1 < count; k += 2) {
        sum += w[columns[k]] * values[k];
        other += w[columns[k + 1]] * values[k + 1];
    }
    if (k < count) sum += w[columns[k]] * values[k];
    return sum + other;
}

template <class T>
void sparse_add(const T* values, const std::int32_t* columns, std::int64_t count, double by,
                double* w) {
    for (std::int64_t k = 0; k < count; ++k) w[columns[k]] += by * values[k];
}

}  // namespace

std::size_t LinearRows::bytes(const Matrix& matrix, std::size_t rows) {
    if (!matrix.sparse()) return rows * static_cast<std::size_t>(matrix.columns) * sizeof(float);
    std::int64_t first, last, unused;
    if (matrix.rows == 0) return 0;
    matrix.extent(0, &first, &unused);
    matrix.extent(matrix.rows - 1, &unused, &last);
    return static_cast<std::size_t>(last - first) * (sizeof(float) + sizeof(std::int32_t));
}

template <>
const AlignedVector<float>& LinearRows::values() const {
    return values32_;
}
template <>
const AlignedVector<double>& LinearRows::values() const {
    return values64_;
}
template <>
AlignedVector<float>& LinearRows::values() {
    return values32_;
}
template <>
AlignedVector<double>& LinearRows::values() {
    return values64_;
}

LinearRows::LinearRows(const Kernel& kernel, const Matrix& matrix,
                       const std::vector<std::int32_t>& rows, bool wide)
    : sparse_(matrix.sparse()),
      centred_(!matrix.sparse() && !kernel.centre().empty()),
      wide_(wide),
      rows_(static_cast<int>(rows.size())),
      columns_(static_cast<int>(matrix.columns)) {
    wide_ ? copy<double>(kernel, matrix, rows) : copy<float>(kernel, matrix, rows);
    const bool narrow = matrix.storage == Storage::dense32 || matrix.storage == Storage::csr32;
    rounded_ = !wide_ && (centred_ || !narrow);
}

double LinearRows::rounding(double cost) const {
    if (!rounded_ || rows_ == 0 || columns_ == 0) return 0.0;
    double mean = 0.0;
    for (double norm : norms_) mean += norm / rows_;
    return kRounding * cost * mean * std::sqrt(static_cast<double>(rows_) / columns_);
}

template <class T>
void LinearRows::copy(const Kernel& kernel, const Matrix& matrix,
                      const std::vector<std::int32_t>& rows) {
    if (sparse_) {
        keep_sparse<T>(matrix, rows);
    } else if (keep_entries<T>(matrix, rows)) {
        sparse_ = true;
        centred_ = false;
    } else {
        values<T>().resize(rows.size() * static_cast<std::size_t>(columns_));
        indices_.clear(), starts_.assign(1, 0);
        for (int i = 0; i < rows_; ++i) {
            pack_panel({&matrix, rows.data() + i, 0, 1}, 1, kernel.centre(),
                       values<T>().data() + static_cast<std::size_t>(i) * columns_);
            starts_.push_back(starts_.back() + columns_);
        }
    }
    norms_.resize(rows.size());
    for (int i = 0; i < rows_; ++i) {
        const T* row = values<T>().data() + starts_[i];
        norms_[i] = dense_dot(row, row, starts_[i + 1] - starts_[i]);
    }
}

template <class T>
void LinearRows::keep_sparse(const Matrix& matrix, const std::vector<std::int32_t>& rows) {
    SparseRow<T> entries;
    starts_.assign(1, 0);
    for (std::int32_t row : rows) {
        entries.read(matrix, row);
        sort_entries(&entries);
        keep<T>(entries.size(), entries.values.data(), entries.columns.data());
    }
}

// False where too many values of dense rows are not 0.
template <class T>
bool LinearRows::keep_entries(const Matrix& matrix, const std::vector<std::int32_t>& rows) {
    const double most = kMostDense * static_cast<double>(rows.size()) * columns_;
    std::vector<T> cells(columns_);
    std::vector<std::int32_t> indices(columns_);
    starts_.assign(1, 0);
    for (std::int32_t row : rows) {
        const std::int64_t at = row * matrix.columns;
        const int count = matrix.storage == Storage::dense32
                              ? entries_of(static_cast<const float*>(matrix.values) + at, columns_,
                                           cells.data(), indices.data())
                              : entries_of(static_cast<const double*>(matrix.values) + at, columns_,
                                           cells.data(), indices.data());
        keep<T>(count, cells.data(), indices.data());
        const double kept = static_cast<double>(values<T>().size());
        // The first rows tell what is plainly dense before a quarter of it has been copied.
        const double usual = 2.0 * kMostDense * columns_ * static_cast<double>(starts_.size() - 1);
        if (kept > most || (starts_.size() > kFirstRows && kept > usual)) return false;
    }
    return true;
}

template <class T>
void LinearRows::keep(int count, const T* cells, const std::int32_t* indices) {
    values<T>().insert(values<T>().end(), cells, cells + count);
    indices_.insert(indices_.end(), indices, indices + count);
    starts_.push_back(static_cast<std::int64_t>(values<T>().size()));
}

double LinearRows::dot(int row, const double* w) const {
    const std::int64_t from = starts_[row], count = starts_[row + 1] - from;
    if (sparse_)
        return wide_ ? sparse_dot(values64_.data() + from, indices_.data() + from, count, w)
                     : sparse_dot(values32_.data() + from, indices_.data() + from, count, w);
    if (wide_) return dense_dot(values64_.data() + from, w, columns_);
    double sum = 0.0;
    loops_.weigh(values32_.data() + from, 1, columns_, 0, w, &sum);
    return sum;
}

void LinearRows::dots(const double* w, double* out) const {
    for (int i = 0; i < rows_; ++i) out[i] = dot(i, w);
}

void LinearRows::combine(const double* weights, double* w) const {
    for (int i = 0; i < rows_; ++i) add(i, weights[i], w);
}

void LinearRows::add(int row, double by, double* w) const {
    const std::int64_t from = starts_[row], count = starts_[row + 1] - from;
    if (sparse_ && wide_)
        sparse_add(values64_.data() + from, indices_.data() + from, count, by, w);
    else if (sparse_)
        sparse_add(values32_.data() + from, indices_.data() + from, count, by, w);
    else if (wide_)
        loops_.add64(columns_, by, values64_.data() + from, w);
    else
        loops_.add_row(columns_, values32_.data() + from, by, w);
}

void LinearRows::add_products(const double* weights, double* matrix, std::size_t stride) const {
    if (sparse_)
        wide_ ? add_sparse_products<double>(weights, matrix, stride)
              : add_sparse_products<float>(weights, matrix, stride);
    else
        wide_ ? add_dense_products<double>(weights, matrix, stride)
              : add_dense_products<float>(weights, matrix, stride);
}

template <class T>
void LinearRows::add_sparse_products(const double* weights, double* matrix,
                                     std::size_t stride) const {
    std::vector<double> row(columns_);
    for (int i = 0; i < rows_; ++i) {
        const std::int32_t* columns = indices_.data() + starts_[i];
        const int count = static_cast<int>(starts_[i + 1] - starts_[i]);
        for (int a = 0; a < count; ++a) row[a] = values<T>()[starts_[i] + a];
        for (int a = 0; a < count; ++a) {
            const double by = weights[i] * row[a];
            double* out = matrix + columns[a] * stride;
            for (int b = a; b < count; ++b) out[columns[b]] += by * row[b];
        }
    }
}

// Columns take the place of rows in the engine's own matrix product, rows that of columns.
template <class T>
void LinearRows::add_dense_products(const double* weights, double* matrix,
                                    std::size_t stride) const {
    const int lw = loops_.left_width64, rw = loops_.right_width64;
    const int lefts = (columns_ + lw - 1) / lw, rights = (columns_ + rw - 1) / rw;
    const std::size_t tile_stride = static_cast<std::size_t>(rights) * rw;
    AlignedVector<double> left(static_cast<std::size_t>(lefts) * lw * kChunk, 0.0);
    AlignedVector<double> right(static_cast<std::size_t>(rights) * rw * kChunk, 0.0);
    AlignedVector<double> tile(static_cast<std::size_t>(lefts) * lw * tile_stride);
    for (int from = 0; from < rows_; from += kChunk) {
        const int depth = std::min(kChunk, rows_ - from);
        for (int k = 0; k < depth; ++k) {
            const T* row = values<T>().data() + static_cast<std::size_t>(from + k) * columns_;
            const double by = weights[from + k];
            for (int c = 0; c < columns_; ++c) {
                left[(static_cast<std::size_t>(c / lw) * depth + k) * lw + c % lw] = row[c];
                right[(static_cast<std::size_t>(c / rw) * depth + k) * rw + c % rw] = by * row[c];
            }
            for (int c = columns_; c < lefts * lw; ++c)
                left[(static_cast<std::size_t>(c / lw) * depth + k) * lw + c % lw] = 0.0;
            for (int c = columns_; c < rights * rw; ++c)
                right[(static_cast<std::size_t>(c / rw) * depth + k) * rw + c % rw] = 0.0;
        }
        loops_.product64(left.data(), lefts, right.data(), rights, depth, tile.data(), tile_stride);
        for (int a = 0; a < columns_; ++a)
            loops_.add64(columns_, 1.0, tile.data() + a * tile_stride, matrix + a * stride);
    }
}

}  // namespace rarebit
