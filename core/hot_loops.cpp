// Compiled once per instruction set with RAREBIT_ISA naming the namespace (see CMakeLists.txt).
#include "hot_loops.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simd.hpp"

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
constexpr int kVectors = 2;
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

template <class V, class T>
RAREBIT_INLINE void micro_product(const T* left, const T* right, std::size_t depth, T* out,
                                  std::size_t stride, bool first) {
    constexpr int lanes = Scalar<V>::lanes;
    V sum[kLeft][kVectors];
    for (int i = 0; i < kLeft; ++i)
        for (int j = 0; j < kVectors; ++j) sum[i][j] = fill(T(0));
    for (std::size_t k = 0; k < depth; ++k) {
        V b[kVectors];
        for (int j = 0; j < kVectors; ++j) b[j] = load<V>(right + j * lanes);
        RAREBIT_UNROLL(12)
        for (int i = 0; i < kLeft; ++i) {
#if defined(__GNUC__) || defined(__clang__)
            const T a = left[i];  // scalar times vector compiles to one broadcast load
#else
            const V a = fill(left[i]);
#endif
            for (int j = 0; j < kVectors; ++j) sum[i][j] += a * b[j];
        }
        left += kLeft;
        right += kVectors * lanes;
    }
    for (int i = 0; i < kLeft; ++i)
        for (int j = 0; j < kVectors; ++j) {
            T* p = out + i * stride + j * lanes;
            store(p, first ? sum[i][j] : load<V>(p) + sum[i][j]);
        }
}

