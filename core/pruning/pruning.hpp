// Backward elimination of the majority's support vectors.
//
// Starts from a solved machine. Members are all rows of the minority and the majority's support
// vectors; other rows never get a coefficient, but every row of the problem is judged:
//
//   J = (share of the minority that is right) / (share of the majority that is wrong)
//
// Each round tries the machine without member k, for every k of the majority that is left, and
// removes the one whose machine has the largest J; ties go to the higher share of the minority,
// then to the smaller mean slack, then to the first. A trial moves the coefficient of k to others
// and continues from there: some dozens of steps instead of a machine from nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "solver/batch.hpp"

namespace rarebit {

struct PrunePoint {
    Solution machine;  // coefficients of all members
    int removed = -1;  // position of the row removed last; -1 where none or one came back
    double minority_right = 0.0, majority_wrong = 0.0, slack = 0.0;
};

struct PrunePath {
    std::vector<int> members;        // positions in the problem
    std::vector<PrunePoint> points;  // point r has r members fewer than the first
    std::int64_t trials = 0, steps = 0;
    bool interrupted = false;
};

// `problem.start` is the solution. With `floating`, members removed earlier may come back where
// that beats the best machine known of that size. At most `most` are removed; one is always left.
PrunePath prune(KernelProvider& provider, const BatchProblem& problem, double minority,
                bool floating, int most, const BatchOptions& options, Control& control);

}  // namespace rarebit
