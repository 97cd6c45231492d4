#include "kernel.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace rarebit {
namespace {

// A tile of left rows stays in the second-level cache while the right panels stream past.
constexpr int kTileRows = 96;
constexpr int kTileColumns = 512;
// Not a power of two: rows of a tile must not fall into the same few sets of the cache.
constexpr int kTileStride = kTileColumns + 16;

// Error of an rbf value that float32 products may leave before float64 ones are used.
constexpr float kLargestError = 1e-5f;
// Rows that the error is measured on: as many of the longest, and as many spread evenly.
constexpr int kMeasuredRows = 64;
// |a|^2 against the mean |a - centre|^2 beyond which float32 dot products say little.
constexpr double kFarthestFloat = 1e4;

int round_up(int n, int multiple) { return (n + multiple - 1) / multiple * multiple; }

bool uses_centre(KernelKind kind) { return kind == KernelKind::rbf || kind == KernelKind::linear; }

// The kernel as a function of an argument that was formed in float64 already.
KernelSpec plain_spec(const KernelSpec& spec) {
    KernelSpec plain = spec;
    plain.gamma = spec.kind == KernelKind::rbf ? 0.5 : 1.0;
    plain.coef0 = 0.0;
    return plain;
}

class Stopwatch {
  public:
    explicit Stopwatch(std::atomic<std::int64_t>* total) : total_(total) {}
    ~Stopwatch() {
        const auto spent = std::chrono::steady_clock::now() - start_;
        *total_ += std::chrono::duration_cast<std::chrono::nanoseconds>(spent).count();
    }