template <class V, class T>
void product(const T* left, int left_panels, const T* right, int right_panels, std::size_t depth,
             T* out, std::size_t stride) {
    constexpr int width = kVectors * Scalar<V>::lanes;
    if (depth == 0) {
        for (int i = 0; i < left_panels * kLeft; ++i)
            std::fill_n(out + i * stride, right_panels * width, T(0));
        return;
    }
    for (std::size_t from = 0; from < depth; from += kDepthBlock) {
        const std::size_t part = std::min(kDepthBlock, depth - from);
        for (int j = 0; j < right_panels; ++j) {
            const T* b = right + (j * depth + from) * width;
            for (int i = 0; i < left_panels; ++i)
                micro_product<V, T>(left + (i * depth + from) * kLeft, b, part,
                                    out + i * kLeft * stride + j * width, stride, from == 0);
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

Closeness measure(int count, const double* sums, double bias, double limit, double* distances) {
    const Doubles shift = fill(bias), margin = fill(1.0), below = fill(limit), zero = fill(0.0);
    Longs inside = less(zero, zero), closest = inside;  // minus one for each row found
    int i = 0;
    for (; i + kDoubles <= count; i += kDoubles) {
        const Doubles value = load<Doubles>(sums + i) + shift;
        const Doubles distance = largest(value, zero - value);
        store(distances + i, distance);
        inside += less(distance, margin);
        closest += less(distance, below);
    }
    Closeness found;
    for (int k = 0; k < kDoubles; ++k) {
        found.inside -= inside[k];
        found.closest -= closest[k];
    }
    for (; i < count; ++i) {
        distances[i] = std::abs(sums[i] + bias);
        found.inside += distances[i] < 1.0;
        found.closest += distances[i] < limit;
    }
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

constexpr int kChunk = 64;  // rows between two looks at the running extremes

Extremes update(int count, const float* row_up, const float* row_low, double step, double* gradient,
                const float* up_gate, const float* low_gate, double origin, float* low_gradient) {
    const double inf = std::numeric_limits<double>::infinity();
    Extremes best{-inf, inf};
    int up_chunk = -1, low_chunk = -1;
    const Doubles by = fill(step), middle = fill(origin);
    for (int from = 0; from < count; from += kChunk) {
        const int to = std::min(count, from + kChunk);
        Doubles up = fill(-inf), low = fill(inf);
        for (int k = from; k < to; k += kDoubles) {
            const Doubles difference =
                widen(load<HalfFloats>(row_up + k)) - widen(load<HalfFloats>(row_low + k));
            const Doubles g = load<Doubles>(gradient + k) - by * difference;
            store(gradient + k, g);
            const Doubles lowered = g + widen(load<HalfFloats>(low_gate + k));
            up = largest(up, g + widen(load<HalfFloats>(up_gate + k)));
            low = smallest(low, lowered);
            store(low_gradient + k, narrow(lowered - middle));
        }
        for (int q = 0; q < kDoubles; ++q) {
            if (up[q] > best.up_value) best.up_value = up[q], up_chunk = from;
            if (low[q] < best.low_value) best.low_value = low[q], low_chunk = from;
        }
    }
    if (up_chunk >= 0)
        for (int k = up_chunk; best.up < 0; ++k)
            if (gradient[k] + up_gate[k] == best.up_value) best.up = k;
    if (low_chunk >= 0)
        for (int k = low_chunk; best.low < 0; ++k)
            if (gradient[k] + low_gate[k] == best.low_value) best.low = k;
    return best;
}

// The largest value seen in each lane and where; places are floats, exact to 16 million.
struct Leaders {
    Floats value, place;

    explicit Leaders(float lowest) : value(fill(lowest)), place(fill(-1.0f)) {}
    RAREBIT_INLINE void offer(Floats candidate, Floats at) {
        const Ints better = less(value, candidate);
        value = choose(better, candidate, value);
        place = choose(better, at, place);
    }
    // Of equal values the first in order.
    Extreme first() const {
        Extreme best{value[0]};
        best.index = place[0] < 0.0f ? -1 : static_cast<int>(place[0]);
        for (int q = 1; q < kFloats; ++q) {
            const int index = place[q] < 0.0f ? -1 : static_cast<int>(place[q]) + q;
            if (index < 0) continue;
            if (best.index < 0 || value[q] > best.value ||
                (value[q] == best.value && index < best.index))
                best.value = value[q], best.index = index;
        }
        return best;
    }
};

Extreme move32(int count, const float* row_up, const float* row_low, float step, float* gradient,
               const float* up_gate) {
    Leaders up(-std::numeric_limits<float>::infinity());
    const Floats by = fill(step), width = fill(static_cast<float>(kFloats));
    Floats at = fill(0.0f);
    for (int k = 0; k < count; k += kFloats) {
        const Floats g = load<Floats>(gradient + k) -
                         by * (load<Floats>(row_up + k) - load<Floats>(row_low + k));
        store(gradient + k, g);
        up.offer(g + load<Floats>(up_gate + k), at);
        at = at + width;
    }
    return up.first();
}

Partner partner32(int count, const float* row_up, const float* gradient, const float* low_gate,
                  const float* diagonal, float up_value, float up_diagonal) {
    const Floats zero = fill(0.0f), top = fill(up_value), own = fill(up_diagonal);
    // Curvatures of float32 values are uncertain by about this much.
    const Floats flattest = fill(1e-7f * std::abs(up_diagonal) + 1e-12f), two = fill(2.0f);
    const Floats width = fill(static_cast<float>(kFloats));
    Leaders gains(0.0f), falls(-std::numeric_limits<float>::infinity());
    Floats at = fill(0.0f);
    for (int k = 0; k < count; k += kFloats) {
        // Closed rows hold +inf and fall below: fall = -inf is cut to 0.
        const Floats fall = top - (load<Floats>(gradient + k) + load<Floats>(low_gate + k));
        falls.offer(fall, at);
        const Floats useful = largest(fall, zero);
        const Floats curvature = own + load<Floats>(diagonal + k) - two * load<Floats>(row_up + k);
        gains.offer(useful * useful / largest(curvature, flattest), at);
        at = at + width;
    }
    Partner found;
    found.best = gains.first().index;
    found.low.index = falls.first().index;
    found.low.value = found.low.index < 0 ? std::numeric_limits<float>::infinity()
                                          : gradient[found.low.index] + low_gate[found.low.index];
    return found;
}

void move_rows32(int count, const float* const* rows, const float* steps, int n_rows,
                 float* gradient) {
    constexpr int kWide = 4;  // sums at a time, which do not wait for each other
    for (int k = 0; k < count; k += kWide * kFloats) {
        Floats sums[kWide];
        for (int w = 0; w < kWide; ++w) sums[w] = load<Floats>(gradient + k + w * kFloats);
        for (int i = 0; i < n_rows; ++i) {
            const Floats by = fill(steps[i]);
            for (int w = 0; w < kWide; ++w)
                sums[w] = sums[w] - by * load<Floats>(rows[i] + k + w * kFloats);
        }
        for (int w = 0; w < kWide; ++w) store(gradient + k + w * kFloats, sums[w]);
    }
}

void add_row(int count, const float* row, double by, double* sums) {
    const Doubles factor = fill(by);
    int k = 0;
    for (; k + kDoubles <= count; k += kDoubles)
        store(sums + k, load<Doubles>(sums + k) + factor * widen(load<HalfFloats>(row + k)));
    for (; k < count; ++k) sums[k] += by * static_cast<double>(row[k]);
}

void add_rows(int count, const float* const* rows, const double* by, int n_rows, double* sums) {
    constexpr int kWide = 4;
    int k = 0;
    for (; k + kWide * kDoubles <= count; k += kWide * kDoubles) {
        Doubles own[kWide];
        for (int w = 0; w < kWide; ++w) own[w] = load<Doubles>(sums + k + w * kDoubles);
        for (int i = 0; i < n_rows; ++i) {
            const Doubles factor = fill(by[i]);
            for (int w = 0; w < kWide; ++w)
                own[w] += factor * widen(load<HalfFloats>(rows[i] + k + w * kDoubles));
        }
        for (int w = 0; w < kWide; ++w) store(sums + k + w * kDoubles, own[w]);
    }
    for (; k < count; ++k)
        for (int i = 0; i < n_rows; ++i) sums[k] += by[i] * static_cast<double>(rows[i][k]);
}

void add64(int count, double by, const double* in, double* out) {
    const Doubles factor = fill(by);
    int k = 0;
    for (; k + kDoubles <= count; k += kDoubles)
        store(out + k, load<Doubles>(out + k) + factor * load<Doubles>(in + k));
    for (; k < count; ++k) out[k] += by * in[k];
}

int partner(int count, const float* row_up, const float* low_gradient, const float* diagonal,
            float up_value, float up_diagonal) {
    const Floats zero = fill(0.0f), top = fill(up_value), own = fill(up_diagonal);
    // Curvatures of float32 values are uncertain by about this much.
    const Floats flattest = fill(1e-7f * std::abs(up_diagonal) + 1e-12f), two = fill(2.0f);
    float best = 0.0f;
    int best_chunk = -1;
    const auto gain_at = [&](int k) {
        // Closed rows hold +inf and fall below: fall = -inf is cut to 0.
        const Floats fall = largest(top - load<Floats>(low_gradient + k), zero);
        const Floats curvature = own + load<Floats>(diagonal + k) - two * load<Floats>(row_up + k);
        return fall * fall / largest(curvature, flattest);
    };
    for (int from = 0; from < count; from += kChunk) {
        const int to = std::min(count, from + kChunk);
        Floats gain = zero;
        for (int k = from; k < to; k += kFloats) gain = largest(gain, gain_at(k));
        for (int q = 0; q < kFloats; ++q)
            if (gain[q] > best) best = gain[q], best_chunk = from;
    }
    if (best_chunk < 0) return -1;
    for (int k = best_chunk;; k += kFloats) {
        const Floats gain = gain_at(k);
        for (int q = 0; q < kFloats; ++q)
            if (gain[q] == best) return k + q;
    }
}

}  // namespace

const HotLoops& table() {
    static const HotLoops loops = {
#define RAREBIT_NAME_OF(x) RAREBIT_TEXT(x)
        RAREBIT_NAME_OF(RAREBIT_ISA),
        kLeft,
        kVectors * kFloats,
        kLeft,
        kVectors * kDoubles,
        product<Floats, float>,
        product<Doubles, double>,
        transform32,
        weigh,
        weigh_columns,
        measure,
        sparse_dot<Floats, float>,
        sparse_dot<Doubles, double>,
        update,
        move32,
        partner32,
        move_rows32,
        add_row,
        add_rows,
        add64,
        partner,
    };
    return loops;
}

}  // namespace RAREBIT_ISA
}  // namespace rarebit
