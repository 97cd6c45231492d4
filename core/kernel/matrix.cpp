#include "kernel/matrix.hpp"

#include <algorithm>
#include <cmath>

namespace rarebit {
namespace {

template <class I>
void extent_of(const void* offsets, std::int64_t row, std::int64_t* from, std::int64_t* to) {
    const I* starts = static_cast<const I*>(offsets);
    *from = static_cast<std::int64_t>(starts[row]);
    *to = static_cast<std::int64_t>(starts[row + 1]);
}

template <class S, class T>
void pack(const RowBlock& rows, int width, const std::vector<double>& centre, T* out) {
    constexpr std::int64_t part = 128;  // columns of a panel that stay in the first-level cache
    const std::int64_t depth = rows.matrix->columns;
    const S* base = static_cast<const S*>(rows.matrix->values);
    const double* middle = centre.empty() ? nullptr : centre.data();
    if (rows.count < width) std::fill_n(out, depth * width, T(0));
    for (std::int64_t from = 0; from < depth; from += part) {
        const std::int64_t to = std::min(depth, from + part);
        for (int lane = 0; lane < rows.count; ++lane) {
            // Converted side by side, by vectors, then laid out one by one.
            const S* row = base + rows[lane] * depth + from;
            const int count = static_cast<int>(to - from);
            T line[part];
            if (middle)
                for (int k = 0; k < count; ++k)
                    line[k] = static_cast<T>(static_cast<double>(row[k]) - middle[from + k]);
            else
                for (int k = 0; k < count; ++k) line[k] = static_cast<T>(row[k]);
            T* put = out + from * width + lane;
            for (int k = 0; k < count; ++k) put[static_cast<std::int64_t>(k) * width] = line[k];
        }
    }
}

template <class S>
double dense_norm(const S* row, std::int64_t depth, const std::vector<double>& centre) {
    double sums[8] = {};  // independent sums let the compiler use vectors
    std::int64_t k = 0;
    const double* c = centre.empty() ? nullptr : centre.data();
    for (; k + 8 <= depth; k += 8)
        for (int q = 0; q < 8; ++q) {
            const double v = static_cast<double>(row[k + q]) - (c ? c[k + q] : 0.0);
            sums[q] += v * v;
        }
    for (; k < depth; ++k) {
        const double v = static_cast<double>(row[k]) - (c ? c[k] : 0.0);
        sums[0] += v * v;
    }
    double total = 0.0;
    for (double s : sums) total += s;
    return total;
}

template <class I, class S, class T>
void read_sparse(const Matrix& matrix, std::int64_t from, std::int64_t to, SparseRow<T>* row) {
    const I* columns = static_cast<const I*>(matrix.indices);
    const S* values = static_cast<const S*>(matrix.values);
    for (std::int64_t k = from; k < to; ++k) {
        row->columns[k - from] = static_cast<std::int32_t>(columns[k]);
        row->values[k - from] = static_cast<T>(values[k]);
    }
}

}  // namespace

void Matrix::extent(std::int64_t row, std::int64_t* from, std::int64_t* to) const {
    if (wide_indices)
        extent_of<std::int64_t>(offsets, row, from, to);
    else
        extent_of<std::int32_t>(offsets, row, from, to);
}

template <class T>
void pack_panel(const RowBlock& rows, int width, const std::vector<double>& centre, T* out) {
    if (rows.matrix->storage == Storage::dense32)
        pack<float, T>(rows, width, centre, out);
    else
        pack<double, T>(rows, width, centre, out);
}
template void pack_panel<float>(const RowBlock&, int, const std::vector<double>&, float*);
template void pack_panel<double>(const RowBlock&, int, const std::vector<double>&, double*);

template <class T>
void SparseRow<T>::read(const Matrix& matrix, std::int64_t row) {
    std::int64_t from, to;
    matrix.extent(row, &from, &to);
    columns.resize(to - from);
    values.resize(to - from);
    const bool narrow_values = matrix.storage == Storage::csr32;
    if (matrix.wide_indices && narrow_values)
        read_sparse<std::int64_t, float>(matrix, from, to, this);
    else if (matrix.wide_indices)
        read_sparse<std::int64_t, double>(matrix, from, to, this);
    else if (narrow_values)
        read_sparse<std::int32_t, float>(matrix, from, to, this);
    else
        read_sparse<std::int32_t, double>(matrix, from, to, this);
}
template struct SparseRow<float>;
template struct SparseRow<double>;

double squared_norm(const Matrix& matrix, std::int64_t row, const std::vector<double>& centre) {
    if (!matrix.sparse()) {
        const std::int64_t at = row * matrix.columns;
        return matrix.storage == Storage::dense32
                   ? dense_norm(static_cast<const float*>(matrix.values) + at, matrix.columns,
                                centre)
                   : dense_norm(static_cast<const double*>(matrix.values) + at, matrix.columns,
                                centre);
    }
    std::int64_t from, to;
    matrix.extent(row, &from, &to);
    double total = 0.0;
    for (std::int64_t k = from; k < to; ++k) {
        const double v = matrix.storage == Storage::csr32
                             ? static_cast<const float*>(matrix.values)[k]
                             : static_cast<const double*>(matrix.values)[k];
        total += v * v;
    }
    return total;
}

namespace {

// Mean against median squared distance of rows from their mean above which few of them may have
// drawn it away, and how much nearer the medians of the columns must be to serve in its place.
constexpr double kHeavyTail = 8.0, kMuchNearer = 1e4;

double median_of(std::vector<double>* values) {
    const auto middle = values->begin() + static_cast<std::ptrdiff_t>(values->size() / 2);
    std::nth_element(values->begin(), middle, values->end());
    return *middle;
}

// Some rows of a matrix, spread evenly.
class Sample {
  public:
    explicit Sample(const Matrix& matrix)
        : matrix_(matrix), count_(std::min<std::int64_t>(matrix.rows, 1024)) {}

