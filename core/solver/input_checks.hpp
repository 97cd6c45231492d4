// What must hold of numbers that come from outside (fitted fields, saved machines) before the
// solvers count with them. Each function throws std::invalid_argument with one sentence.
#pragma once

#include <cstdint>

#include "kernel/kernel.hpp"
#include "solver/online.hpp"

namespace rarebit {

// Values between any two rows of the matrix can be computed.
void check_training(const Kernel& kernel, const Matrix& matrix);
// Values between rows of `left` and the rows `ids` of `right` can be computed. A precomputed kernel
// looks them up in the columns `ids` of `left`.
void check_pairing(const Kernel& kernel, const Matrix& left, const Matrix& right,
                   const std::int32_t* ids, std::size_t count);
// Labels are +1 or -1; costs are finite and not negative; start values, if any, are finite.
void check_targets(const double* y, const double* cost, std::size_t count);
void check_finite(const double* values, std::size_t count, const char* what);
// A state that OnlineSolver::restore can take; its rows are numbered below `rows`.
void check_online_state(const OnlineState& state, std::int64_t rows);
}  // namespace rarebit
