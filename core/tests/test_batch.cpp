// The batch solver, checked by its optimality conditions over all rows in float64.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <thread>
#include <vector>

#include "batch.hpp"
#include "check.hpp"
#include "fixtures.hpp"
#include "gram.hpp"

using namespace rarebit;
using namespace rarebit_tests;

namespace {

double label(int i) { return i % 4 == 0 ? 1.0 : -1.0; }

// Two overlapping clouds, one row in four positive.
std::vector<double> blobs(int n, int d, unsigned seed, double zeros = 0.0) {
    std::vector<double> values = normal_values(n, d, seed, zeros);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < d; ++k)
            if (values[i * d + k] != 0.0) values[i * d + k] += 0.4 * label(i);
    return values;
}

BatchProblem problem_of(int n, double cost) {
    BatchProblem problem;
    problem.rows = numbers(n);
    for (int i = 0; i < n; ++i) problem.y.push_back(label(i));
    problem.cost.assign(n, cost);
    return problem;
}

BatchSolution solve(Source& source, const BatchProblem& problem,
                    const BatchOptions& options = BatchOptions()) {
    Control control;
    return solve_batch(source, problem, options, control);
}

// Kernel values of a table by plain loops.
std::vector<double> scalar_gram(const Kernel& kernel, const Table& table) {
    const int n = table.rows();
    std::vector<double> gram(static_cast<std::size_t>(n) * n);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j)
            gram[static_cast<std::size_t>(i) * n + j] = gram[static_cast<std::size_t>(j) * n + i] =
                scalar_kernel(kernel, table, i, table, j);
    return gram;
}

// What every solution must satisfy; `tolerance` bounds the gap over all rows.
void check_solution(const std::vector<double>& gram, int size, const BatchProblem& problem,
                    const BatchSolution& solution, double tolerance) {
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
    DirectSource source;

    Setting(int n, int d, unsigned seed, const KernelSpec& spec, Storage storage = Storage::dense64,
            double zeros = 0.0)
        : table(storage, n, d, blobs(n, d, seed, zeros)),
          kernel(spec, table.matrix),
          source(kernel, table.matrix) {}
};

}  // namespace

TEST(batch_reaches_the_tolerance_over_all_rows) {
    Setting at(2600, 5, 1, spec_of(KernelKind::rbf, 0.2));
    const BatchProblem problem = problem_of(2600, 2.0);
    const BatchSolution ample = solve(at.source, problem);
    CHECK(ample.converged && !ample.interrupted);
    CHECK(ample.gap <= 1e-3);
    CHECK(ample.steps > 100);
    const std::vector<double> gram = scalar_gram(at.kernel, at.table);
    check_solution(gram, 2600, problem, ample, 1.1e-3);
    // A cache of a few rows ends at the same top.
    BatchOptions options;
    options.cache_bytes = 64 << 10;
    const BatchSolution tiny = solve(at.source, problem, options);
    CHECK(tiny.converged);
    check_solution(gram, 2600, problem, tiny, 1.1e-3);
    CHECK_NEAR(tiny.objective, ample.objective, 1e-4 * ample.objective);
    CHECK_NEAR(tiny.bias, ample.bias, 2e-2);
}

TEST(batch_finds_the_known_answer_for_two_rows) {
    Table table(Storage::dense32, 2, 1, {0.0, 1.0});
    const Kernel kernel(spec_of(KernelKind::rbf, 1.0), table.matrix);
    DirectSource source(kernel, table.matrix);
    BatchProblem problem = problem_of(2, 10.0);
    BatchSolution solution = solve(source, problem);
    const double best = 1.0 / (1.0 - std::exp(-1.0));
    CHECK(solution.converged);
    CHECK_NEAR(solution.alpha[0], best, 1e-6);
    CHECK(solution.alpha[1] == -solution.alpha[0]);
    CHECK_NEAR(solution.bias, 0.0, 1e-6);
    CHECK_NEAR(solution.objective, best, 1e-6);
    problem.cost = {0.5, 10.0};
    solution = solve(source, problem);
    CHECK(solution.alpha[0] == 0.5 && solution.alpha[1] == -0.5);
    // The row inside its box lies on the margin: f(1) = -1.
    CHECK_NEAR(solution.bias, -1.0 - 0.5 * (std::exp(-1.0) - 1.0), 1e-3);
}

