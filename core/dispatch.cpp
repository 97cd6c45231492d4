// Chooses the hot loops for this processor, once.
#include <cstring>
#include <initializer_list>

#include "hot_loops.hpp"

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

const HotLoops& hot_loops() {
    static const HotLoops& chosen = []() -> const HotLoops& {
        for (const char* name : {"avx512", "avx2"})
            if (const HotLoops* loops = hot_loops_named(name)) return *loops;
        return portable::table();
    }();
    return chosen;
}

}  // namespace rarebit
