// Compiled once per instruction set with RAREBIT_ISA naming the namespace (see CMakeLists.txt).
#include "simd/distance_loops.hpp"

#include <algorithm>

#include "simd/simd.hpp"

#define RAREBIT_TEXT(x) #x
#define RAREBIT_NAME_OF(x) RAREBIT_TEXT(x)

namespace rarebit {
namespace RAREBIT_ISA {
namespace {

constexpr int kParts = kBlock / kDoubles;  // vectors of a block
constexpr std::size_t kLook = 16;          // features between two looks at the limit

RAREBIT_INLINE Doubles load_doubles(const double* p) { return load<Doubles>(p); }
RAREBIT_INLINE Doubles load_doubles(const float* p) { return widen(load<HalfFloats>(p)); }

RAREBIT_INLINE bool all_above(const Doubles* sums, double limit) {
    double smallest = sums[0][0];
    for (int p = 0; p < kParts; ++p)
        for (int i = 0; i < kDoubles; ++i) smallest = std::min(smallest, double(sums[p][i]));
    return smallest > limit;
}

template <class Real>
bool distances(const Real* block, const double* point, std::size_t depth, double limit,
               double* out) {
    Doubles sums[kParts];
    for (int p = 0; p < kParts; ++p) sums[p] = fill(0.0);
    for (std::size_t from = 0; from < depth; from += kLook) {
        const std::size_t to = std::min(depth, from + kLook);
        for (std::size_t k = from; k < to; ++k) {
            const Doubles here = fill(point[k]);
            for (int p = 0; p < kParts; ++p) {
                const Doubles apart = load_doubles(block + k * kBlock + p * kDoubles) - here;
                sums[p] += apart * apart;
            }
        }
        if (to < depth && all_above(sums, limit)) return false;
    }
    std::memcpy(out, sums, sizeof sums);
    return true;
}

template <class Real>
bool box_distances(const Real* block, const Real* low, const Real* high, std::size_t depth,
                   double limit, double* nearest, double* farthest) {
    Doubles near[kParts], far[kParts];
    const Doubles zero = fill(0.0);
    for (int p = 0; p < kParts; ++p) near[p] = far[p] = zero;
    for (std::size_t from = 0; from < depth; from += kLook) {
        const std::size_t to = std::min(depth, from + kLook);
        for (std::size_t k = from; k < to; ++k) {
            const Doubles lowest = fill(static_cast<double>(low[k]));
            const Doubles highest = fill(static_cast<double>(high[k]));
            for (int p = 0; p < kParts; ++p) {
                const Doubles x = load_doubles(block + k * kBlock + p * kDoubles);
                const Doubles below = lowest - x, above = x - highest;
                const Doubles outside = largest(largest(below, above), zero);
                // The far side is the larger of high - x and x - low, the negatives of the above.
                const Doubles across = largest(zero - above, zero - below);
                near[p] += outside * outside;
                far[p] += across * across;
            }
        }
        if (to < depth && all_above(near, limit)) return false;
    }
    std::memcpy(nearest, near, sizeof near);
    std::memcpy(farthest, far, sizeof far);
    return true;
}

double weigh_within(const double* distances, const double* weights, double limit) {
    const Doubles most = fill(limit), zero = fill(0.0);
    Doubles sum = zero;
    for (int p = 0; p < kParts; ++p) {
        const Doubles d = load<Doubles>(distances + p * kDoubles);
        sum += choose(less(most, d), zero, load<Doubles>(weights + p * kDoubles));
    }
    double total = 0.0;
    for (int i = 0; i < kDoubles; ++i) total += sum[i];
    return total;
}

}  // namespace

template <class Real>
const DistanceLoops<Real>& distance_table() {
    static const DistanceLoops<Real> loops = {RAREBIT_NAME_OF(RAREBIT_ISA), distances<Real>,
                                              box_distances<Real>, weigh_within};
    return loops;
}

template const DistanceLoops<float>& distance_table<float>();
template const DistanceLoops<double>& distance_table<double>();

}  // namespace RAREBIT_ISA
}  // namespace rarebit
