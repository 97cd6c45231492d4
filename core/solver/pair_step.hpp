// The step that every solver takes: two coefficients move by the same amount in opposite
// directions, so that their sum stays 0.
#pragma once

#include <algorithm>
#include <cmath>

namespace rarebit {

// Limits of a signed coefficient: [0, cost] for y = 1, [-cost, 0] for y = -1.
struct Box {
    double lower, upper;

    Box(double y, double cost) : lower(y > 0 ? 0.0 : -cost), upper(y > 0 ? cost : 0.0) {}
    bool may_grow(double alpha) const { return alpha < upper; }
    bool may_shrink(double alpha) const { return alpha > lower; }
};

// How far the pair should move: to the top of the dual along it, or to the first limit. `slope` is
// the difference of the gradients, `up_value` and the like the kernel values of the pair.
inline double pair_step_size(double slope, double up_diagonal, double low_diagonal, double mutual,
                             double room_up, double room_low) {
    const double curvature = std::max(up_diagonal + low_diagonal - 2.0 * mutual, 1e-12);
    return std::min(std::max(0.0, slope) / curvature, std::min(room_up, room_low));
}

// Distance from a limit that counts as rounding: of the limit's own size, and for the limit 0,
// near which numbers are fine however large the cost is, of a cost of at most 1,000.
inline double rounding_at(double limit, const Box& box) {
    constexpr double relative = 1e-14, most = 1e3;
    return relative * (limit == 0.0 ? std::min(box.upper - box.lower, most) : std::abs(limit));
}

// Moves the pair. A coefficient within rounding of its limit is put on it: a step too small to
// change the sum would otherwise be repeated for ever.
inline void move_pair(double by, const Box& up_box, const Box& low_box, double* up, double* low) {
    const double room_up = up_box.upper - *up, room_low = *low - low_box.lower;
    *up = room_up - by <= rounding_at(up_box.upper, up_box) ? up_box.upper : *up + by;
    *low = room_low - by <= rounding_at(low_box.lower, low_box) ? low_box.lower : *low - by;
}

}  // namespace rarebit
