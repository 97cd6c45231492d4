// Chooses the hot loops for this processor, once.
#include <atomic>
#include <cstring>
#include <initializer_list>

#include "simd/hot_loops.hpp"

#if defined(RAREBIT_X86) && defined(_MSC_VER)
#include <immintrin.h>
#include <intrin.h>
#endif

namespace rarebit {

namespace portable {
const HotLoops& table();
}
#if defined(RAREBIT_X86)
namespace avx2 {
const HotLoops& table();
}
namespace avx512 {
const HotLoops& table();
}

namespace {

#if defined(_MSC_VER)
bool runs(bool wide) {
    int leaf[4];
    __cpuid(leaf, 0);
    if (leaf[0] < 7) return false;
    __cpuidex(leaf, 1, 0);
    const bool saves_registers = (leaf[2] & (1 << 27)) != 0, fma = (leaf[2] & (1 << 12)) != 0;
    if (!saves_registers || !fma) return false;
    const unsigned long long state = _xgetbv(0);
    __cpuidex(leaf, 7, 0);
    if (wide) return (state & 0xe6) == 0xe6 && (leaf[1] & (1 << 16)) && (leaf[1] & (1 << 17));
    return (state & 0x6) == 0x6 && (leaf[1] & (1 << 5));
}
bool runs_avx2() { return runs(false); }
bool runs_avx512() { return runs(true); }
#else
bool runs_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
bool runs_avx512() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
}
#endif

}  // namespace
#endif

const HotLoops* hot_loops_named(const char* name) {
    if (std::strcmp(name, "portable") == 0) return &portable::table();
#if defined(RAREBIT_X86)
    if (std::strcmp(name, "avx2") == 0 && runs_avx2()) return &avx2::table();
    if (std::strcmp(name, "avx512") == 0 && runs_avx512()) return &avx512::table();
#endif
    return nullptr;
}

namespace {

const HotLoops& best_loops() {
    for (const char* name : {"avx512", "avx2"})
        if (const HotLoops* loops = hot_loops_named(name)) return *loops;
    return portable::table();
}

// Panels for a library are as wide as a tile, so that one call computes the whole of it.
constexpr int kGemmLeft = 96, kGemmRight = 512;

Gemm<float> library_sgemm = nullptr;
Gemm<double> library_dgemm = nullptr;

template <class T>
void library_product(Gemm<T> gemm, const T* left, int left_panels, const T* right, int right_panels,
                     std::size_t depth, T* out, std::size_t stride) {
    char plain = 'N', transposed = 'T';
    // Panels are column-major already; the row-major result is the transposed one of Fortran's
    // view.
    int m = kGemmRight, n = kGemmLeft, k = static_cast<int>(depth), ldc = static_cast<int>(stride);
    T one = 1, zero = 0;
    for (int j = 0; j < right_panels; ++j)
        for (int i = 0; i < left_panels; ++i)
            gemm(&plain, &transposed, &m, &n, &k, &one,
                 const_cast<T*>(right + j * depth * kGemmRight), &m,
                 const_cast<T*>(left + i * depth * kGemmLeft), &n, &zero,
                 out + i * kGemmLeft * stride + j * kGemmRight, &ldc);
}

void library_product32(const float* left, int left_panels, const float* right, int right_panels,
                       std::size_t depth, float* out, std::size_t stride) {
    library_product(library_sgemm, left, left_panels, right, right_panels, depth, out, stride);
}
void library_product64(const double* left, int left_panels, const double* right, int right_panels,
                       std::size_t depth, double* out, std::size_t stride) {
    library_product(library_dgemm, left, left_panels, right, right_panels, depth, out, stride);
}

std::atomic<const HotLoops*> in_use{nullptr};

}  // namespace

void use_gemm(Gemm<float> sgemm, Gemm<double> dgemm) {
    if (!sgemm || !dgemm) {
        in_use = &best_loops();
        return;
    }
    library_sgemm = sgemm;
    library_dgemm = dgemm;
    static const HotLoops with_library = [] {
        HotLoops loops = best_loops();
        loops.left_width32 = loops.left_width64 = loops.narrow_width32 = kGemmLeft;
        loops.right_width32 = loops.right_width64 = kGemmRight;
        loops.product32 = loops.narrow_product32 = library_product32;
        loops.product64 = library_product64;
        return loops;
    }();
    in_use = &with_library;
}

const HotLoops& hot_loops() {
    if (!in_use.load()) in_use = &best_loops();
    return *in_use.load();
}

}  // namespace rarebit
