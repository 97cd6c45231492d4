// Many machines over the rows of one matrix, one after another.
#pragma once

#include <vector>

#include "solver/batch.hpp"

namespace rarebit {

struct Subproblem {
    BatchProblem problem;
    std::vector<double> margins;  // guesses of y f(x), one per row, or empty: they only save time
};

// One machine by the solver that suits its kernel and shape: solve_linear or solve_batch.
Solution solve_exactly(KernelProvider& provider, const BatchProblem& problem,
                       const BatchOptions& options, Control& control);

// Each is given to the solver that suits its size: machines that fit a block of kernel values to
// DenseDual, others to solve_batch. Fewer solutions than problems when the control stopped it.
std::vector<Solution> solve_many(KernelProvider& provider, const std::vector<Subproblem>& problems,
                                 const BatchOptions& options, Control& control);

}  // namespace rarebit
