// Rows in every storage, and what the engine computes by plain loops in float64.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "kernel/kernel.hpp"
#include "kernel/kernel_provider.hpp"

// Both numbers are told when they are apart by more than the tolerance; never true of NaN.
#define CHECK_NEAR(a, b, tolerance) \
    CHECK_MESSAGE(std::abs((a) - (b)) <= (tolerance), #a " = ", (a), ", " #b " = ", (b))

namespace rarebit_tests {

using namespace rarebit;

inline const Storage kStorages[] = {Storage::dense32, Storage::dense64, Storage::csr32,
                                    Storage::csr64};

// Owns the memory behind a Matrix. `plain` holds the values as stored, row by row.
class Table {
  public:
    Table(Storage storage, int rows, int columns, std::vector<double> values,
          bool wide_indices = false)
        : plain(std::move(values)) {
        matrix.storage = storage;
        matrix.rows = rows;
        matrix.columns = columns;
        matrix.wide_indices = wide_indices;
        const bool narrow = storage == Storage::dense32 || storage == Storage::csr32;
        if (narrow)
            for (double& v : plain) v = static_cast<float>(v);
        offsets_ = {0};
        for (int i = 0; i < rows; ++i) {
            for (int k = 0; k < columns; ++k) {
                // Every other row stores its columns backwards: CSR rows need not be sorted.
                const int column = matrix.sparse() && i % 2 == 1 ? columns - 1 - k : k;
                const double v = at(i, column);
                if (matrix.sparse() && v == 0.0) continue;
                values64_.push_back(v);
                values32_.push_back(static_cast<float>(v));
                indices_.push_back(column);
            }
            offsets_.push_back(static_cast<std::int64_t>(indices_.size()));
        }
        narrow_indices_.assign(indices_.begin(), indices_.end());
        narrow_offsets_.assign(offsets_.begin(), offsets_.end());
        matrix.values = narrow ? static_cast<const void*>(values32_.data())
                               : static_cast<const void*>(values64_.data());
        if (!matrix.sparse()) return;
        matrix.indices = wide_indices ? static_cast<const void*>(indices_.data())
                                      : static_cast<const void*>(narrow_indices_.data());
        matrix.offsets = wide_indices ? static_cast<const void*>(offsets_.data())
                                      : static_cast<const void*>(narrow_offsets_.data());
    }
    Table(const Table&) = delete;
    Table& operator=(const Table&) = delete;

    double at(int row, int column) const {
        return plain[static_cast<std::size_t>(row) * matrix.columns + column];
    }
    int rows() const { return static_cast<int>(matrix.rows); }
    int columns() const { return static_cast<int>(matrix.columns); }

    Matrix matrix;
    std::vector<double> plain;

  private:
    std::vector<float> values32_;
    std::vector<double> values64_;
    std::vector<std::int64_t> indices_, offsets_;
    std::vector<std::int32_t> narrow_indices_, narrow_offsets_;
};

// Normal values; a share of them is 0.
inline std::vector<double> normal_values(int rows, int columns, unsigned seed, double zeros = 0.0) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    std::vector<double> values(static_cast<std::size_t>(rows) * columns);
    for (double& v : values) {
        v = normal(random);
        if (uniform(random) < zeros) v = 0.0;
    }
    return values;
}

inline std::vector<std::int32_t> numbers(int count, int first = 0) {
    std::vector<std::int32_t> all(count);
    for (int i = 0; i < count; ++i) all[i] = first + i;
    return all;
}

inline KernelSpec spec_of(KernelKind kind, double gamma = 1.0, double coef0 = 0.0, int degree = 3) {
    KernelSpec spec;
    spec.kind = kind;
    spec.gamma = gamma;
    spec.coef0 = coef0;
    spec.degree = degree;
    return spec;
}

// The kernel of two rows in float64. Linear takes rows less the centre, as the engine does.
inline double scalar_kernel(const Kernel& kernel, const Table& a, int i, const Table& b, int j) {
    const KernelSpec& spec = kernel.spec();
    if (spec.kind == KernelKind::precomputed) return a.at(i, j);
    double dot = 0.0, distance = 0.0;
    const bool centred = spec.kind == KernelKind::linear && !kernel.centre().empty();
    for (int k = 0; k < a.columns(); ++k) {
        const double c = centred ? kernel.centre()[k] : 0.0;
        const double x = a.at(i, k) - c, z = b.at(j, k) - c;
        dot += x * z;
        distance += (x - z) * (x - z);
    }
    switch (spec.kind) {
        case KernelKind::rbf:
            return std::exp(-spec.gamma * distance);
        case KernelKind::poly:
            return std::pow(spec.gamma * dot + spec.coef0, spec.degree);
        case KernelKind::sigmoid:
            return std::tanh(spec.gamma * dot + spec.coef0);
        default:
            return dot;
    }
}

// A block of kernel values as the engine computes it, rows one after another.
inline std::vector<float> engine_block(const Kernel& kernel, const RowBlock& left,
                                       const PackedRows& right) {
    std::vector<float> values(static_cast<std::size_t>(left.count) * right.size(), -7.0f);
    std::vector<float*> out(left.count);
    for (int i = 0; i < left.count; ++i)
        out[i] = values.data() + static_cast<std::size_t>(i) * right.size();
    kernel.compute(left, right, out.data());
    return values;
}

// The engine's kernel values among all rows of a table, its own diagonal on the diagonal.
inline std::vector<double> engine_gram(const Kernel& kernel, const Table& table) {
    PackedRows right(kernel, table.matrix);
    right.assign(numbers(table.rows()));
    const std::vector<float> block =
        engine_block(kernel, {&table.matrix, nullptr, 0, table.rows()}, right);
    std::vector<double> gram(block.begin(), block.end());
    for (int i = 0; i < table.rows(); ++i)
        gram[static_cast<std::size_t>(i) * table.rows() + i] =
            static_cast<float>(kernel.diagonal(table.matrix, i));
    return gram;
}

// max g over rows that may grow less min g over rows that may shrink; 0 without such a pair.
// `gram` is square; row p of the problem is row rows[p] of it.
struct Optimality {
    double gap = 0.0;
    double objective = 0.0;
    double sum = 0.0;        // of the coefficients
    double outside_box = 0;  // how far a coefficient leaves its box
};
inline Optimality optimality(const std::vector<double>& gram, int size,
                             const std::vector<std::int32_t>& rows, const std::vector<double>& y,
                             const std::vector<double>& cost, const std::vector<double>& alpha) {
    Optimality result;
    double up = -1e300, low = 1e300;
    for (std::size_t p = 0; p < rows.size(); ++p) {
        double g = y[p];
        const double* values = gram.data() + static_cast<std::size_t>(rows[p]) * size;
        for (std::size_t q = 0; q < rows.size(); ++q) g -= alpha[q] * values[rows[q]];
        const double lower = y[p] > 0 ? 0.0 : -cost[p], upper = y[p] > 0 ? cost[p] : 0.0;
        if (alpha[p] < upper) up = std::max(up, g);
        if (alpha[p] > lower) low = std::min(low, g);
        result.objective += 0.5 * alpha[p] * (y[p] + g);
        result.sum += alpha[p];
        result.outside_box = std::max({result.outside_box, lower - alpha[p], alpha[p] - upper});
    }
    if (up > -1e300 && low < 1e300) result.gap = up - low;
    return result;
}

// Values of a provider, row by row.
inline std::vector<float> block_of(KernelProvider& provider, const std::vector<std::int32_t>& rows,
                                   const std::vector<std::int32_t>& columns) {
    PackedRows right = provider.packed_rows();
    right.assign(columns);
    std::vector<float> values(rows.size() * columns.size(), -7.0f);
    std::vector<float*> out(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) out[i] = values.data() + i * columns.size();
    provider.compute(rows.data(), static_cast<int>(rows.size()), right, out.data());
    return values;
}

inline float furthest(const std::vector<float>& a, const std::vector<float>& b) {
    float worst = a.size() == b.size() ? 0.0f : 1e9f;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        worst = std::max(worst, std::abs(a[i] - b[i]));
    return worst;
}

// How far K(a, b) and K(b, a) may be apart: terms are added in the order in which a CSR row stores
// them, and here some rows are stored backwards.
inline float rounding(Storage storage) {
    return storage == Storage::csr32 || storage == Storage::csr64 ? 1e-6f : 0.0f;
}

}  // namespace rarebit_tests
