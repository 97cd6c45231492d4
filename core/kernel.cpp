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

// gamma |a|^2 beyond which float32 would leave errors above 1e-5 in an rbf value.
constexpr double kLongestFloat = 16.0;
// |a|^2 against the mean |a - centre|^2 beyond which float32 dot products say little.
constexpr double kFarthestFloat = 1e4;

int round_up(int n, int multiple) { return (n + multiple - 1) / multiple * multiple; }

bool uses_centre(KernelKind kind) { return kind == KernelKind::rbf || kind == KernelKind::linear; }

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
    double longest = 0.0, mean_spread = 0.0;
    for (std::int64_t i = 0; i < training.rows; ++i) {
        const double norm = squared_norm(training, i, centre_);
        longest = std::max(longest, norm);
        if (!uses_centre(spec.kind)) mean_spread += squared_norm(training, i, middle);
    }
    if (spec.kind == KernelKind::rbf)
        wide_ = spec.gamma * longest > kLongestFloat;
    else if (spec.kind != KernelKind::linear)
        wide_ = longest * static_cast<double>(training.rows) > kFarthestFloat * mean_spread;
}

double Kernel::diagonal(const Matrix& matrix, std::int64_t row) const {
    if (spec_.kind == KernelKind::rbf) return 1.0;
    if (spec_.kind == KernelKind::precomputed) return matrix.dense_value(row, row);
    const double norm = squared_norm(matrix, row, centre_);
    if (spec_.kind == KernelKind::linear) return norm;
    const double argument = spec_.gamma * norm + spec_.coef0;
    return spec_.kind == KernelKind::poly ? std::pow(argument, spec_.degree) : std::tanh(argument);
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
    if (matrix_->sparse()) return;
    const std::size_t entries = static_cast<std::size_t>(padded) * matrix_->columns;
    if (kernel_->wide_ && panels64_.size() < entries) panels64_.resize(entries, 0.0);
    if (!kernel_->wide_ && panels32_.size() < entries) panels32_.resize(entries, 0.0f);
}

void Operand::assign(int slot, std::int32_t row) {
    if (slot >= size()) grow(slot + 1);
    ids_[slot] = row;
    if (!packed_) return;
    norms64_[slot] = squared_norm(*matrix_, row, kernel_->centre_);
    norms32_[slot] = static_cast<float>(norms64_[slot]);
    if (matrix_->sparse()) return;
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
    for (int slot = 0; slot < size(); ++slot) assign(slot, rows[slot]);
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
    // The argument of the kernel function is formed in float64, so the transform gets it as it is.
    KernelSpec plain = spec_;
    plain.gamma = spec_.kind == KernelKind::rbf ? 0.5 : 1.0;
    plain.coef0 = 0.0;
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
                for (int j = 0; j < columns; ++j) {
                    const double dot = dots[i * kTileStride + j];
                    const double argument =
                        spec_.kind == KernelKind::linear ? dot
                        : spec_.kind == KernelKind::rbf
                            ? spec_.gamma * (2.0 * dot - norms[i] - right.norms64_[from + j])
                            : spec_.gamma * dot + spec_.coef0;
                    tile[i * kTileStride + j] = static_cast<float>(argument);
                }
            loops_.transform32(plain, tile.data(), rows, columns, kTileStride, zeros.data(),
                               zeros.data());
            sink(top, rows, from, columns, tile.data(), kTileStride);
        }
    }
}

template <class T, class Sink>
void Kernel::sparse_tiles(const RowBlock& left, const Operand& right, Sink sink) const {
    const std::size_t depth = left.matrix->columns;
    AlignedVector<T> scattered(depth * kSparseLanes, T(0));
    AlignedVector<T> lanes(kSparseLanes);
    AlignedVector<float> tile(static_cast<std::size_t>(kSparseLanes) * kTileStride);
    const AlignedVector<float> zeros(kTileColumns, 0.0f);
    double norms[kSparseLanes] = {};
    SparseRow<T> row;
    KernelSpec plain = spec_;
    plain.gamma = spec_.kind == KernelKind::rbf ? 0.5 : 1.0;
    plain.coef0 = 0.0;
    for (int top = 0; top < left.count; top += kSparseLanes) {
        const int rows = std::min(kSparseLanes, left.count - top);
        for (int i = 0; i < rows; ++i) {
            row.read(*left.matrix, left[top + i]);
            for (int k = 0; k < row.size(); ++k)
                scattered[static_cast<std::size_t>(row.columns[k]) * kSparseLanes + i] +=
                    row.values[k];
            norms[i] = squared_norm(*left.matrix, left[top + i], {});
        }
        for (int from = 0; from < right.size(); from += kTileColumns) {
            const int columns = std::min(kTileColumns, right.size() - from);
            for (int j = 0; j < columns; ++j) {
                row.read(*right.matrix_, right.ids_[from + j]);
                if constexpr (sizeof(T) == 4)
                    loops_.sparse_dot32(row.columns.data(), row.values.data(), row.size(),
                                        scattered.data(), lanes.data());
                else
                    loops_.sparse_dot64(row.columns.data(), row.values.data(), row.size(),
                                        scattered.data(), lanes.data());
                for (int i = 0; i < rows; ++i) {
                    const double dot = lanes[i];
                    const double argument =
                        spec_.kind == KernelKind::linear ? dot
                        : spec_.kind == KernelKind::rbf
                            ? spec_.gamma * (2.0 * dot - norms[i] - right.norms64_[from + j])
                            : spec_.gamma * dot + spec_.coef0;
                    tile[i * kTileStride + j] = static_cast<float>(argument);
                }
            }
            loops_.transform32(plain, tile.data(), rows, columns, kTileStride, zeros.data(),
                               zeros.data());
            sink(top, rows, from, columns, tile.data(), kTileStride);
        }
        for (int i = 0; i < rows; ++i) {
            row.read(*left.matrix, left[top + i]);
            for (int k = 0; k < row.size(); ++k)
                scattered[static_cast<std::size_t>(row.columns[k]) * kSparseLanes + i] = T(0);
        }
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
        sparse_tiles<double>(left, right, sink);
    else if (left.matrix->sparse())
        sparse_tiles<float>(left, right, sink);
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
