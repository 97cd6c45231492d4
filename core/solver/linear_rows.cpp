#include "solver/linear_rows.hpp"

#include <algorithm>
#include <numeric>

namespace rarebit {
namespace {

constexpr int kChunk = 256;  // rows whose products are summed before they are added

constexpr double kMostDense = 0.25;  // share of values other than 0 up to which zeros are left out

bool mostly_zero(const Matrix& matrix, const std::vector<std::int32_t>& rows) {
    const double most =
        kMostDense * static_cast<double>(rows.size()) * static_cast<double>(matrix.columns);
    double found = 0.0;
    for (std::int32_t row : rows) {
        for (std::int64_t k = 0; k < matrix.columns; ++k)
            found += matrix.dense_value(row, k) != 0.0;
        if (found > most) return false;
    }
    return true;
}

// Puts the entries of a row in the order of their columns, which add_products relies on.
void sort_entries(SparseRow<float>* entries) {
    if (std::is_sorted(entries->columns.begin(), entries->columns.end())) return;
    std::vector<int> order(entries->size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](int a, int b) { return entries->columns[a] < entries->columns[b]; });
    const SparseRow<float> read = *entries;
    for (int k = 0; k < read.size(); ++k) {
        entries->columns[k] = read.columns[order[k]];
        entries->values[k] = read.values[order[k]];
    }
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

LinearRows::LinearRows(const Kernel& kernel, const Matrix& matrix,
                       const std::vector<std::int32_t>& rows)
    : sparse_(matrix.sparse()),
      centred_(!matrix.sparse() && !kernel.centre().empty()),
      rows_(static_cast<int>(rows.size())),
      columns_(static_cast<int>(matrix.columns)) {
    if (!sparse_ && mostly_zero(matrix, rows)) {
        sparse_ = true;
        centred_ = false;
    }
    norms_.assign(rows.size(), 0.0);
    starts_.push_back(0);
    SparseRow<float> entries;
    if (!sparse_) values_.resize(rows.size() * static_cast<std::size_t>(columns_));
    for (int i = 0; i < rows_; ++i) {
        if (matrix.sparse()) {
            entries.read(matrix, rows[i]);
            sort_entries(&entries);
            values_.insert(values_.end(), entries.values.begin(), entries.values.end());
            indices_.insert(indices_.end(), entries.columns.begin(), entries.columns.end());
        } else if (sparse_) {
            for (int k = 0; k < columns_; ++k) {
                const float value = static_cast<float>(matrix.dense_value(rows[i], k));
                if (value == 0.0f) continue;
                values_.push_back(value);
                indices_.push_back(k);
            }
        } else {
            pack_panel({&matrix, rows.data() + i, 0, 1}, 1, kernel.centre(),
                       values_.data() + static_cast<std::size_t>(i) * columns_);
        }
        starts_.push_back(sparse_ ? static_cast<std::int64_t>(values_.size())
                                  : starts_.back() + columns_);
        for (std::int64_t k = starts_[i]; k < starts_[i + 1]; ++k)
            norms_[i] += static_cast<double>(values_[k]) * values_[k];
    }
}

double LinearRows::dot(int row, const double* w) const {
    double sum = 0.0;
    if (!sparse_) {
        loops_.weigh(values_.data() + static_cast<std::size_t>(row) * columns_, 1, columns_, 0, w,
                     &sum);
        return sum;
    }
    for (std::int64_t k = starts_[row]; k < starts_[row + 1]; ++k)
        sum += w[indices_[k]] * values_[k];
    return sum;
}

void LinearRows::add(int row, double by, double* w) const {
    if (!sparse_) {
        loops_.add_row(columns_, values_.data() + static_cast<std::size_t>(row) * columns_, by, w);
        return;
    }
    for (std::int64_t k = starts_[row]; k < starts_[row + 1]; ++k)
        w[indices_[k]] += by * values_[k];
}

void LinearRows::add_products(const double* weights, double* matrix) const {
    if (!sparse_) {
        add_dense_products(weights, matrix);
        return;
    }
    for (int i = 0; i < rows_; ++i)
        for (std::int64_t a = starts_[i]; a < starts_[i + 1]; ++a) {
            const double by = weights[i] * values_[a];
            double* out = matrix + static_cast<std::size_t>(indices_[a]) * columns_;
            for (std::int64_t b = a; b < starts_[i + 1]; ++b) out[indices_[b]] += by * values_[b];
        }
}

// Columns take the place of rows in the engine's own matrix product, rows that of columns.
void LinearRows::add_dense_products(const double* weights, double* matrix) const {
    const int lw = loops_.left_width64, rw = loops_.right_width64;
    const int lefts = (columns_ + lw - 1) / lw, rights = (columns_ + rw - 1) / rw;
    const std::size_t stride = static_cast<std::size_t>(rights) * rw;
    AlignedVector<double> left(static_cast<std::size_t>(lefts) * lw * kChunk, 0.0);
    AlignedVector<double> right(static_cast<std::size_t>(rights) * rw * kChunk, 0.0);
    AlignedVector<double> tile(static_cast<std::size_t>(lefts) * lw * stride);
    for (int from = 0; from < rows_; from += kChunk) {
        const int depth = std::min(kChunk, rows_ - from);
        for (int k = 0; k < depth; ++k) {
            const float* row = values_.data() + static_cast<std::size_t>(from + k) * columns_;
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
        loops_.product64(left.data(), lefts, right.data(), rights, depth, tile.data(), stride);
        for (int a = 0; a < columns_; ++a)
            loops_.add64(columns_, 1.0, tile.data() + a * stride,
                         matrix + static_cast<std::size_t>(a) * columns_);
    }
}

}  // namespace rarebit
