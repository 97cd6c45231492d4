// Loops of kernel values, and the table of all. Compiled once per instruction set with RAREBIT_ISA
// naming the namespace (see CMakeLists.txt).
#include "simd/hot_loops.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simd/simd.hpp"

#if defined(__GNUC__) && !defined(__clang__)
#define RAREBIT_UNROLL(n) _Pragma(RAREBIT_TEXT(GCC unroll n))
#elif defined(__clang__)
#define RAREBIT_UNROLL(n) _Pragma(RAREBIT_TEXT(unroll))
#else
#define RAREBIT_UNROLL(n)
#endif
#define RAREBIT_TEXT(x) #x

namespace rarebit {
namespace RAREBIT_ISA {
namespace {

// Accumulators fill the register file: 6 x 2 of sixteen registers, 12 x 2 of thirty-two.
#if defined(__AVX512F__) || defined(__aarch64__)
constexpr int kLeft = 12;
#else
constexpr int kLeft = 6;
#endif
constexpr int kNarrow = 4;  // as few left rows as keep the multiply-adds busy
constexpr int kVectors = 2;
constexpr int kAhead = 16;  // steps between asking memory for a right panel and its use
constexpr std::size_t kDepthBlock =
    256;  // a right panel of this depth stays in the first-level cache

template <class V>
struct Scalar;
template <>
struct Scalar<Floats> {
    using type = float;
    static constexpr int lanes = kFloats;
};
template <>
struct Scalar<Doubles> {
    using type = double;
    static constexpr int lanes = kDoubles;
};

// With `ahead` the right panel comes from memory, not from the first-level cache.
template <class V, int kRows, bool ahead, class T>
RAREBIT_INLINE void micro_product(const T* left, const T* right, std::size_t depth, T* out,
                                  std::size_t stride, bool first) {
    constexpr int lanes = Scalar<V>::lanes;
    V sum[kRows][kVectors];
    for (int i = 0; i < kRows; ++i)
        for (int j = 0; j < kVectors; ++j) sum[i][j] = fill(T(0));
    for (std::size_t k = 0; k < depth; ++k) {
        V b[kVectors];
        for (int j = 0; j < kVectors; ++j) b[j] = load<V>(right + j * lanes);
#if defined(__GNUC__) || defined(__clang__)
        if (ahead)
            for (int j = 0; j < kVectors; ++j)
                __builtin_prefetch(right + (kAhead * kVectors + j) * lanes);
#endif
        RAREBIT_UNROLL(12)
        for (int i = 0; i < kRows; ++i) {
#if defined(__GNUC__) || defined(__clang__)
            const T a = left[i];  // scalar times vector compiles to one broadcast load
#else
            const V a = fill(left[i]);
#endif
            for (int j = 0; j < kVectors; ++j) sum[i][j] += a * b[j];
        }
        left += kRows;
        right += kVectors * lanes;
    }
    for (int i = 0; i < kRows; ++i)
        for (int j = 0; j < kVectors; ++j) {
            T* p = out + i * stride + j * lanes;
            store(p, first ? sum[i][j] : load<V>(p) + sum[i][j]);
        }
}

template <class V, int kRows, class T>
void product(const T* left, int left_panels, const T* right, int right_panels, std::size_t depth,
             T* out, std::size_t stride) {
    constexpr int width = kVectors * Scalar<V>::lanes;
    if (depth == 0) {
        for (int i = 0; i < left_panels * kRows; ++i)
            std::fill_n(out + i * stride, right_panels * width, T(0));
        return;
    }
    for (std::size_t from = 0; from < depth; from += kDepthBlock) {
        const std::size_t part = std::min(kDepthBlock, depth - from);
        for (int j = 0; j < right_panels; ++j) {
            const T* b = right + (j * depth + from) * width;
            const bool first = from == 0;
            micro_product<V, kRows, true>(left + from * kRows, b, part, out + j * width, stride,
                                          first);
            for (int i = 1; i < left_panels; ++i)
                micro_product<V, kRows, false>(left + (i * depth + from) * kRows, b, part,
                                               out + i * kRows * stride + j * width, stride, first);
        }
    }
}

template <class Each>
RAREBIT_INLINE void for_each_vector(float* tile, int rows, int columns, std::size_t stride,
                                    Each each) {
    for (int i = 0; i < rows; ++i) {
        float* row = tile + i * stride;
        int j = 0;
        for (; j + kFloats <= columns; j += kFloats)
            store(row + j, each(i, j, load<Floats>(row + j)));
        if (j < columns) {
            float tail[kFloats] = {};
            std::copy(row + j, row + columns, tail);
            const Floats value = each(i, j, load<Floats>(tail));
            for (int k = 0; j + k < columns; ++k) row[j + k] = value[k];
        }
    }
}

void transform32(const KernelSpec& spec, float* tile, int rows, int columns, std::size_t stride,
                 const float* left_norms, const float* right_norms) {
    const float gamma = static_cast<float>(spec.gamma);
    const Floats coef0 = fill(static_cast<float>(spec.coef0));
    switch (spec.kind) {
        case KernelKind::linear:
        case KernelKind::precomputed:
            return;
        case KernelKind::rbf: {
            // -gamma |a - b|^2 = gamma (2ab - |a|^2 - |b|^2), clipped at 0 against rounding.
            // right_norms is padded to whole vectors by its owner.
            const Floats zero = fill(0.0f);
            // The difference is taken first: it is exact where it is small, which is where it
            // counts.
            const Floats two = fill(2.0f), width = fill(gamma);
            for_each_vector(tile, rows, columns, stride, [&](int i, int j, Floats dot) {
                const Floats norms = fill(left_norms[i]) + load<Floats>(right_norms + j);
                const Floats exponent = width * (two * dot - norms);
                return exp_floats(choose(less(zero, exponent), zero, exponent));
            });
            return;
        }
        case KernelKind::poly:
            for_each_vector(tile, rows, columns, stride, [&](int, int, Floats dot) {
                const Floats base = fill(gamma) * dot + coef0;
                Floats power = fill(1.0f);
                Floats square = base;
                for (int e = spec.degree; e > 0; e >>= 1) {
                    if (e & 1) power = power * square;
                    square = square * square;
                }
                return power;
            });
            return;
        case KernelKind::sigmoid:
            for_each_vector(tile, rows, columns, stride, [&](int, int, Floats dot) {
                Floats value = fill(gamma) * dot + coef0;
                for (int k = 0; k < kFloats; ++k) value[k] = std::tanh(value[k]);
                return value;
            });
            return;
    }
}

void weigh(const float* tile, int rows, int columns, std::size_t stride, const double* coefficients,
           double* out) {
    for (int i = 0; i < rows; ++i) {
        const float* row = tile + i * stride;
        Doubles a = fill(0.0), b = fill(0.0);
        int j = 0;
        for (; j + 2 * kDoubles <= columns; j += 2 * kDoubles) {
            a += widen(load<HalfFloats>(row + j)) * load<Doubles>(coefficients + j);
            b += widen(load<HalfFloats>(row + j + kDoubles)) *
                 load<Doubles>(coefficients + j + kDoubles);
        }
        a += b;
        double sum = 0.0;
        for (int k = 0; k < kDoubles; ++k) sum += a[k];
        for (; j < columns; ++j) sum += coefficients[j] * static_cast<double>(row[j]);
        out[i] += sum;
    }
}

void weigh_columns(const float* panel, const std::int32_t* columns, const float* coefficients,
                   int count, float* sums) {
    constexpr int parts = kPanelRows / kFloats;
    Floats sum[parts];
    for (int p = 0; p < parts; ++p) sum[p] = fill(0.0f);
    for (int k = 0; k < count; ++k) {
        const float* at = panel + static_cast<std::size_t>(columns[k]) * kPanelRows;
        const Floats by = fill(coefficients[k]);
        RAREBIT_UNROLL(12)
        for (int p = 0; p < parts; ++p) sum[p] += by * load<Floats>(at + p * kFloats);
    }
    for (int p = 0; p < parts; ++p) store(sums + p * kFloats, sum[p]);
}

std::int64_t nearest(int count, const double* sums, double bias, double* least) {
    const double inf = std::numeric_limits<double>::infinity();
    const Doubles shift = fill(bias), margin = fill(1.0), zero = fill(0.0);
    Longs inside = less(zero, zero);  // minus one for each row found
    std::int64_t found = 0;
    const auto distances = [&](int i) {
        const Doubles value = load<Doubles>(sums + i) + shift;
        const Doubles distance = largest(value, zero - value);
        inside += less(distance, margin);
        return distance;
    };
    for (int from = 0; from < count; from += kNearRows) {
        const int to = std::min(count, from + kNearRows);
        Doubles one = fill(inf), other = one;  // two, which do not wait for each other
        int i = from;
        for (; i + 2 * kDoubles <= to; i += 2 * kDoubles) {
            one = smallest(one, distances(i));
            other = smallest(other, distances(i + kDoubles));
        }
        one = smallest(one, other);
        double best = inf;
        for (int k = 0; k < kDoubles; ++k) best = std::min(best, static_cast<double>(one[k]));
        for (; i < to; ++i) {
            const double distance = std::abs(sums[i] + bias);
            best = std::min(best, distance);
            found += distance < 1.0;
        }
        least[from / kNearRows] = best;
    }
    for (int k = 0; k < kDoubles; ++k) found -= inside[k];
    return found;
}

template <class V, class T>
void sparse_dot(const std::int32_t* columns, const T* values, int count, const T* scattered,
                T* lanes) {
    constexpr int width = Scalar<V>::lanes;
    constexpr int parts = kSparseLanes / width;
    V sum[parts];
    for (int p = 0; p < parts; ++p) sum[p] = fill(T(0));
    for (int k = 0; k < count; ++k) {
        const T* at = scattered + static_cast<std::size_t>(columns[k]) * kSparseLanes;
        const V value = fill(values[k]);
        for (int p = 0; p < parts; ++p) sum[p] += value * load<V>(at + p * width);
    }
    for (int p = 0; p < parts; ++p) store(lanes + p * width, sum[p]);
}

}  // namespace

void set_solver_loops(HotLoops* loops);  // solver_loops.cpp

const HotLoops& table() {
    static const HotLoops loops = [] {
        HotLoops made = {};
#define RAREBIT_NAME_OF(x) RAREBIT_TEXT(x)
        made.name = RAREBIT_NAME_OF(RAREBIT_ISA);
        made.left_width32 = made.left_width64 = kLeft;
        made.narrow_width32 = kNarrow;
        made.right_width32 = kVectors * kFloats;
        made.right_width64 = kVectors * kDoubles;
        made.product32 = product<Floats, kLeft, float>;
        made.narrow_product32 = product<Floats, kNarrow, float>;
        made.product64 = product<Doubles, kLeft, double>;
        made.transform32 = transform32;
        made.weigh = weigh;
        made.weigh_columns = weigh_columns;
        made.nearest = nearest;
        made.sparse_dot32 = sparse_dot<Floats, float>;
        made.sparse_dot64 = sparse_dot<Doubles, double>;
        set_solver_loops(&made);
        return made;
    }();
    return loops;
}

}  // namespace RAREBIT_ISA
}  // namespace rarebit