    std::int64_t count() const { return count_; }
    double value(std::int64_t i, std::int64_t k) const {
        return matrix_.dense_value(i * matrix_.rows / count_, k);
    }
    std::vector<double> distances(const std::vector<double>& centre) const {
        std::vector<double> found(count_);
        for (std::int64_t i = 0; i < count_; ++i)
            found[i] = squared_norm(matrix_, i * matrix_.rows / count_, centre);
        return found;
    }

  private:
    const Matrix& matrix_;
    std::int64_t count_;
};

// Moves the centre to the medians of the columns where a few rows, far from all others, hold the
// mean where no row is: sums of squares there would leave nothing of the differences of the others.
void leave_far_rows(const Sample& sample, std::vector<double>* centre,
                    std::vector<double>* spread) {
    if (sample.count() == 0) return;
    std::vector<double> distances = sample.distances(*centre);
    double mean = 0.0;
    for (double distance : distances) mean += distance / static_cast<double>(distances.size());
    const double usual = median_of(&distances);
    if (!(mean > kHeavyTail * usual)) return;
    std::vector<double> medians(centre->size()), deviations(centre->size()),
        column(static_cast<std::size_t>(sample.count()));
    for (std::size_t k = 0; k < medians.size(); ++k) {
        for (std::int64_t i = 0; i < sample.count(); ++i)
            column[i] = sample.value(i, static_cast<std::int64_t>(k));
        medians[k] = median_of(&column);
        for (double& value : column) value = std::abs(value - medians[k]);
        deviations[k] = median_of(&column);
    }
    distances = sample.distances(medians);
    const double nearer = median_of(&distances);
    if (!(nearer > 0.0 && usual > kMuchNearer * nearer)) return;
    *centre = std::move(medians);
    *spread = std::move(deviations);
}

}  // namespace

std::vector<double> rough_centre(const Matrix& matrix) {
    const Sample sample(matrix);
    std::vector<double> centre(matrix.columns, 0.0), spread(matrix.columns, 0.0);
    for (std::int64_t i = 0; i < sample.count(); ++i)
        for (std::int64_t k = 0; k < matrix.columns; ++k)
            centre[k] += sample.value(i, k) / static_cast<double>(sample.count());
    for (std::int64_t i = 0; i < sample.count(); ++i)
        for (std::int64_t k = 0; k < matrix.columns; ++k)
            spread[k] +=
                std::abs(sample.value(i, k) - centre[k]) / static_cast<double>(sample.count());
    leave_far_rows(sample, &centre, &spread);
    for (std::int64_t k = 0; k < matrix.columns; ++k) {
        if (!(spread[k] > 0.0)) continue;
        const double grain = std::exp2(std::floor(std::log2(spread[k])) - 4.0);
        centre[k] = std::round(centre[k] / grain) * grain;
    }
    return centre;
}

}  // namespace rarebit
