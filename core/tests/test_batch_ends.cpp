// The batch solver where it ends early, or where rows are few, equal or contradicting.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <thread>
#include <vector>

#include "batch_problems.hpp"
#include "fixtures.hpp"
#include "solver/batch.hpp"

using namespace rarebit;
using namespace rarebit_tests;
using namespace rarebit_tests::batch;

TEST_CASE("batch stops at the allowed steps") {
    const int n = 1300;
    Setting at(n, 4, 14, spec_of(KernelKind::rbf, 0.2));
    const BatchProblem problem = problem_of(n, 10.0);
    const std::vector<double> gram = scalar_gram(at.kernel, at.table);
    double before = 0.0;
    for (std::int64_t most : {0, 1, 50, 400}) {
        BatchOptions options;
        options.most_steps = most;
        const Solution solution = solve(at.provider, problem, options);
        CHECK(solution.steps == most);
        CHECK((!solution.converged && !solution.interrupted));
        check_solution(gram, n, problem, solution, 1e9);
        CHECK((solution.objective > before || most == 0));
        before = solution.objective;
    }
}

TEST_CASE("batch is stopped from another thread") {
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
    const Solution solution = solve_batch(at.provider, problem, options, control);
    other.join();
    CHECK((solution.interrupted && !solution.converged));
    CHECK(solution.steps < options.most_steps);
    const Optimality found = optimality(scalar_gram(at.kernel, at.table), n, problem.rows,
                                        problem.y, problem.cost, solution.alpha);
    CHECK(found.outside_box <= 0.0);
    CHECK_NEAR(found.sum, 0.0, 1.0);  // of coefficients up to 1e7
}

TEST_CASE("batch stopped before it began takes no step") {
    Setting at(100, 3, 16, spec_of(KernelKind::rbf, 0.2));
    Control control;
    control.stop();
    const Solution solution =
        solve_batch(at.provider, problem_of(100, 1.0), BatchOptions(), control);
    CHECK((solution.interrupted && !solution.converged));
    CHECK(solution.steps == 0);
    CHECK(solution.alpha == std::vector<double>(100, 0.0));
}

TEST_CASE("batch reports to its observer and obeys it") {
    Setting at(1500, 4, 17, spec_of(KernelKind::rbf, 0.2));
    BatchOptions options;
    options.tolerance = 1e-9;
    int calls = 0;
    Control control([&](const Progress& progress) {
        ++calls;
        CHECK((progress.rows > 0 && progress.rows <= 1500));
        return false;
    });
    const Solution solution = solve_batch(at.provider, problem_of(1500, 1e3), options, control);
    CHECK(calls == 1);
    CHECK((solution.interrupted && !solution.converged));
}

TEST_CASE("batch of no row one row or one class") {
    Setting at(1200, 3, 18, spec_of(KernelKind::rbf, 0.2));
    for (int n : {0, 1, 2, 1200}) {
        BatchProblem problem = problem_of(n, 1.0);
        for (double side : {1.0, -1.0}) {
            problem.y.assign(n, side);
            const Solution solution = solve(at.provider, problem);
            CHECK((solution.converged && !solution.interrupted));
            CHECK(solution.steps == 0);
            CHECK(solution.alpha == std::vector<double>(n, 0.0));
            CHECK(solution.objective == 0.0);
            CHECK(solution.gap == 0.0);
            CHECK(solution.bias == (n > 0 ? side : 0.0));
        }
    }
}

TEST_CASE("batch with one row of the rare class") {
    const int n = 1300;
    Setting at(n, 3, 19, spec_of(KernelKind::rbf, 0.2));
    BatchProblem problem = problem_of(n, 1.0);
    problem.y.assign(n, -1.0);
    problem.y[1234] = 1.0;
    problem.cost[1234] = 50.0;
    const Solution solution = solve(at.provider, problem);
    CHECK(solution.converged);
    CHECK(solution.alpha[1234] > 0.0);
    check_solution(scalar_gram(at.kernel, at.table), n, problem, solution, 1.1e-3);
}

TEST_CASE("batch solves duplicated and contradicting rows") {
    for (const KernelSpec& spec : {spec_of(KernelKind::rbf, 0.2), spec_of(KernelKind::linear)}) {
        const int n = 1200;
        std::vector<double> values = blobs(n, 3, 20);
        // Rows come in threes at one place, often of both classes; the last hundred are all equal.
        for (int i = 0; i < n; ++i)
            for (int k = 0; k < 3; ++k)
                values[i * 3 + k] = values[(i < n - 100 ? i / 3 * 3 : n - 1) * 3 + k];
        Table table(Storage::dense64, n, 3, values);
        const Kernel kernel(spec, table.matrix);
        DirectProvider provider(kernel, table.matrix);
        const BatchProblem problem = problem_of(n, 1.0);
        const Solution solution = solve(provider, problem);
        CHECK(solution.converged);
        check_solution(scalar_gram(kernel, table), n, problem, solution, 1.2e-3);
    }
}

TEST_CASE("batch where all rows are equal") {
    Table table(Storage::dense32, 40, 2, std::vector<double>(80, 0.7));
    const Kernel kernel(spec_of(KernelKind::rbf, 1.0), table.matrix);
    DirectProvider provider(kernel, table.matrix);
    const BatchProblem problem = problem_of(40, 1.0);
    const Solution solution = solve(provider, problem);
    CHECK(solution.converged);
    check_solution(std::vector<double>(1600, 1.0), 40, problem, solution, 1.1e-3);
    CHECK_NEAR(solution.objective, 20.0, 1e-4);  // all ten positive rows at their limit
}
