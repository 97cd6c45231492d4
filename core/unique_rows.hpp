// Which rows of a dense matrix are equal.
#pragma once

#include <cstdint>
#include <vector>

namespace rarebit {

// One number a row: rows are equal, feature by feature, if and only if their numbers are. Numbers
// run from 0 in the order in which their first rows appear. -0 equals 0.
std::vector<std::int32_t> number_unique_rows(const double* values, std::int64_t rows,
                                             std::int64_t columns);

}  // namespace rarebit
