// Which rows of a dense matrix are equal.
#pragma once

#include <cstdint>
#include <vector>

#include "neighbours/scaled_rows.hpp"

namespace rarebit {

// One number per row: rows are equal, feature by feature, if and only if their numbers are. Numbers
// run from 0 in the order in which their first rows appear. -0 equals 0.
template <class Real>
std::vector<std::int32_t> number_unique_rows(const ScaledRows<Real>& x);

}  // namespace rarebit
