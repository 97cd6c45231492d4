// The few loops where the time goes, compiled once per instruction set and chosen at run time.
//
// Operands of the matrix products are packed into panels: `width` rows interleaved, entry k of the
// rows next to each other. Every product is one chain of multiply-adds over k, cut at fixed places,
// so a value depends on its two rows alone and never on the shape or the order of a block.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd/kernel_spec.hpp"

namespace rarebit {

constexpr int kPanelRows = 48;    // rows of a tile that are weighed together
constexpr int kSparseLanes = 16;  // rows that one pass over a CSR matrix serves
constexpr int kNearRows = 64;     // rows of which the nearest is noted

// The best pair found by a pass over the active set.
struct Extremes {
    double up_value;   // largest gradient among rows whose coefficient may grow
    double low_value;  // smallest gradient among rows whose coefficient may shrink
    int up = -1;
    int low = -1;
};

// The same in float32, found in two passes.
struct Extreme {
    float value;
    int index = -1;
};
struct Partner {
    int best = -1;  // -1 when no gradient that may shrink lies below that of `up`
    Extreme low;
};

struct HotLoops {
    const char* name;
    int left_width32, narrow_width32, right_width32;
    int left_width64, right_width64;

    // out[i * stride + j] = <left row i, right row j>, whole panels at a time.
    void (*product32)(const float* left, int left_panels, const float* right, int right_panels,
                      std::size_t depth, float* out, std::size_t stride);
    // The same values for left panels of narrow_width32 rows: less is wasted where there are few.
    void (*narrow_product32)(const float* left, int left_panels, const float* right,
                             int right_panels, std::size_t depth, float* out, std::size_t stride);
    void (*product64)(const double* left, int left_panels, const double* right, int right_panels,
                      std::size_t depth, double* out, std::size_t stride);

    // Dot products become kernel values in place; norms are squared lengths (rbf only).
    void (*transform32)(const KernelSpec& spec, float* tile, int rows, int columns,
                        std::size_t stride, const float* left_norms, const float* right_norms);

    // out[i] += sum_j coefficients[j] * tile[i][j], in float64.
    void (*weigh)(const float* tile, int rows, int columns, std::size_t stride,
                  const double* coefficients, double* out);

    // sums[0..47] = sum_k coefficients[k] * panel[48 * columns[k] + lane], for a tile turned so
    // that the values of 48 rows with one column are next to each other.
    void (*weigh_columns)(const float* panel, const std::int32_t* columns,
                          const float* coefficients, int count, float* sums);

    // least[b] = the smallest |sums[i] + bias| of the b-th kNearRows rows, infinity where none is a
    // number. Returns how many rows lie below 1.
    std::int64_t (*nearest)(int count, const double* sums, double bias, double* least);

    // lanes[0..15] = sum_k values[k] * scattered[16 * columns[k] + lane].
    void (*sparse_dot32)(const std::int32_t* columns, const float* values, int count,
                         const float* scattered, float* lanes);
    void (*sparse_dot64)(const std::int32_t* columns, const double* values, int count,
                         const double* scattered, double* lanes);

    // gradient -= step * (row_up - row_low); refreshes `low_gradient` (the gradient less `origin`
    // in float32 where the coefficient may shrink, +inf elsewhere) and finds the next extremes.
    // `count` is a multiple of 16. Closed rows carry -inf in up_gate and +inf in low_gate, open
    // ones 0.
    Extremes (*update)(int count, const float* row_up, const float* row_low, double step,
                       double* gradient, const float* up_gate, const float* low_gate, double origin,
                       float* low_gradient);

    // gradient -= step * (row_up - row_low) in float32, and the largest gradient that may grow.
    // `count` is a multiple of 16, gates as above.
    Extreme (*move32)(int count, const float* row_up, const float* row_low, float step,
                      float* gradient, const float* up_gate);
    // The row that gains most with `up`, and the smallest gradient that may shrink.
    Partner (*partner32)(int count, const float* row_up, const float* gradient,
                         const float* low_gate, const float* diagonal, float up_value,
                         float up_diagonal);
    // gradient -= sum_i steps[i] * rows[i] in float32; `count` is a multiple of 64.
    void (*move_rows32)(int count, const float* const* rows, const float* steps, int n_rows,
                        float* gradient);
    // sums += by * row, in float64.
    void (*add_row)(int count, const float* row, double by, double* sums);
    // sums += sum_i by[i] * rows[i], in float64.
    void (*add_rows)(int count, const float* const* rows, const double* by, int n_rows,
                     double* sums);
    // out += by * in
    void (*add64)(int count, double by, const double* in, double* out);

    // The row that gains most with `up` by a second-order step, and its gain; -1 when none lies
    // below up_value.
    Extreme (*partner)(int count, const float* row_up, const float* low_gradient,
                       const float* diagonal, float up_value, float up_diagonal);
};

// The table in use: the best that this processor runs, unless another was chosen.
const HotLoops& hot_loops();
// The table of that name, or null when this build or processor has none: lets tests compare them.
const HotLoops* hot_loops_named(const char* name);

// Fortran's GEMM with 32-bit integers, as SciPy exports it.
template <class T>
using Gemm = void (*)(char* transpose_a, char* transpose_b, int* m, int* n, int* k, T* alpha, T* a,
                      int* lda, T* b, int* ldb, T* beta, T* c, int* ldc);

// Takes matrix products from a BLAS library from now on, or from the built-in loops again when
// given nulls. Kernels made before keep what they have. The built-in loops are the default: they
// are as fast on x86-64, and their values do not depend on the library's blocking or threads.
void use_gemm(Gemm<float> sgemm, Gemm<double> dgemm);

}  // namespace rarebit
