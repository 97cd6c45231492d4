// Chooses the distance loops of the instruction set that the hot loops use.
#include <cstring>

#include "distance_loops.hpp"
#include "hot_loops.hpp"

namespace rarebit {

namespace portable {
const DistanceLoops& distance_table();
}
#if defined(RAREBIT_X86)
namespace avx2 {
const DistanceLoops& distance_table();
}
namespace avx512 {
const DistanceLoops& distance_table();
}
#endif

const DistanceLoops* distance_loops_named(const char* name) {
    if (hot_loops_named(name) == nullptr) return nullptr;
#if defined(RAREBIT_X86)
    if (std::strcmp(name, "avx2") == 0) return &avx2::distance_table();
    if (std::strcmp(name, "avx512") == 0) return &avx512::distance_table();
#endif
    return &portable::distance_table();
}

const DistanceLoops& distance_loops() {
    const DistanceLoops* loops = distance_loops_named(hot_loops().name);
    return loops ? *loops : portable::distance_table();
}

}  // namespace rarebit
