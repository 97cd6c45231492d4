// The batch solver, checked by its optimality conditions over all rows in float64.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "batch_problems.hpp"
#include "fixtures.hpp"
#include "kernel/gram.hpp"
#include "solver/batch.hpp"

using namespace rarebit;
using namespace rarebit_tests;
using namespace rarebit_tests::batch;

TEST_CASE("batch reaches the tolerance over all rows") {
    Setting at(2600, 5, 1, spec_of(KernelKind::rbf, 0.2));
    const BatchProblem problem = problem_of(2600, 2.0);
    const Solution ample = solve(at.provider, problem);
    CHECK((ample.converged && !ample.interrupted));
    CHECK(ample.gap <= 1e-3);
    CHECK(ample.steps > 100);
    const std::vector<double> gram = scalar_gram(at.kernel, at.table);
    check_solution(gram, 2600, problem, ample, 1.1e-3);
    // A cache of a few rows ends at the same top.
    BatchOptions options;
    options.cache_bytes = 64 << 10;
    const Solution tiny = solve(at.provider, problem, options);
    CHECK(tiny.converged);
    check_solution(gram, 2600, problem, tiny, 1.1e-3);
    CHECK_NEAR(tiny.objective, ample.objective, 1e-4 * ample.objective);
    CHECK_NEAR(tiny.bias, ample.bias, 2e-2);
}

TEST_CASE("batch finds the known answer for two rows") {
    Table table(Storage::dense32, 2, 1, {0.0, 1.0});
    const Kernel kernel(spec_of(KernelKind::rbf, 1.0), table.matrix);
    DirectProvider provider(kernel, table.matrix);
    BatchProblem problem = problem_of(2, 10.0);
    Solution solution = solve(provider, problem);
    const double best = 1.0 / (1.0 - std::exp(-1.0));
    CHECK(solution.converged);
    CHECK_NEAR(solution.alpha[0], best, 1e-6);
    CHECK(solution.alpha[1] == -solution.alpha[0]);
    CHECK_NEAR(solution.bias, 0.0, 1e-6);
    CHECK_NEAR(solution.objective, best, 1e-6);
    problem.cost = {0.5, 10.0};
    solution = solve(provider, problem);
    CHECK((solution.alpha[0] == 0.5 && solution.alpha[1] == -0.5));
    // The row inside its box lies on the margin: f(1) = -1.
    CHECK_NEAR(solution.bias, -1.0 - 0.5 * (std::exp(-1.0) - 1.0), 1e-3);
}

TEST_CASE("batch bias puts free rows on the margin") {
    Setting at(600, 3, 2, spec_of(KernelKind::rbf, 0.3));
    const BatchProblem problem = problem_of(600, 1.0);
    BatchOptions options;
    options.tolerance = 1e-4;
    const Solution solution = solve(at.provider, problem, options);
    const std::vector<double> gram = scalar_gram(at.kernel, at.table);
    int free = 0;
    for (int i = 0; i < 600; ++i) {
        const double size = std::abs(solution.alpha[i]);
        double f = solution.bias;
        for (int j = 0; j < 600; ++j) f += solution.alpha[j] * gram[i * 600 + j];
        if (size > 0.0 && size < 1.0) {
            ++free;
            CHECK_NEAR(f, problem.y[i], 2e-4);
        } else if (size == 0.0) {
            CHECK(f * problem.y[i] >= 1.0 - 2e-4);
        } else {
            CHECK(f * problem.y[i] <= 1.0 + 2e-4);
        }
    }
    CHECK(free > 10);
}

TEST_CASE("batch solves every kernel dense and sparse") {
    const KernelSpec specs[] = {spec_of(KernelKind::linear), spec_of(KernelKind::poly, 0.2, 1.0, 3),
                                spec_of(KernelKind::sigmoid, 0.05, -0.1),
                                spec_of(KernelKind::rbf, 0.2), spec_of(KernelKind::rbf, 5.0)};
    for (const KernelSpec& spec : specs) {
        double objectives[4];
        int at_storage = 0;
        for (Storage storage : kStorages) {
            const int n = 1300;  // more than the first portion
            Setting at(n, 6, 3, spec, storage, 0.3);
            BatchProblem problem = problem_of(n, 0.5);
            const Solution solution = solve(at.provider, problem);
            CHECK(solution.converged);
            objectives[at_storage] = solution.objective;
            // Values carry float32 rounding, times the sum of many coefficients.
            if (at_storage++ % 3 == 0)
                check_solution(scalar_gram(at.kernel, at.table), n, problem, solution,
                               spec.kind == KernelKind::poly ? 4e-3 : 1.3e-3);
        }
        for (int s = 1; s < 4; ++s)
            CHECK_NEAR(objectives[s], objectives[0], 2e-4 * std::abs(objectives[0]));
    }
}

