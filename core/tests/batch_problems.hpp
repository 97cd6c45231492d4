// Problems for the batch solver, and what every solution must satisfy.
#pragma once

#include <cmath>
#include <vector>

#include "fixtures.hpp"
#include "solver/batch.hpp"

namespace rarebit_tests::batch {

using namespace rarebit;

inline double label(int i) { return i % 4 == 0 ? 1.0 : -1.0; }

// Two overlapping clouds, one row in four positive.
inline std::vector<double> blobs(int n, int d, unsigned seed, double zeros = 0.0) {
    std::vector<double> values = normal_values(n, d, seed, zeros);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < d; ++k)
            if (values[i * d + k] != 0.0) values[i * d + k] += 0.4 * label(i);
    return values;
}

inline BatchProblem problem_of(int n, double cost) {
    BatchProblem problem;
    problem.rows = numbers(n);
    for (int i = 0; i < n; ++i) problem.y.push_back(label(i));
    problem.cost.assign(n, cost);
    return problem;
}

inline Solution solve(KernelProvider& provider, const BatchProblem& problem,
                      const BatchOptions& options = BatchOptions()) {
    Control control;
    return solve_batch(provider, problem, options, control);
}

// Kernel values of a table by plain loops.
inline std::vector<double> scalar_gram(const Kernel& kernel, const Table& table) {
    const int n = table.rows();
    std::vector<double> gram(static_cast<std::size_t>(n) * n);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j)
            gram[static_cast<std::size_t>(i) * n + j] = gram[static_cast<std::size_t>(j) * n + i] =
                scalar_kernel(kernel, table, i, table, j);
    return gram;
}

// What every solution must satisfy; `tolerance` bounds the gap over all rows.
inline void check_solution(const std::vector<double>& gram, int size, const BatchProblem& problem,
                           const Solution& solution, double tolerance) {
    CHECK(solution.alpha.size() == problem.rows.size());
    if (solution.alpha.size() != problem.rows.size()) return;
    const Optimality found =
        optimality(gram, size, problem.rows, problem.y, problem.cost, solution.alpha);
    double total = 1.0;
    for (double a : solution.alpha) total += std::abs(a);
    CHECK(found.outside_box <= 0.0);
    CHECK_NEAR(found.sum, 0.0, 1e-10 * total);
    CHECK(found.gap <= tolerance);
    CHECK_NEAR(solution.objective, found.objective, 1e-4 * std::abs(found.objective) + 1e-9);
}

struct Setting {
    Table table;
    Kernel kernel;
    DirectProvider provider;

    Setting(int n, int d, unsigned seed, const KernelSpec& spec, Storage storage = Storage::dense64,
            double zeros = 0.0)
        : table(storage, n, d, blobs(n, d, seed, zeros)),
          kernel(spec, table.matrix),
          provider(kernel, table.matrix) {}
};

}  // namespace rarebit_tests::batch