TEST(batch_bias_puts_free_rows_on_the_margin) {
    Setting at(600, 3, 2, spec_of(KernelKind::rbf, 0.3));
    const BatchProblem problem = problem_of(600, 1.0);
    BatchOptions options;
    options.tolerance = 1e-4;
    const BatchSolution solution = solve(at.source, problem, options);
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

TEST(batch_solves_every_kernel_dense_and_sparse) {
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
            const BatchSolution solution = solve(at.source, problem);
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

TEST(batch_keeps_values_of_long_rows_between_sweeps) {
    // Rows this long are dear enough to keep what was computed; a small cache keeps only some.
    const int n = 1500, d = 200;
    for (Storage storage : {Storage::dense32, Storage::csr32}) {
        Setting at(n, d, 22, spec_of(KernelKind::rbf, 0.1 / d), storage,
                   storage == Storage::csr32 ? 0.85 : 0.0);
        const BatchProblem problem = problem_of(n, 1.0);
        std::vector<BatchSolution> solutions;
        for (std::size_t cache : {std::size_t(64) << 20, std::size_t(1) << 20, std::size_t(1)}) {
            BatchOptions options;
            options.cache_bytes = cache;
            solutions.push_back(solve(at.source, problem, options));
            CHECK(solutions.back().converged);
            // The gap over all rows, from the engine's own values.
            std::vector<double> sums(n, 0.0);
            Operand right(at.kernel, at.table.matrix);
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

TEST(batch_of_a_precomputed_kernel_equals_the_kernel_itself) {
    const int n = 1200;
    Setting at(n, 4, 4, spec_of(KernelKind::rbf, 0.2));
    const BatchProblem problem = problem_of(n, 1.0);
    Table gram(Storage::dense32, n, n, scalar_gram(at.kernel, at.table));
    const Kernel kernel(spec_of(KernelKind::precomputed), gram.matrix);
    DirectSource source(kernel, gram.matrix);
    const BatchSolution own = solve(at.source, problem), given = solve(source, problem);
    CHECK(given.converged);
    check_solution(gram.plain, n, problem, given, 1.1e-3);
    CHECK_NEAR(given.objective, own.objective, 1e-4 * own.objective);
}

TEST(batch_of_an_indefinite_kernel_still_satisfies_its_conditions) {
    // Given as a matrix, a kernel may be anything: nothing bounds how far scores move.
    const int n = 1500;
    Table rows(Storage::dense64, n, 4, normal_values(n, 4, 23));
    const Kernel sigmoid(spec_of(KernelKind::sigmoid, 0.5, -0.5), std::vector<double>(), true);
    Table gram(Storage::dense32, n, n, scalar_gram(sigmoid, rows));
    const Kernel kernel(spec_of(KernelKind::precomputed), gram.matrix);
    DirectSource source(kernel, gram.matrix);
    BatchProblem problem = problem_of(n, 1.0);
    for (int i = 0; i < n; ++i)
        problem.y[i] = rows.at(i, 0) + rows.at(i, 1) * rows.at(i, 2) > 0.8 ? 1.0 : -1.0;
    const BatchSolution solution = solve(source, problem);
    CHECK(solution.converged);
    check_solution(gram.plain, n, problem, solution, 2.1e-3);
}

TEST(batch_from_a_gram_equals_batch_computed_directly) {
    const int n = 1500;
    Setting at(n, 4, 5, spec_of(KernelKind::rbf, 0.2));
    const BatchProblem problem = problem_of(n, 1.0);
    const std::vector<double> exact = scalar_gram(at.kernel, at.table);
    for (std::size_t rows : {3, 1500}) {
        Gram gram(at.kernel, at.table.matrix, rows * n * sizeof(float));
        const BatchSolution solution = solve(gram, problem);
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

TEST(batch_respects_the_box_of_each_row) {
    const int n = 1500;
    Setting at(n, 4, 6, spec_of(KernelKind::rbf, 0.2));
    BatchProblem problem = problem_of(n, 1.0);
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(0.01, 3.0);
    for (double& cost : problem.cost) cost = uniform(random);
    const BatchSolution solution = solve(at.source, problem);
    CHECK(solution.converged);
    check_solution(scalar_gram(at.kernel, at.table), n, problem, solution, 1.1e-3);
    int bound = 0;
    for (int i = 0; i < n; ++i) bound += std::abs(solution.alpha[i]) == problem.cost[i];
    CHECK(bound > 100);
}

TEST(batch_leaves_rows_of_cost_0_out) {
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
    const BatchSolution solution = solve(at.source, whole), fewer = solve(at.source, part);
    CHECK(solution.converged && fewer.converged);
    for (int i = 2; i < n; i += 5) CHECK(solution.alpha[i] == 0.0);
    CHECK_NEAR(solution.objective, fewer.objective, 1e-4 * fewer.objective);
    for (double& cost : whole.cost) cost = 0.0;
    const BatchSolution none = solve(at.source, whole);
    CHECK(none.converged);
    CHECK(none.alpha == std::vector<double>(n, 0.0));
}

TEST(batch_of_some_rows_equals_batch_of_a_copy_of_them) {
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
    DirectSource source(at.kernel, copy.matrix);
    BatchProblem renumbered = some;
    renumbered.rows = numbers(1200);
    const BatchSolution first = solve(at.source, some), second = solve(source, renumbered);
    CHECK(first.converged);
    CHECK(first.alpha == second.alpha);
    CHECK(first.bias == second.bias);
    check_solution(scalar_gram(at.kernel, copy), 1200, renumbered, first, 1.1e-3);
}

TEST(batch_continues_from_a_start) {
    const int n = 1600;
    Setting at(n, 4, 11, spec_of(KernelKind::rbf, 0.2));
    BatchProblem problem = problem_of(n, 1.0);
    const std::vector<double> gram = scalar_gram(at.kernel, at.table);
    const BatchSolution cold = solve(at.source, problem);
    problem.start = cold.alpha;
    const BatchSolution warm = solve(at.source, problem);
    CHECK(warm.converged);
    check_solution(gram, n, problem, warm, 1.1e-3);
    CHECK_NEAR(warm.objective, cold.objective, 1e-4 * cold.objective);
    CHECK(warm.steps * 4 < cold.steps);
    // From other boxes: coefficients are clipped and balanced first.
    for (double cost : {0.4, 2.0}) {
        BatchProblem other = problem_of(n, cost);
        const BatchSolution fresh = solve(at.source, other);
        other.start = cold.alpha;
        const BatchSolution moved = solve(at.source, other);
        CHECK(moved.converged);
        check_solution(gram, n, other, moved, 1.1e-3);
        CHECK_NEAR(moved.objective, fresh.objective, 1e-4 * fresh.objective);
    }
}

TEST(batch_repairs_a_start_that_is_no_solution_of_anything) {
    const int n = 300;
    Setting at(n, 4, 12, spec_of(KernelKind::rbf, 0.2));
    BatchProblem problem = problem_of(n, 1.0);
    const std::vector<double> gram = scalar_gram(at.kernel, at.table);
    const BatchSolution cold = solve(at.source, problem);
    std::vector<std::vector<double>> starts = {std::vector<double>(n, 0.0),
                                               std::vector<double>(n, 0.3),   // wrong signs
                                               std::vector<double>(n, -1e9),  // outside the box
                                               normal_values(1, n, 13)};
    starts[3][7] = 1e300;
    for (const std::vector<double>& start : starts) {
        problem.start = start;
        const BatchSolution solution = solve(at.source, problem);
        CHECK(solution.converged);
        check_solution(gram, n, problem, solution, 1.1e-3);
        CHECK_NEAR(solution.objective, cold.objective, 1e-4 * cold.objective);
    }
}

TEST(batch_stops_at_the_allowed_steps) {
    const int n = 1300;
    Setting at(n, 4, 14, spec_of(KernelKind::rbf, 0.2));
    const BatchProblem problem = problem_of(n, 10.0);
    const std::vector<double> gram = scalar_gram(at.kernel, at.table);
    double before = 0.0;
    for (std::int64_t most : {0, 1, 50, 400}) {
        BatchOptions options;
        options.most_steps = most;
        const BatchSolution solution = solve(at.source, problem, options);
        CHECK(solution.steps == most);
        CHECK(!solution.converged && !solution.interrupted);
        check_solution(gram, n, problem, solution, 1e9);
        CHECK(solution.objective > before || most == 0);
        before = solution.objective;
    }
}

TEST(batch_is_stopped_from_another_thread) {
    // Without an end in sight: wide boxes, a linear kernel and no tolerance.
    const int n = 1300;
    Setting at(n, 4, 15, spec_of(KernelKind::linear));
    BatchProblem problem = problem_of(n, 1e7);
    BatchOptions options;
    options.tolerance = 1e-13;
    options.most_steps = 30000000;
    Control control;
    std::thread other([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(60));
        control.stop();
    });
    const BatchSolution solution = solve_batch(at.source, problem, options, control);
    other.join();
    CHECK(solution.interrupted && !solution.converged);
    CHECK(solution.steps < options.most_steps);
    const Optimality found = optimality(scalar_gram(at.kernel, at.table), n, problem.rows,
                                        problem.y, problem.cost, solution.alpha);
    CHECK(found.outside_box <= 0.0);
    CHECK_NEAR(found.sum, 0.0, 1.0);  // of coefficients up to 1e7
}

TEST(batch_stopped_before_it_began_takes_no_step) {
    Setting at(100, 3, 16, spec_of(KernelKind::rbf, 0.2));
    Control control;
    control.stop();
    const BatchSolution solution =
        solve_batch(at.source, problem_of(100, 1.0), BatchOptions(), control);
    CHECK(solution.interrupted && !solution.converged);
    CHECK(solution.steps == 0);
    CHECK(solution.alpha == std::vector<double>(100, 0.0));
}

TEST(batch_reports_to_its_observer_and_obeys_it) {
    Setting at(1500, 4, 17, spec_of(KernelKind::rbf, 0.2));
    BatchOptions options;
    options.tolerance = 1e-9;
    int calls = 0;
    Control control([&](const Progress& progress) {
        ++calls;
        CHECK(progress.rows > 0 && progress.rows <= 1500);
        return false;
    });
    const BatchSolution solution = solve_batch(at.source, problem_of(1500, 1e3), options, control);
    CHECK(calls == 1);
    CHECK(solution.interrupted && !solution.converged);
}

TEST(batch_of_no_row_one_row_or_one_class) {
    Setting at(1200, 3, 18, spec_of(KernelKind::rbf, 0.2));
    for (int n : {0, 1, 2, 1200}) {
        BatchProblem problem = problem_of(n, 1.0);
        for (double side : {1.0, -1.0}) {
            problem.y.assign(n, side);
            const BatchSolution solution = solve(at.source, problem);
            CHECK(solution.converged && !solution.interrupted);
            CHECK(solution.steps == 0);
            CHECK(solution.alpha == std::vector<double>(n, 0.0));
            CHECK(solution.objective == 0.0);
            CHECK(solution.gap == 0.0);
            CHECK(solution.bias == (n > 0 ? side : 0.0));
        }
    }
}

TEST(batch_with_one_row_of_the_rare_class) {
    const int n = 1300;
    Setting at(n, 3, 19, spec_of(KernelKind::rbf, 0.2));
    BatchProblem problem = problem_of(n, 1.0);
    problem.y.assign(n, -1.0);
    problem.y[1234] = 1.0;
    problem.cost[1234] = 50.0;
    const BatchSolution solution = solve(at.source, problem);
    CHECK(solution.converged);
    CHECK(solution.alpha[1234] > 0.0);
    check_solution(scalar_gram(at.kernel, at.table), n, problem, solution, 1.1e-3);
}

TEST(batch_solves_duplicated_and_contradicting_rows) {
    for (const KernelSpec& spec : {spec_of(KernelKind::rbf, 0.2), spec_of(KernelKind::linear)}) {
        const int n = 1200;
        std::vector<double> values = blobs(n, 3, 20);
        // Rows come in threes at one place, often of both classes; the last hundred are all equal.
        for (int i = 0; i < n; ++i)
            for (int k = 0; k < 3; ++k)
                values[i * 3 + k] = values[(i < n - 100 ? i / 3 * 3 : n - 1) * 3 + k];
        Table table(Storage::dense64, n, 3, values);
        const Kernel kernel(spec, table.matrix);
        DirectSource source(kernel, table.matrix);
        const BatchProblem problem = problem_of(n, 1.0);
        const BatchSolution solution = solve(source, problem);
        CHECK(solution.converged);
        check_solution(scalar_gram(kernel, table), n, problem, solution, 1.2e-3);
    }
}

TEST(batch_where_all_rows_are_equal) {
    Table table(Storage::dense32, 40, 2, std::vector<double>(80, 0.7));
    const Kernel kernel(spec_of(KernelKind::rbf, 1.0), table.matrix);
    DirectSource source(kernel, table.matrix);
    const BatchProblem problem = problem_of(40, 1.0);
    const BatchSolution solution = solve(source, problem);
    CHECK(solution.converged);
    check_solution(std::vector<double>(1600, 1.0), 40, problem, solution, 1.1e-3);
    CHECK_NEAR(solution.objective, 20.0, 1e-4);  // all ten positive rows at their limit
}

TEST(batch_is_the_same_every_time) {
    Setting at(1500, 4, 21, spec_of(KernelKind::rbf, 0.2));
    const BatchProblem problem = problem_of(1500, 1.0);
    const BatchSolution first = solve(at.source, problem), second = solve(at.source, problem);
    CHECK(first.alpha == second.alpha);
    CHECK(first.steps == second.steps && first.sweeps == second.sweeps);
    CHECK(first.rows_swept == second.rows_swept);
}
