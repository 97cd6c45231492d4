// Matrix products from a library: any GEMM gives the same kernel values but for rounding.
#include <cmath>
#include <vector>

#include "fixtures.hpp"

using namespace rarebit;
using namespace rarebit_tests;

namespace {

int calls = 0;

// The textbook GEMM with Fortran's interface: c = alpha op(a) op(b) + beta c, columns contiguous.
template <class T>
void textbook_gemm(char* transpose_a, char* transpose_b, int* m, int* n, int* k, T* alpha, T* a,
                   int* lda, T* b, int* ldb, T* beta, T* c, int* ldc) {
    ++calls;
    const bool ta = *transpose_a == 'T' || *transpose_a == 't';
    const bool tb = *transpose_b == 'T' || *transpose_b == 't';
    std::vector<T> column(*m);
    for (int j = 0; j < *n; ++j) {
        std::fill(column.begin(), column.end(), T(0));
        for (int p = 0; p < *k; ++p) {
            const T right = tb ? b[j + static_cast<std::size_t>(p) * *ldb]
                               : b[p + static_cast<std::size_t>(j) * *ldb];
            for (int i = 0; i < *m; ++i)
                column[i] += right * (ta ? a[p + static_cast<std::size_t>(i) * *lda]
                                         : a[i + static_cast<std::size_t>(p) * *lda]);
        }
        T* to = c + static_cast<std::size_t>(j) * *ldc;
        for (int i = 0; i < *m; ++i)
            to[i] = *alpha * column[i] + (*beta == T(0) ? T(0) : *beta * to[i]);
    }
}

// Gives the built-in loops back whatever happens.
struct WithLibrary {
    WithLibrary() { use_gemm(textbook_gemm<float>, textbook_gemm<double>); }
    ~WithLibrary() { use_gemm(nullptr, nullptr); }
};

}  // namespace

TEST_CASE("gemm of a library gives the same kernel values") {
    Table table(Storage::dense32, 530, 17, normal_values(530, 17, 1));
    const KernelSpec specs[] = {spec_of(KernelKind::linear), spec_of(KernelKind::rbf, 0.05),
                                spec_of(KernelKind::poly, 0.1, 1.0, 2)};
    for (const KernelSpec& spec : specs)
        for (bool wide : {false, true}) {
            const std::vector<double> centre(17, 0.25);
            const Kernel built_in(spec, centre, wide);
            const WithLibrary library;
            const Kernel kernel(spec, centre, wide);
            for (int rights : {1, 512, 530})
                for (int lefts : {1, 97}) {
                    PackedRows right(kernel, table.matrix), plain(built_in, table.matrix);
                    right.assign(numbers(rights));
                    for (int slot = 0; slot < rights; ++slot) plain.assign(slot, slot);
                    const RowBlock left{&table.matrix, nullptr, 3, lefts};
                    calls = 0;
                    const std::vector<float> block = engine_block(kernel, left, right);
                    CHECK(calls > 0);
                    calls = 0;
                    const std::vector<float> want = engine_block(built_in, left, plain);
                    CHECK(calls == 0);  // kernels made before keep what they have
                    double worst = 0.0;
                    for (std::size_t i = 0; i < block.size(); ++i)
                        worst = std::max(worst, std::abs(static_cast<double>(block[i]) - want[i]) /
                                                    (1.0 + std::abs(want[i])));
                    CHECK(worst <= 5e-6);
                }
        }
}

TEST_CASE("gemm is built in unless both are given") {
    const char* name = hot_loops().name;
    const int width = hot_loops().right_width32;
    {
        const WithLibrary library;
        CHECK(hot_loops().right_width32 != width);
    }
    CHECK(hot_loops().right_width32 == width);
    use_gemm(textbook_gemm<float>, nullptr);
    CHECK(hot_loops().right_width32 == width);
    CHECK(hot_loops().name == name);
}