  private:
    std::atomic<std::int64_t>* total_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

Kernel::Kernel(const KernelSpec& spec, std::vector<double> centre, bool wide)
    : spec_(spec), centre_(std::move(centre)), wide_(wide) {}

Kernel::Kernel(const KernelSpec& spec, const Matrix& training) : spec_(spec) {
    if (spec.kind == KernelKind::precomputed || training.rows == 0) return;
    std::vector<double> middle;
    if (!training.sparse()) middle = rough_centre(training);
    if (uses_centre(spec.kind)) centre_ = middle;
    if (spec.kind == KernelKind::rbf) {
        wide_ = float_error(training) > kLargestError;
    } else if (spec.kind != KernelKind::linear) {
        double longest = 0.0, spread = 0.0;
        for (std::int64_t i = 0; i < training.rows; ++i) {
            longest = std::max(longest, squared_norm(training, i, centre_));
            spread += squared_norm(training, i, middle);
        }
        wide_ = longest * static_cast<double>(training.rows) > kFarthestFloat * spread;
    }
}

float Kernel::float_error(const Matrix& training) {
    std::vector<std::pair<double, std::int32_t>> norms(training.rows);
    for (std::int64_t i = 0; i < training.rows; ++i)
        norms[i] = {-squared_norm(training, i, centre_), static_cast<std::int32_t>(i)};
    const int count = static_cast<int>(std::min<std::int64_t>(kMeasuredRows, training.rows));
    std::vector<std::int32_t> rows;
    for (int i = 0; i < count; ++i) rows.push_back(norms[i * training.rows / count].second);
    std::partial_sort(norms.begin(), norms.begin() + count, norms.end());
    for (int i = 0; i < count; ++i) rows.push_back(norms[i].second);
    // A row with itself shows the rounding at its length; other pairs may all be too far to show
    // it.
    const int n = static_cast<int>(rows.size());
    std::vector<float> narrow(static_cast<std::size_t>(n) * n), exact(narrow.size());
    std::vector<float*> out(n);
    for (std::vector<float>* values : {&narrow, &exact}) {
        wide_ = values == &exact;
        for (int i = 0; i < n; ++i) out[i] = values->data() + static_cast<std::size_t>(i) * n;
        Operand right(*this, training);
        right.assign(rows);
        compute({&training, rows.data(), 0, n}, right, out.data());
    }
    float error = 0.0f;
    for (std::size_t i = 0; i < narrow.size(); ++i)
        error = std::max(error, std::abs(narrow[i] - exact[i]));
    values_ = nanoseconds_ = 0;
    return error;
}

double Kernel::diagonal(const Matrix& matrix, std::int64_t row) const {
    if (spec_.kind == KernelKind::rbf) return 1.0;
    if (spec_.kind == KernelKind::precomputed) return matrix.dense_value(row, row);
    const double norm = squared_norm(matrix, row, centre_);
    if (spec_.kind == KernelKind::linear) return norm;
    const double argument = spec_.gamma * norm + spec_.coef0;
    return spec_.kind == KernelKind::poly ? std::pow(argument, spec_.degree) : std::tanh(argument);
}

// out[i] = the argument of the kernel function, for dot products of rows of these squared norms.
void Kernel::form_arguments(const double* dots, int count, double left_norm,
                            const double* right_norms, float* out) const {
    const double gamma = spec_.gamma, coef0 = spec_.coef0;
    if (spec_.kind == KernelKind::linear)
        for (int i = 0; i < count; ++i) out[i] = static_cast<float>(dots[i]);
    else if (spec_.kind == KernelKind::rbf)
        for (int i = 0; i < count; ++i)
            out[i] = static_cast<float>(gamma * (2.0 * dots[i] - left_norm - right_norms[i]));
    else
        for (int i = 0; i < count; ++i) out[i] = static_cast<float>(gamma * dots[i] + coef0);
}

int Kernel::rows_between_polls(const Matrix& matrix, std::int64_t columns) const {
    // Work a row costs, in multiply-adds; some 2e9 of them take a tenth of a second of one core.
    const double row = static_cast<double>(columns + 1) * static_cast<double>(matrix.columns + 16);
    return static_cast<int>(std::min(4096.0, std::max(16.0, 2e9 / row)));
}

Operand::Operand(const Kernel& kernel, const Matrix& matrix, bool packed)
    : kernel_(&kernel),
      matrix_(&matrix),
      packed_(packed && kernel.spec().kind != KernelKind::precomputed) {}

void Operand::grow(int size) {
    ids_.resize(size, 0);
    if (!packed_) return;
    const HotLoops& loops = kernel_->loops_;
    const int width = kernel_->wide_ ? loops.right_width64 : loops.right_width32;
    const int padded = round_up(size, width);
    // Norms are read in whole vectors, so they are padded as panels are.
    if (static_cast<int>(norms32_.size()) < padded) {
        norms32_.resize(padded, 0.0f);
        norms64_.resize(padded, 0.0);
    }
    if (matrix_->sparse()) {
        if (column_number_.empty()) column_number_.assign(matrix_->columns, -1);
        if (kernel_->wide_)
            entries64_.resize(size);
        else
            entries32_.resize(size);
        return;
    }
    const std::size_t entries = static_cast<std::size_t>(padded) * matrix_->columns;
    if (kernel_->wide_ && panels64_.size() < entries) panels64_.resize(entries, 0.0);
    if (!kernel_->wide_ && panels32_.size() < entries) panels32_.resize(entries, 0.0f);
}

template <class T>
void Operand::read_entries(std::int32_t row, SparseRow<T>* entries) {
    entries->read(*matrix_, row);
    for (std::int32_t& column : entries->columns) {
        std::int32_t& number = column_number_[column];
        if (number < 0) number = columns_used_++;
        column = number;
    }
}

void Operand::assign(int slot, std::int32_t row) {
    if (slot >= size()) grow(slot + 1);
    ids_[slot] = row;
    if (!packed_) return;
    norms64_[slot] = squared_norm(*matrix_, row, kernel_->centre_);
    norms32_[slot] = static_cast<float>(norms64_[slot]);
    if (matrix_->sparse()) {
        if (kernel_->wide_)
            read_entries(row, &entries64_[slot]);
        else
            read_entries(row, &entries32_[slot]);
        return;
    }
    const std::size_t depth = matrix_->columns;
    const std::vector<double>& centre = kernel_->centre_;
    const auto scatter = [&](auto* panels, int width) {
        using T = std::remove_reference_t<decltype(*panels)>;
        T* to = panels + static_cast<std::size_t>(slot / width) * depth * width + slot % width;
        for (std::size_t k = 0; k < depth; ++k)
            to[k * width] = static_cast<T>(matrix_->dense_value(row, static_cast<std::int64_t>(k)) -
                                           (centre.empty() ? 0.0 : centre[k]));
    };
    if (kernel_->wide_)
        scatter(panels64_.data(), kernel_->loops_.right_width64);
    else
        scatter(panels32_.data(), kernel_->loops_.right_width32);
}

void Operand::assign(const std::vector<std::int32_t>& rows) {
    ids_.clear();
    grow(static_cast<int>(rows.size()));
    ids_ = rows;
    if (!packed_) return;
    for (int slot = 0; slot < size(); ++slot) {
        norms64_[slot] = squared_norm(*matrix_, rows[slot], kernel_->centre_);
        norms32_[slot] = static_cast<float>(norms64_[slot]);
    }
    if (matrix_->sparse()) {
        for (int slot = 0; slot < size(); ++slot)
            if (kernel_->wide_)
                read_entries(rows[slot], &entries64_[slot]);
            else
                read_entries(rows[slot], &entries32_[slot]);
        return;
    }
    const RowBlock all{matrix_, ids_.data(), 0, size()};
    const HotLoops& loops = kernel_->loops_;
    const int width = kernel_->wide_ ? loops.right_width64 : loops.right_width32;
    for (int from = 0; from < size(); from += width) {
        const RowBlock part = all.part(from, std::min(width, size() - from));
        const std::size_t at = static_cast<std::size_t>(from) * matrix_->columns;
        if (kernel_->wide_)
            pack_panel(part, width, kernel_->centre_, panels64_.data() + at);
        else
            pack_panel(part, width, kernel_->centre_, panels32_.data() + at);
    }
}

template <class Sink>
void Kernel::dense32_tiles(const RowBlock& left, const Operand& right, Sink sink) const {
    const std::size_t depth = left.matrix->columns;
    const int lw = loops_.left_width32, rw = loops_.right_width32;
    const int most = std::min(kTileRows, round_up(left.count, lw));
    AlignedVector<float> packed(static_cast<std::size_t>(most) * depth), norms(most);
    AlignedVector<float> tile(static_cast<std::size_t>(most) * kTileStride);
    for (int top = 0; top < left.count; top += kTileRows) {
        const int rows = std::min(kTileRows, left.count - top);
        const int panels = (rows + lw - 1) / lw;
        for (int p = 0; p < panels; ++p)
            pack_panel(left.part(top + p * lw, std::min(lw, rows - p * lw)), lw, centre_,
                       packed.data() + static_cast<std::size_t>(p) * lw * depth);
        if (spec_.kind == KernelKind::rbf)
            for (int i = 0; i < rows; ++i)
                norms[i] = static_cast<float>(squared_norm(*left.matrix, left[top + i], centre_));
        for (int from = 0; from < right.size(); from += kTileColumns) {
            const int columns = std::min(kTileColumns, right.size() - from);
            // Panel by panel, so that values are transformed while the first-level cache has them.
            for (int j = 0; j < columns; j += rw) {
                loops_.product32(packed.data(), panels, right.panels32_.data() + (from + j) * depth,
                                 1, depth, tile.data() + j, kTileStride);
                loops_.transform32(spec_, tile.data() + j, rows, std::min(rw, columns - j),
                                   kTileStride, norms.data(), right.norms32_.data() + from + j);
            }
            sink(top, rows, from, columns, tile.data(), kTileStride);
        }
    }
}

template <class Sink>
void Kernel::dense64_tiles(const RowBlock& left, const Operand& right, Sink sink) const {
    const std::size_t depth = left.matrix->columns;
    const int lw = loops_.left_width64, rw = loops_.right_width64;
    const int most = std::min(kTileRows, round_up(left.count, lw));
    AlignedVector<double> packed(static_cast<std::size_t>(most) * depth), norms(most);
    AlignedVector<double> dots(static_cast<std::size_t>(most) * kTileStride);
    AlignedVector<float> tile(static_cast<std::size_t>(most) * kTileStride);
    const AlignedVector<float> zeros(std::max(most, kTileColumns), 0.0f);
    const KernelSpec plain = plain_spec(spec_);
    for (int top = 0; top < left.count; top += kTileRows) {
        const int rows = std::min(kTileRows, left.count - top);
        const int panels = (rows + lw - 1) / lw;
        for (int p = 0; p < panels; ++p)
            pack_panel(left.part(top + p * lw, std::min(lw, rows - p * lw)), lw, centre_,
                       packed.data() + static_cast<std::size_t>(p) * lw * depth);
        for (int i = 0; i < rows; ++i)
            norms[i] = squared_norm(*left.matrix, left[top + i], centre_);
        for (int from = 0; from < right.size(); from += kTileColumns) {
            const int columns = std::min(kTileColumns, right.size() - from);
            const int right_panels = (columns + rw - 1) / rw;
            loops_.product64(packed.data(), panels, right.panels64_.data() + from * depth,
                             right_panels, depth, dots.data(), kTileStride);
            for (int i = 0; i < rows; ++i)
                form_arguments(dots.data() + i * kTileStride, columns, norms[i],
                               right.norms64_.data() + from, tile.data() + i * kTileStride);
            loops_.transform32(plain, tile.data(), rows, columns, kTileStride, zeros.data(),
                               zeros.data());
            sink(top, rows, from, columns, tile.data(), kTileStride);
        }
    }
}

namespace {

// Some CSR rows spread out so that the entry of lane i in column c of the operand's numbering sits
// at [16 * c + i]. Columns that the operand does not have meet only zeros and are left out.
template <class T>
class Scattered {
  public:
    Scattered(const std::vector<std::int32_t>& column_number, std::int32_t columns)
        : number_(column_number), values_(static_cast<std::size_t>(columns) * kSparseLanes, T(0)) {}

