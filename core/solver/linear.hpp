// The exact solver for linear machines: the same dual and the same measure of optimality as
// solve_batch, without kernel values, because w = sum_i a_i x_i is at hand.
//
//   interior   few columns: Newton steps on the optimality conditions, each one system of as many
//              unknowns as there are columns (linear_interior.cpp); some thirty of them
//   descent    many columns: one coefficient after another, with the bias as the multiplier of
//              sum a_i = 0, which is moved until the sum is 0 (linear_descent.cpp)
//
// What either finds is put on its limits where it is as good as there, balanced so that the
// coefficients sum to 0, and measured over all rows in float64. Where the tolerance is not reached,
// solve_batch finishes from there.
#pragma once

#include <vector>

#include "solver/batch.hpp"
#include "solver/linear_rows.hpp"

namespace rarebit {

enum class LinearMethod { none, interior, descent };

// Which of them suits the shape; none where solve_batch is as fast, or memory or the number of
// steps is limited.
LinearMethod choose_linear(const Kernel& kernel, const Matrix& matrix, std::size_t rows,
                           const BatchOptions& options);

Solution solve_linear(KernelProvider& provider, const BatchProblem& problem,
                      const BatchOptions& options, LinearMethod method, Control& control);

// A linear problem without rows of cost 0, in unsigned coefficients: 0 <= a <= cost.
struct LinearProblem {
    const LinearRows& rows;
    std::vector<double> y, cost;
    double tolerance;
};

// What a method has found: `found` tells a point that is on its limits where it should be.
struct LinearPoint {
    std::vector<double> a, w;
    double up = 0.0, low = 0.0;  // extremes of y - <w, x> among rows that may grow and may shrink
    bool has_pair = false;
    std::int64_t steps = 0;
    double gap() const { return has_pair ? up - low : 0.0; }
};

// Balances the coefficients, computes w and measures; false where they cannot be balanced.
bool measure_linear(const LinearProblem& problem, LinearPoint* point);

LinearPoint solve_interior(const LinearProblem& problem, Control& control);
LinearPoint solve_descent(const LinearProblem& problem, Control& control);

}  // namespace rarebit
