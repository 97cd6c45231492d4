// Loops of the solvers. Compiled once per instruction set, as hot_loops.cpp.
#include <algorithm>
#include <cmath>
#include <limits>

#include "simd/hot_loops.hpp"
#include "simd/simd.hpp"

namespace rarebit {
namespace RAREBIT_ISA {
namespace {

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

Extreme partner(int count, const float* row_up, const float* low_gradient, const float* diagonal,
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
    if (best_chunk < 0) return {best};
    for (int k = best_chunk;; k += kFloats) {
        const Floats gain = gain_at(k);
        for (int q = 0; q < kFloats; ++q)
            if (gain[q] == best) return {best, k + q};
    }
}

}  // namespace

void set_solver_loops(HotLoops* loops);

void set_solver_loops(HotLoops* loops) {
    loops->update = update;
    loops->move32 = move32;
    loops->partner32 = partner32;
    loops->move_rows32 = move_rows32;
    loops->add_row = add_row;
    loops->add_rows = add_rows;
    loops->add64 = add64;
    loops->partner = partner;
}

}  // namespace RAREBIT_ISA
}  // namespace rarebit
