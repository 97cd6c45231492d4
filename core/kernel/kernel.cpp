#include "kernel/kernel.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

#include "threads.hpp"

namespace rarebit {
namespace {

// Error of an rbf value that float32 products may leave before float64 ones are used.
constexpr float kLargestError = 1e-5f;
// Rows that the error is measured on: as many of the longest, and as many spread evenly.
constexpr int kMeasuredRows = 64;
// |a|^2 against the mean |a - centre|^2 beyond which float32 dot products say little.
constexpr double kFarthestFloat = 1e4;
// |a|^2 beyond which sums of float32 products may overflow, and kernel values that cannot be kept:
// they are float32, and are added.
constexpr double kLargestProduct = 1e36, kLargestValue = 1e36;

// Multiply-adds below which a block is not worth sharing out: some 50 microseconds of one core.
constexpr double kLeastShared = 1e6;
constexpr int kPartsPerThread = 4;
constexpr int kLeftPanel = 12;  // left rows that the loops take at once, on the widest registers

// Machines from which on a tile is turned round for them.
constexpr int kManyMachines = 12;

// Multiply-adds of one value, about.
double row_length(const Matrix& matrix) {
    if (!matrix.sparse()) return static_cast<double>(matrix.columns) + 16.0;
    std::int64_t first, last, unused;
    if (matrix.rows == 0) return 16.0;
    matrix.extent(0, &first, &unused);
    matrix.extent(matrix.rows - 1, &unused, &last);
    return static_cast<double>(last - first) / static_cast<double>(matrix.rows) + 16.0;
}

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

// Largest error of float32 products in values between some of the rows.
float float_error(const Kernel& kernel, const Matrix& matrix) {
    std::vector<std::pair<double, std::int32_t>> norms(matrix.rows);
    for (std::int64_t i = 0; i < matrix.rows; ++i)
        norms[i] = {-squared_norm(matrix, i, kernel.centre()), static_cast<std::int32_t>(i)};
    const int count = static_cast<int>(std::min<std::int64_t>(kMeasuredRows, matrix.rows));
    std::vector<std::int32_t> rows;
    for (int i = 0; i < count; ++i) rows.push_back(norms[i * matrix.rows / count].second);
    std::partial_sort(norms.begin(), norms.begin() + count, norms.end());
    for (int i = 0; i < count; ++i) rows.push_back(norms[i].second);
    // A row with itself shows the rounding at its length; other pairs may all be too far to show
    // it.
    const int n = static_cast<int>(rows.size());
    std::vector<float> values[2];
    for (bool wide : {false, true}) {
        const Kernel trial(kernel.spec(), kernel.centre(), wide);
        values[wide].resize(static_cast<std::size_t>(n) * n);
        std::vector<float*> out(n);
        for (int i = 0; i < n; ++i) out[i] = values[wide].data() + static_cast<std::size_t>(i) * n;
        PackedRows right(trial, matrix);
        right.assign(rows);
        trial.compute({&matrix, rows.data(), 0, n}, right, out.data());
    }
    float error = 0.0f;
    for (std::size_t i = 0; i < values[0].size(); ++i) {
        const float off = std::abs(values[0][i] - values[1][i]);
        if (!(off <= error)) error = off;  // what is no number is the largest error
        if (std::isnan(error)) break;
    }
    return error;
}

}  // namespace

Kernel::Kernel(const KernelSpec& spec, std::vector<double> centre, bool wide)
    : spec_(spec), centre_(std::move(centre)), wide_(wide) {}

Kernel::Kernel(const KernelSpec& spec, const Matrix& training) : spec_(spec) {
    if (spec.kind == KernelKind::precomputed || training.rows == 0) return;
    if (uses_centre(spec.kind) && !training.sparse()) centre_ = rough_centre(training);
    wide_ = needs_wide(training);
}

void Kernel::refuse_overflow(const Matrix& rows) const {
    if (spec_.kind != KernelKind::linear && spec_.kind != KernelKind::poly) return;
    // No value is larger than the largest of a row with itself (Cauchy and Schwarz).
    double longest = 0.0;
    for (std::int64_t i = 0; i < rows.rows; ++i)
        longest = std::max(longest, squared_norm(rows, i, centre_));
    double largest = longest;
    if (spec_.kind == KernelKind::poly)
        largest = std::pow(spec_.gamma * longest + std::abs(spec_.coef0), spec_.degree);
    if (largest <= kLargestValue) return;
    char words[32];
    std::snprintf(words, sizeof words, "%.3g", largest);
    throw std::invalid_argument("Kernel values of these features must be at most 1e+36, got " +
                                std::string(words) +
                                ": scale the features, or remove rows with huge values.");
}

bool Kernel::needs_wide(const Matrix& rows) const {
    if (rows.rows == 0) return false;
    refuse_overflow(rows);
    if (wide_) return true;
    if (spec_.kind == KernelKind::rbf) return !(float_error(*this, rows) <= kLargestError);
    if (spec_.kind != KernelKind::poly && spec_.kind != KernelKind::sigmoid) return false;
    const std::vector<double> middle = rows.sparse() ? std::vector<double>() : rough_centre(rows);
    double longest = 0.0, spread = 0.0;
    for (std::int64_t i = 0; i < rows.rows; ++i) {
        longest = std::max(longest, squared_norm(rows, i, {}));
        spread += squared_norm(rows, i, middle);
    }
    if (longest > kLargestProduct) return true;
    return longest * static_cast<double>(rows.rows) > kFarthestFloat * spread;
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
    const double threads = threads_allowed();
    return static_cast<int>(threads * std::min(4096.0, std::max(16.0, 2e9 / row)));
}

void Kernel::tiles(const RowBlock& left, const PackedRows& right, const ColumnRange& range,
                   const TileSink& sink) const {
    if (spec_.kind == KernelKind::precomputed)
        precomputed_tiles(left, right, range, sink);
    else if (left.matrix->sparse() && wide_)
        sparse64_tiles(*this, left, right, range, sink);
    else if (left.matrix->sparse())
        sparse32_tiles(*this, left, right, range, sink);
    else if (wide_)
        dense64_tiles(*this, left, right, range, sink);
    else
        dense32_tiles(*this, left, right, range, sink);
}

void Kernel::for_each_tile(const RowBlock& left, const PackedRows& right, bool by_columns,
                           const std::function<TileSink()>& make_sink) const {
    if (left.count == 0 || right.size() == 0) return;
    const Stopwatch watch(&nanoseconds_);
    values_ += static_cast<std::int64_t>(left.count) * right.size();
    const int threads = threads_allowed();
    const double work = static_cast<double>(left.count) * right.size() * row_length(*left.matrix);
    if (threads == 1 || work < kLeastShared) {
        tiles(left, right, {0, right.size()}, make_sink());
        return;
    }
    // Parts of whole tiles, several per thread, so that none waits long for the last.
    const int wanted = kPartsPerThread * threads;
    const int lanes = left.matrix->sparse() ? kSparseLanes : kLeftPanel;
    int rows = (left.count + wanted - 1) / wanted;
    rows = std::min(kTileRows, (rows + lanes - 1) / lanes * lanes);
    // Few rows against many columns: the rows stay together, the columns are shared out.
    if (by_columns && left.count < threads * kTileRows) rows = kTileRows;
    const int tops = (left.count + rows - 1) / rows;
    const int tile_columns = (right.size() + kTileColumns - 1) / kTileColumns;
    const int ranges = by_columns ? std::min(tile_columns, (wanted + tops - 1) / tops) : 1;
    run_parallel(tops * ranges, [&](int task) {
        const int top = task / ranges * rows, part = task % ranges;
        const int from = tile_columns * part / ranges * kTileColumns;
        const int to = std::min(right.size(), tile_columns * (part + 1) / ranges * kTileColumns);
        const TileSink sink = make_sink();
        tiles(left.part(top, std::min(rows, left.count - top)), right, {from, to},
              [&](int first, int count, int column, int columns, const float* tile,
                  std::size_t stride) { sink(top + first, count, column, columns, tile, stride); });
    });
}

void Kernel::compute(const RowBlock& left, const PackedRows& right, float* const* out) const {
    const TileSink copy = [&](int top, int rows, int from, int columns, const float* tile,
                              std::size_t stride) {
        for (int i = 0; i < rows; ++i)
            std::copy_n(tile + static_cast<std::size_t>(i) * stride, columns, out[top + i] + from);
    };
    for_each_tile(left, right, true, [&] { return copy; });
}

void Kernel::accumulate(const RowBlock& left, const PackedRows& right, const double* coefficients,
                        int machines, double* out) const {
    if (machines >= kManyMachines) {
        accumulate_many(left, right, coefficients, machines, out);
        return;
    }
    const TileSink weigh = [&](int top, int rows, int from, int columns, const float* tile,
                               std::size_t tile_stride) {
        double sums[kTileRows];
        for (int m = 0; m < machines; ++m) {
            std::fill_n(sums, rows, 0.0);
            loops_.weigh(tile, rows, columns, tile_stride,
                         coefficients + static_cast<std::size_t>(m) * right.size() + from, sums);
            for (int i = 0; i < rows; ++i)
                out[static_cast<std::size_t>(top + i) * machines + m] += sums[i];
        }
    };
    for_each_tile(left, right, false, [&] { return weigh; });
}

// Machines of an ensemble share most columns with few others, so the coefficients are a sparse
// matrix. Sums are float32 within a tile and float64 between tiles.
void Kernel::accumulate_many(const RowBlock& left, const PackedRows& right,
                             const double* coefficients, int machines, double* out) const {
    const int chunks = (right.size() + kTileColumns - 1) / kTileColumns;
    std::vector<std::int32_t> columns;  // within their tile, machine by machine, tile by tile
    std::vector<float> values;
    std::vector<std::size_t> starts = {0};
    for (int chunk = 0; chunk < chunks; ++chunk)
        for (int m = 0; m < machines; ++m) {
            const int from = chunk * kTileColumns, to = std::min(right.size(), from + kTileColumns);
            const double* own = coefficients + static_cast<std::size_t>(m) * right.size();
            for (int j = from; j < to; ++j)
                if (own[j] != 0.0) {
                    columns.push_back(j - from);
                    values.push_back(static_cast<float>(own[j]));
                }
            starts.push_back(columns.size());
        }
    struct Scratch {
        AlignedVector<float> panel = AlignedVector<float>(std::size_t(kPanelRows) * kTileColumns);
        AlignedVector<float> sums = AlignedVector<float>(kPanelRows);
    };
    const auto weigh = [&](Scratch& own, int top, int rows, int from, int count, const float* tile,
                           std::size_t stride) {
        const std::size_t* start =
            starts.data() + static_cast<std::size_t>(from / kTileColumns) * machines;
        for (int first = 0; first < rows; first += kPanelRows) {
            const int part = std::min(kPanelRows, rows - first);
            for (int i = 0; i < part; ++i) {
                const float* row = tile + static_cast<std::size_t>(first + i) * stride;
                for (int k = 0; k < count; ++k) own.panel[k * kPanelRows + i] = row[k];
            }
            for (int m = 0; m < machines; ++m) {
                const int used = static_cast<int>(start[m + 1] - start[m]);
                if (used == 0) continue;
                loops_.weigh_columns(own.panel.data(), columns.data() + start[m],
                                     values.data() + start[m], used, own.sums.data());
                double* to = out + static_cast<std::size_t>(top + first) * machines + m;
                for (int i = 0; i < part; ++i)
                    to[static_cast<std::size_t>(i) * machines] += own.sums[i];
            }
        }
    };
    for_each_tile(left, right, false, [&]() -> TileSink {
        auto own = std::make_shared<Scratch>();
        return [&weigh, own](int top, int rows, int from, int count, const float* tile,
                             std::size_t stride) {
            weigh(*own, top, rows, from, count, tile, stride);
        };
    });
}

}  // namespace rarebit
