// A dense row-major matrix whose columns may be moved and stretched. The numbers are computed when
// they are read, so that a large pool needs no second matrix for its scale.
#pragma once

#include <cstdint>

namespace rarebit {

template <class Real>
struct ScaledRows {
    const Real* values;
    std::int64_t rows;
    std::int64_t columns;
    // One entry per column, or null for values as they are. Halves, because the range of a column
    // may be larger than the largest number. No factor is negative.
    const double* half_low = nullptr;
    const double* factor = nullptr;

    // A row before it is scaled.
    const Real* row(std::int64_t number) const { return values + number * columns; }
    Real at(std::int64_t number, std::int64_t column) const {
        return scaled(row(number)[column], column);
    }
    Real scaled(Real value, std::int64_t column) const {
        if (factor == nullptr) return value;
        return static_cast<Real>((0.5 * static_cast<double>(value) - half_low[column]) *
                                 factor[column]);
    }
};

}  // namespace rarebit