TEST_CASE("batch keeps values of long rows between sweeps") {
    // Rows this long are dear enough to keep what was computed; a small cache keeps only some.
    const int n = 1500, d = 200;
    for (Storage storage : {Storage::dense32, Storage::csr32}) {
        Setting at(n, d, 22, spec_of(KernelKind::rbf, 0.1 / d), storage,
                   storage == Storage::csr32 ? 0.85 : 0.0);
        const BatchProblem problem = problem_of(n, 1.0);
        std::vector<Solution> solutions;
        for (std::size_t cache : {std::size_t(64) << 20, std::size_t(1) << 20, std::size_t(1)}) {
            BatchOptions options;
            options.cache_bytes = cache;
            solutions.push_back(solve(at.provider, problem, options));
            CHECK(solutions.back().converged);
            // The gap over all rows, from the engine's own values.
            std::vector<double> sums(n, 0.0);
            PackedRows right(at.kernel, at.table.matrix);
            right.assign(problem.rows);
            at.kernel.accumulate({&at.table.matrix, nullptr, 0, n}, right,
                                 solutions.back().alpha.data(), 1, sums.data());
            double up = -1e300, low = 1e300;
            for (int i = 0; i < n; ++i) {
                const double alpha = solutions.back().alpha[i], g = problem.y[i] - sums[i];
                if (problem.y[i] > 0 ? alpha < 1.0 : alpha < 0.0) up = std::max(up, g);
                if (problem.y[i] > 0 ? alpha > 0.0 : alpha > -1.0) low = std::min(low, g);
            }
            CHECK(up - low <= 1.2e-3);
            CHECK_NEAR(solutions.back().objective, solutions[0].objective,
                       1e-4 * solutions[0].objective);
        }
    }
}

TEST_CASE("batch of a precomputed kernel equals the kernel itself") {
    const int n = 1200;
    Setting at(n, 4, 4, spec_of(KernelKind::rbf, 0.2));
    const BatchProblem problem = problem_of(n, 1.0);
    Table gram(Storage::dense32, n, n, scalar_gram(at.kernel, at.table));
    const Kernel kernel(spec_of(KernelKind::precomputed), gram.matrix);
    DirectProvider provider(kernel, gram.matrix);
    const Solution own = solve(at.provider, problem), given = solve(provider, problem);
    CHECK(given.converged);
    check_solution(gram.plain, n, problem, given, 1.1e-3);
    CHECK_NEAR(given.objective, own.objective, 1e-4 * own.objective);
}

TEST_CASE("batch of an indefinite kernel still satisfies its conditions") {
    // Given as a matrix, a kernel may be anything: nothing bounds how far scores move.
    const int n = 1500;
    Table rows(Storage::dense64, n, 4, normal_values(n, 4, 23));
    const Kernel sigmoid(spec_of(KernelKind::sigmoid, 0.5, -0.5), std::vector<double>(), true);
    Table gram(Storage::dense32, n, n, scalar_gram(sigmoid, rows));
    const Kernel kernel(spec_of(KernelKind::precomputed), gram.matrix);
    DirectProvider provider(kernel, gram.matrix);
    BatchProblem problem = problem_of(n, 1.0);
    for (int i = 0; i < n; ++i)
        problem.y[i] = rows.at(i, 0) + rows.at(i, 1) * rows.at(i, 2) > 0.8 ? 1.0 : -1.0;
    const Solution solution = solve(provider, problem);
    CHECK(solution.converged);
    check_solution(gram.plain, n, problem, solution, 2.1e-3);
}

TEST_CASE("batch from a gram equals batch computed directly") {
    const int n = 1500;
    Setting at(n, 4, 5, spec_of(KernelKind::rbf, 0.2));
    const BatchProblem problem = problem_of(n, 1.0);
    const std::vector<double> exact = scalar_gram(at.kernel, at.table);
    for (std::size_t rows : {3, 1500}) {
        Gram gram(at.kernel, at.table.matrix, rows * n * sizeof(float));
        const Solution solution = solve(gram, problem);
        CHECK(solution.converged);
        check_solution(exact, n, problem, solution, 1.1e-3);
        if (rows < 1500) continue;
        // A second machine on the same rows finds nearly all values there.
        const std::int64_t computed = gram.values_computed();
        BatchProblem dearer = problem;
        dearer.cost.assign(n, 1.5);
        CHECK(solve(gram, dearer).converged);
        CHECK(gram.values_computed() - computed < computed / 2);
    }
}

TEST_CASE("batch respects the box of each row") {
    const int n = 1500;
    Setting at(n, 4, 6, spec_of(KernelKind::rbf, 0.2));
    BatchProblem problem = problem_of(n, 1.0);
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(0.01, 3.0);
    for (double& cost : problem.cost) cost = uniform(random);
    const Solution solution = solve(at.provider, problem);
    CHECK(solution.converged);
    check_solution(scalar_gram(at.kernel, at.table), n, problem, solution, 1.1e-3);
    int bound = 0;
    for (int i = 0; i < n; ++i) bound += std::abs(solution.alpha[i]) == problem.cost[i];
    CHECK(bound > 100);
}

