#include "kernel.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace rarebit {
namespace {

// Error of an rbf value that float32 products may leave before float64 ones are used.
constexpr float kLargestError = 1e-5f;
// Rows that the error is measured on: as many of the longest, and as many spread evenly.
constexpr int kMeasuredRows = 64;
// |a|^2 against the mean |a - centre|^2 beyond which float32 dot products say little.
constexpr double kFarthestFloat = 1e4;

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

int Kernel::rows_between_polls(const Matrix& matrix, std::int64_t columns) const {
    // Work a row costs, in multiply-adds; some 2e9 of them take a tenth of a second of one core.
    const double row = static_cast<double>(columns + 1) * static_cast<double>(matrix.columns + 16);
    return static_cast<int>(std::min(4096.0, std::max(16.0, 2e9 / row)));
}

void Kernel::for_each_tile(const RowBlock& left, const Operand& right, const TileSink& sink) const {
    if (left.count == 0 || right.size() == 0) return;
    const Stopwatch watch(&nanoseconds_);
    values_ += static_cast<std::int64_t>(left.count) * right.size();
    if (spec_.kind == KernelKind::precomputed)
        precomputed_tiles(left, right, sink);
    else if (left.matrix->sparse() && wide_)
        sparse64_tiles(*this, left, right, sink);
    else if (left.matrix->sparse())
        sparse32_tiles(*this, left, right, sink);
    else if (wide_)
        dense64_tiles(*this, left, right, sink);
    else
        dense32_tiles(*this, left, right, sink);
}

void Kernel::compute(const RowBlock& left, const Operand& right, float* const* out) const {
    for_each_tile(
        left, right,
        [&](int top, int rows, int from, int columns, const float* tile, std::size_t stride) {
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
        [&](int top, int rows, int from, int columns, const float* tile, std::size_t tile_stride) {
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
