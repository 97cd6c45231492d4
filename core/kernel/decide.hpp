// Decision values of many rows.
#pragma once

#include <cstdint>
#include <vector>

#include "control.hpp"
#include "kernel/kernel.hpp"

namespace rarebit {

// out[i * machines + m] = sum_j coefficients[m * columns.size() + j] K(left_i, right row columns_j)
// for all rows of `left`. Rows not reached when the control stopped it hold 0.
std::vector<double> decide(const Kernel& kernel, const Matrix& left, const Matrix& right,
                           const std::vector<std::int32_t>& columns, const double* coefficients,
                           int machines, Control& control);

}  // namespace rarebit