    void put(const RowBlock& rows) {
        each(rows, [](T* at, T value) { *at += value; });
    }
    void clear(const RowBlock& rows) {
        each(rows, [](T* at, T) { *at = T(0); });
    }
    const T* data() const { return values_.data(); }

  private:
    template <class Do>
    void each(const RowBlock& rows, Do act) {
        for (int i = 0; i < rows.count; ++i) {
            row_.read(*rows.matrix, rows[i]);
            for (int k = 0; k < row_.size(); ++k) {
                const std::int32_t column = number_[row_.columns[k]];
                if (column >= 0)
                    act(&values_[static_cast<std::size_t>(column) * kSparseLanes + i],
                        row_.values[k]);
            }
        }
    }

    const std::vector<std::int32_t>& number_;
    AlignedVector<T> values_;
    SparseRow<T> row_;
};

}  // namespace

template <class Sink>
void Kernel::sparse32_tiles(const RowBlock& left, const Operand& right, Sink sink) const {
    Scattered<float> scattered(right.column_number_, right.columns_used_);
    AlignedVector<float> norms(kSparseLanes, 0.0f);
    // One line a right row, sixteen left rows wide; turned over for the caller.
    AlignedVector<float> lines(static_cast<std::size_t>(kTileColumns) * kSparseLanes);
    AlignedVector<float> tile(static_cast<std::size_t>(kSparseLanes) * kTileStride);
    for (int top = 0; top < left.count; top += kSparseLanes) {
        const int rows = std::min(kSparseLanes, left.count - top);
        const RowBlock part = left.part(top, rows);
        scattered.put(part);
        for (int i = 0; i < rows; ++i)
            norms[i] = static_cast<float>(squared_norm(*left.matrix, part[i], {}));
        for (int from = 0; from < right.size(); from += kTileColumns) {
            const int columns = std::min(kTileColumns, right.size() - from);
            for (int j = 0; j < columns; ++j) {
                const SparseRow<float>& row = right.entries32_[from + j];
                loops_.sparse_dot32(row.columns.data(), row.values.data(), row.size(),
                                    scattered.data(), lines.data() + j * kSparseLanes);
            }
            loops_.transform32(spec_, lines.data(), columns, kSparseLanes, kSparseLanes,
                               right.norms32_.data() + from, norms.data());
            for (int j = 0; j < columns; ++j)
                for (int i = 0; i < kSparseLanes; ++i)
                    tile[i * kTileStride + j] = lines[j * kSparseLanes + i];
            sink(top, rows, from, columns, tile.data(), kTileStride);
        }
        scattered.clear(part);
    }
}

template <class Sink>
void Kernel::sparse64_tiles(const RowBlock& left, const Operand& right, Sink sink) const {
    Scattered<double> scattered(right.column_number_, right.columns_used_);
    double lanes[kSparseLanes];
    AlignedVector<double> dots(static_cast<std::size_t>(kSparseLanes) * kTileStride);
    AlignedVector<float> tile(static_cast<std::size_t>(kSparseLanes) * kTileStride);
    const AlignedVector<float> zeros(kTileColumns, 0.0f);
    const KernelSpec plain = plain_spec(spec_);
    for (int top = 0; top < left.count; top += kSparseLanes) {
        const int rows = std::min(kSparseLanes, left.count - top);
        const RowBlock part = left.part(top, rows);
        scattered.put(part);
        for (int from = 0; from < right.size(); from += kTileColumns) {
            const int columns = std::min(kTileColumns, right.size() - from);
            for (int j = 0; j < columns; ++j) {
                const SparseRow<double>& row = right.entries64_[from + j];
                loops_.sparse_dot64(row.columns.data(), row.values.data(), row.size(),
                                    scattered.data(), lanes);
                for (int i = 0; i < rows; ++i) dots[i * kTileStride + j] = lanes[i];
            }
            for (int i = 0; i < rows; ++i)
                form_arguments(dots.data() + i * kTileStride, columns,
                               squared_norm(*left.matrix, part[i], {}),
                               right.norms64_.data() + from, tile.data() + i * kTileStride);
            loops_.transform32(plain, tile.data(), rows, columns, kTileStride, zeros.data(),
                               zeros.data());
            sink(top, rows, from, columns, tile.data(), kTileStride);
        }
        scattered.clear(part);
    }
}

template <class Sink>
void Kernel::precomputed_tiles(const RowBlock& left, const Operand& right, Sink sink) const {
    AlignedVector<float> tile(kTileColumns);
    for (int i = 0; i < left.count; ++i)
        for (int from = 0; from < right.size(); from += kTileColumns) {
            const int columns = std::min(kTileColumns, right.size() - from);
            for (int j = 0; j < columns; ++j)
                tile[j] =
                    static_cast<float>(left.matrix->dense_value(left[i], right.ids_[from + j]));
            sink(i, 1, from, columns, tile.data(), kTileStride);
        }
}

template <class Sink>
void Kernel::for_each_tile(const RowBlock& left, const Operand& right, Sink sink) const {
    if (left.count == 0 || right.size() == 0) return;
    const Stopwatch watch(&nanoseconds_);
    values_ += static_cast<std::int64_t>(left.count) * right.size();
    if (spec_.kind == KernelKind::precomputed)
        precomputed_tiles(left, right, sink);
    else if (left.matrix->sparse() && wide_)
        sparse64_tiles(left, right, sink);
    else if (left.matrix->sparse())
        sparse32_tiles(left, right, sink);
    else if (wide_)
        dense64_tiles(left, right, sink);
    else
        dense32_tiles(left, right, sink);
}

void Kernel::compute(const RowBlock& left, const Operand& right, float* const* out) const {
    for_each_tile(left, right,
                  [&](int top, int rows, int from, int columns, const float* tile, int stride) {
                      for (int i = 0; i < rows; ++i)
                          std::copy_n(tile + static_cast<std::size_t>(i) * stride, columns,
                                      out[top + i] + from);
                  });
}

void Kernel::accumulate(const RowBlock& left, const Operand& right, const double* coefficients,
                        int machines, double* out) const {
    std::vector<double> sums(kTileRows);
    for_each_tile(
        left, right,
        [&](int top, int rows, int from, int columns, const float* tile, int tile_stride) {
            for (int m = 0; m < machines; ++m) {
                std::fill_n(sums.begin(), rows, 0.0);
                loops_.weigh(tile, rows, columns, tile_stride,
                             coefficients + static_cast<std::size_t>(m) * right.size() + from,
                             sums.data());
                for (int i = 0; i < rows; ++i)
                    out[static_cast<std::size_t>(top + i) * machines + m] += sums[i];
            }
        });
}

}  // namespace rarebit
