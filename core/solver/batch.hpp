// The exact solver: the whole dual, to a tolerance on the optimality gap over all rows.
//
// Rows arrive in growing portions. Each portion is scored by the machine of the rows before it; the
// rows that violate its conditions join the active set, which is solved again. After the last
// portion, sweeps look for rows outside the active set that violate the final conditions, until
// none is left. Kernel values with rows outside are never stored: a sweep is one pass of block
// products.
#pragma once

#include <cstdint>
#include <vector>

#include "control.hpp"
#include "kernel/kernel_provider.hpp"
#include "solver/active_set.hpp"
#include "solver/solution.hpp"

namespace rarebit {

struct BatchProblem {
    std::vector<std::int32_t> rows;  // in the provider's matrix
    std::vector<double> y;           // +1 or -1
    std::vector<double> cost;        // the box of each row; 0 leaves the row out
    std::vector<double> start;       // signed coefficients to start from, or empty
};

struct BatchOptions {
    double tolerance = 1e-3;
    std::int64_t most_steps = -1;  // no limit when negative
    std::size_t cache_bytes = std::size_t(512) << 20;
};

// Puts coefficients into the boxes of the problem; where that leaves a sum other than 0, the larger
// side is scaled down.
void clip_and_balance(const BatchProblem& problem, std::vector<double>* alphas);

Solution solve_batch(KernelProvider& provider, const BatchProblem& problem,
                     const BatchOptions& options, Control& control);

}  // namespace rarebit