TEST_CASE("batch leaves rows of cost 0 out") {
    const int n = 1400;
    Setting at(n, 4, 8, spec_of(KernelKind::rbf, 0.2));
    BatchProblem whole = problem_of(n, 1.0), part;
    for (int i = 0; i < n; ++i) {
        if (i % 5 == 2) {
            whole.cost[i] = 0.0;
            continue;
        }
        part.rows.push_back(i);
        part.y.push_back(whole.y[i]);
        part.cost.push_back(1.0);
    }
    whole.start.assign(n, 0.0);
    whole.start[2] = -0.5;  // a row of cost 0, and its counterpart
    whole.start[0] = 0.5;
    const Solution solution = solve(at.provider, whole), fewer = solve(at.provider, part);
    CHECK((solution.converged && fewer.converged));
    for (int i = 2; i < n; i += 5) CHECK(solution.alpha[i] == 0.0);
    CHECK_NEAR(solution.objective, fewer.objective, 1e-4 * fewer.objective);
    for (double& cost : whole.cost) cost = 0.0;
    const Solution none = solve(at.provider, whole);
    CHECK(none.converged);
    CHECK(none.alpha == std::vector<double>(n, 0.0));
}

TEST_CASE("batch of some rows equals batch of a copy of them") {
    const int n = 2500;
    Setting at(n, 4, 9, spec_of(KernelKind::rbf, 0.2));
    std::mt19937 random(10);
    BatchProblem some;
    std::vector<double> copied;
    std::vector<std::int32_t> rows = numbers(n);
    std::shuffle(rows.begin(), rows.end(), random);
    rows.resize(1200);
    for (std::int32_t row : rows) {
        some.rows.push_back(row);
        some.y.push_back(label(row));
        some.cost.push_back(1.0);
        for (int k = 0; k < 4; ++k) copied.push_back(at.table.at(row, k));
    }
    Table copy(Storage::dense64, 1200, 4, copied);
    DirectProvider provider(at.kernel, copy.matrix);
    BatchProblem renumbered = some;
    renumbered.rows = numbers(1200);
    const Solution first = solve(at.provider, some), second = solve(provider, renumbered);
    CHECK(first.converged);
    CHECK(first.alpha == second.alpha);
    CHECK(first.bias == second.bias);
    check_solution(scalar_gram(at.kernel, copy), 1200, renumbered, first, 1.1e-3);
}

TEST_CASE("batch continues from a start") {
    const int n = 1600;
    Setting at(n, 4, 11, spec_of(KernelKind::rbf, 0.2));
    BatchProblem problem = problem_of(n, 1.0);
    const std::vector<double> gram = scalar_gram(at.kernel, at.table);
    const Solution cold = solve(at.provider, problem);
    problem.start = cold.alpha;
    const Solution warm = solve(at.provider, problem);
    CHECK(warm.converged);
    check_solution(gram, n, problem, warm, 1.1e-3);
    CHECK_NEAR(warm.objective, cold.objective, 1e-4 * cold.objective);
    CHECK(warm.steps * 4 < cold.steps);
    // From other boxes: coefficients are clipped and balanced first.
    for (double cost : {0.4, 2.0}) {
        BatchProblem other = problem_of(n, cost);
        const Solution fresh = solve(at.provider, other);
        other.start = cold.alpha;
        const Solution moved = solve(at.provider, other);
        CHECK(moved.converged);
        check_solution(gram, n, other, moved, 1.1e-3);
        CHECK_NEAR(moved.objective, fresh.objective, 1e-4 * fresh.objective);
    }
}

TEST_CASE("batch repairs a start that is no solution of anything") {
    const int n = 300;
    Setting at(n, 4, 12, spec_of(KernelKind::rbf, 0.2));
    BatchProblem problem = problem_of(n, 1.0);
    const std::vector<double> gram = scalar_gram(at.kernel, at.table);
    const Solution cold = solve(at.provider, problem);
    std::vector<std::vector<double>> starts = {std::vector<double>(n, 0.0),
                                               std::vector<double>(n, 0.3),   // wrong signs
                                               std::vector<double>(n, -1e9),  // outside the box
                                               normal_values(1, n, 13)};
    starts[3][7] = 1e300;
    for (const std::vector<double>& start : starts) {
        problem.start = start;
        const Solution solution = solve(at.provider, problem);
        CHECK(solution.converged);
        check_solution(gram, n, problem, solution, 1.1e-3);
        CHECK_NEAR(solution.objective, cold.objective, 1e-4 * cold.objective);
    }
}

TEST_CASE("batch is the same every time") {
    Setting at(1500, 4, 21, spec_of(KernelKind::rbf, 0.2));
    const BatchProblem problem = problem_of(1500, 1.0);
    const Solution first = solve(at.provider, problem), second = solve(at.provider, problem);
    CHECK(first.alpha == second.alpha);
    CHECK((first.steps == second.steps && first.sweeps == second.sweeps));
    CHECK(first.rows_swept == second.rows_swept);
}
