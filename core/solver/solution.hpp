// A machine as a solver leaves it: the one result of every solver.
#pragma once

#include <cstdint>
#include <vector>

namespace rarebit {

struct Solution {
    std::vector<std::int32_t> rows;  // of the matrix, one per coefficient
    std::vector<double> alpha;       // signed coefficients
    double bias = 0.0;
    double gap = 0.0;  // violation of the optimality conditions that is left
    double objective = 0.0;
    std::int64_t steps = 0;
    std::int64_t sweeps = 0;      // passes over rows outside the active set
    std::int64_t rows_swept = 0;  // rows looked at by them
    bool converged = false;
    bool interrupted = false;
};

}  // namespace rarebit
