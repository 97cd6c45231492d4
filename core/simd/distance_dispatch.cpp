// Chooses the distance loops of the instruction set that the hot loops use.
#include <cstring>

#include "simd/distance_loops.hpp"
#include "simd/hot_loops.hpp"

namespace rarebit {

namespace portable {
template <class Real>
const DistanceLoops<Real>& distance_table();
}
#if defined(RAREBIT_X86)
namespace avx2 {
template <class Real>
const DistanceLoops<Real>& distance_table();
}
namespace avx512 {
template <class Real>
const DistanceLoops<Real>& distance_table();
}
#endif

template <class Real>
const DistanceLoops<Real>* distance_loops_named(const char* name) {
    if (hot_loops_named(name) == nullptr) return nullptr;
#if defined(RAREBIT_X86)
    if (std::strcmp(name, "avx2") == 0) return &avx2::distance_table<Real>();
    if (std::strcmp(name, "avx512") == 0) return &avx512::distance_table<Real>();
#endif
    return &portable::distance_table<Real>();
}

template <class Real>
const DistanceLoops<Real>& distance_loops() {
    const DistanceLoops<Real>* loops = distance_loops_named<Real>(hot_loops().name);
    return loops ? *loops : portable::distance_table<Real>();
}

template const DistanceLoops<float>* distance_loops_named<float>(const char*);
template const DistanceLoops<double>* distance_loops_named<double>(const char*);
template const DistanceLoops<float>& distance_loops<float>();
template const DistanceLoops<double>& distance_loops<double>();

}  // namespace rarebit
