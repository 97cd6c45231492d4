// Fixed-width vectors that compile to the widest registers of the instruction set a translation
// unit is built for. GCC and Clang use their vector extension; other compilers get a plain array
// with the same operators, which their optimiser unrolls.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__AVX512F__)
#define RAREBIT_VECTOR_BYTES 64
#elif defined(__AVX2__)
#define RAREBIT_VECTOR_BYTES 32
#else
#define RAREBIT_VECTOR_BYTES 16
#endif

#if defined(__GNUC__) || defined(__clang__)
#define RAREBIT_INLINE inline __attribute__((always_inline))
#else
#define RAREBIT_INLINE __forceinline
#endif

namespace rarebit {
namespace RAREBIT_ISA {

constexpr int kFloats = RAREBIT_VECTOR_BYTES / 4;   // lanes of a float vector
constexpr int kDoubles = RAREBIT_VECTOR_BYTES / 8;  // lanes of a double vector

#if defined(__GNUC__) || defined(__clang__)

typedef float Floats __attribute__((vector_size(RAREBIT_VECTOR_BYTES)));
typedef double Doubles __attribute__((vector_size(RAREBIT_VECTOR_BYTES)));
typedef std::int32_t Ints __attribute__((vector_size(RAREBIT_VECTOR_BYTES)));
typedef std::int64_t Longs __attribute__((vector_size(RAREBIT_VECTOR_BYTES)));
typedef float HalfFloats __attribute__((vector_size(RAREBIT_VECTOR_BYTES / 2)));

RAREBIT_INLINE Doubles widen(HalfFloats v) { return __builtin_convertvector(v, Doubles); }
RAREBIT_INLINE HalfFloats narrow(Doubles v) { return __builtin_convertvector(v, HalfFloats); }
RAREBIT_INLINE Ints less(Floats a, Floats b) { return a < b; }
RAREBIT_INLINE Longs less(Doubles a, Doubles b) { return a < b; }
RAREBIT_INLINE Floats choose(Ints mask, Floats yes, Floats no) {
    return (Floats)((mask & (Ints)yes) | (~mask & (Ints)no));
}
RAREBIT_INLINE Doubles choose(Longs mask, Doubles yes, Doubles no) {
    return (Doubles)((mask & (Longs)yes) | (~mask & (Longs)no));
}
RAREBIT_INLINE Ints bits_of(Floats v) { return (Ints)v; }
RAREBIT_INLINE Floats floats_of(Ints v) { return (Floats)v; }

#else

template <class T, int N>
struct Lanes {
    T v[N];
    T& operator[](int i) { return v[i]; }
    T operator[](int i) const { return v[i]; }
};
#define RAREBIT_LANE_OPERATOR(op)                                                         \
    template <class T, int N>                                                             \
    RAREBIT_INLINE Lanes<T, N> operator op(Lanes<T, N> a, const Lanes<T, N>& b) {         \
        for (int i = 0; i < N; ++i) a.v[i] = a.v[i] op b.v[i];                            \
        return a;                                                                         \
    }                                                                                     \
    template <class T, int N>                                                             \
    RAREBIT_INLINE Lanes<T, N>& operator op## = (Lanes<T, N> & a, const Lanes<T, N>& b) { \
        a = a op b;                                                                       \
        return a;                                                                         \
    }
RAREBIT_LANE_OPERATOR(+)
RAREBIT_LANE_OPERATOR(-)
RAREBIT_LANE_OPERATOR(*)
RAREBIT_LANE_OPERATOR(/)
#undef RAREBIT_LANE_OPERATOR

typedef Lanes<float, kFloats> Floats;
typedef Lanes<double, kDoubles> Doubles;
typedef Lanes<std::int32_t, kFloats> Ints;
typedef Lanes<std::int64_t, kDoubles> Longs;
typedef Lanes<float, kDoubles> HalfFloats;

template <int N>
RAREBIT_INLINE Lanes<std::int32_t, N> operator<<(Lanes<std::int32_t, N> a, int s) {
    for (int i = 0; i < N; ++i)
        a.v[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(a.v[i]) << s);
    return a;
}
RAREBIT_INLINE Doubles widen(HalfFloats v) {
    Doubles w;
    for (int i = 0; i < kDoubles; ++i) w.v[i] = v.v[i];
    return w;
}
RAREBIT_INLINE HalfFloats narrow(Doubles v) {
    HalfFloats w;
    for (int i = 0; i < kDoubles; ++i) w.v[i] = static_cast<float>(v.v[i]);
    return w;
}
template <class I, class T, int N>
RAREBIT_INLINE Lanes<I, N> less_lanes(const Lanes<T, N>& a, const Lanes<T, N>& b) {
    Lanes<I, N> m;
    for (int i = 0; i < N; ++i) m.v[i] = a.v[i] < b.v[i] ? -1 : 0;
    return m;
}
RAREBIT_INLINE Ints less(Floats a, Floats b) { return less_lanes<std::int32_t>(a, b); }
RAREBIT_INLINE Longs less(Doubles a, Doubles b) { return less_lanes<std::int64_t>(a, b); }
template <class M, class T, int N>
RAREBIT_INLINE Lanes<T, N> choose(const Lanes<M, N>& mask, const Lanes<T, N>& yes, Lanes<T, N> no) {
    for (int i = 0; i < N; ++i) no.v[i] = mask.v[i] ? yes.v[i] : no.v[i];
    return no;
}
RAREBIT_INLINE Ints bits_of(Floats v) {
    Ints r;
    std::memcpy(&r, &v, sizeof r);
    return r;
}
RAREBIT_INLINE Floats floats_of(Ints v) {
    Floats r;
    std::memcpy(&r, &v, sizeof r);
    return r;
}

#endif

template <class V, class T>
RAREBIT_INLINE V load(const T* p) {
    V v;
    std::memcpy(&v, p, sizeof v);
    return v;
}
template <class V, class T>
RAREBIT_INLINE void store(T* p, V v) {
    std::memcpy(p, &v, sizeof v);
}
#if defined(__GNUC__) || defined(__clang__)
// Written as arithmetic because compilers turn it into one broadcast, and a loop over lanes not.
RAREBIT_INLINE Floats fill(float x) { return x - Floats{}; }
RAREBIT_INLINE Doubles fill(double x) { return x - Doubles{}; }
#else
RAREBIT_INLINE Floats fill(float x) {
    Floats v;
    for (int i = 0; i < kFloats; ++i) v[i] = x;
    return v;
}
RAREBIT_INLINE Doubles fill(double x) {
    Doubles v;
    for (int i = 0; i < kDoubles; ++i) v[i] = x;
    return v;
}
#endif
#if defined(__GNUC__) || defined(__clang__)
// Written this way because compilers turn it into one instruction.
RAREBIT_INLINE Floats largest(Floats a, Floats b) { return a < b ? b : a; }
RAREBIT_INLINE Floats smallest(Floats a, Floats b) { return b < a ? b : a; }
RAREBIT_INLINE Doubles largest(Doubles a, Doubles b) { return a < b ? b : a; }
RAREBIT_INLINE Doubles smallest(Doubles a, Doubles b) { return b < a ? b : a; }
#else
RAREBIT_INLINE Floats largest(Floats a, Floats b) { return choose(less(a, b), b, a); }
RAREBIT_INLINE Floats smallest(Floats a, Floats b) { return choose(less(b, a), b, a); }
RAREBIT_INLINE Doubles largest(Doubles a, Doubles b) { return choose(less(a, b), b, a); }
RAREBIT_INLINE Doubles smallest(Doubles a, Doubles b) { return choose(less(b, a), b, a); }
#endif

// exp(x) in float32, relative error below 2e-7, for x <= 88; results below the smallest normal
// number are 0. Cody-Waite reduction and a degree-6 polynomial (coefficients: minimax on
// [-ln2/2, ln2/2]).
RAREBIT_INLINE Floats exp_floats(Floats x) {
    const Floats lowest = fill(-87.33654f);
    const Ints present = less(lowest, x);  // false for NaN as well
    x = largest(x, lowest);
    const Floats magic = fill(12582912.0f);  // 1.5 * 2^23: adding it rounds to an integer
    const Floats shifted = x * fill(1.44269504f) + magic;
    const Floats n = shifted - magic;
    Floats r = x - n * fill(0.693359375f);
    r = r + n * fill(2.12194440e-4f);
    Floats p = fill(1.9875691500e-4f);
    p = p * r + fill(1.3981999507e-3f);
    p = p * r + fill(8.3334519073e-3f);
    p = p * r + fill(4.1665795894e-2f);
    p = p * r + fill(1.6666665459e-1f);
    p = p * r + fill(5.0000001201e-1f);
    p = p * (r * r) + r + fill(1.0f);
    // The integer n sits in the low bits of `shifted`; moving it into the exponent multiplies by
    // 2^n.
    const Ints scale = bits_of(shifted) << 23;
    const Floats value = floats_of(bits_of(p) + scale);
    return choose(present, value, fill(0.0f));
}

}  // namespace RAREBIT_ISA
}  // namespace rarebit
