// The inner loops of neighbour searches. Like the hot loops they are compiled once per instruction
// set; distance_dispatch.cpp picks the set that the hot loops use. Points are stored as `Real`,
// distances are sums in double precision.
#pragma once

#include <cstddef>

namespace rarebit {

constexpr int kBlock = 8;  // points of a block: entry k of point i stands at [k * kBlock + i]

template <class Real>
struct DistanceLoops {
    const char* name;

    // out[i] = squared distance of `point` to point i of the block, summed over the features in
    // their order, so that it is the same to the bit whichever of the two points asks. May stop
    // early, and return false, once every distance exceeds `limit`.
    bool (*distances)(const Real* block, const double* point, std::size_t depth, double limit,
                      double* out);

    // Squared distances of the points of a block to the nearest and the farthest point of a box.
    // May stop early, and return false, once every nearest distance exceeds `limit`.
    bool (*box_distances)(const Real* block, const Real* low, const Real* high, std::size_t depth,
                          double limit, double* nearest, double* farthest);

    // Sum of the weights of the points whose distance is at most `limit`.
    double (*weigh_within)(const double* distances, const double* weights, double limit);
};

template <class Real>
const DistanceLoops<Real>& distance_loops();
// The loops of that name, or null when this build or processor has none.
template <class Real>
const DistanceLoops<Real>* distance_loops_named(const char* name);

}  // namespace rarebit
