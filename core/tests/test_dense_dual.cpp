// The solver of small machines, checked by its optimality conditions and against solve_batch.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "fixtures.hpp"
#include "solver/dense_dual.hpp"

using namespace rarebit;
using namespace rarebit_tests;

namespace {

double label(int i) { return i % 3 == 0 ? 1.0 : -1.0; }

std::vector<double> clouds(int n, int d, unsigned seed) {
    std::vector<double> values = normal_values(n, d, seed);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < d; ++k) values[i * d + k] += 0.5 * label(i);
    return values;
}

struct Setting {
    Table table;
    Kernel kernel;
    DirectProvider provider;
    BatchProblem problem;

    Setting(int n, int d, unsigned seed, const KernelSpec& spec, double cost)
        : table(Storage::dense64, n, d, clouds(n, d, seed)),
          kernel(spec, table.matrix),
          provider(kernel, table.matrix) {
        problem.rows = numbers(n);
        for (int i = 0; i < n; ++i) problem.y.push_back(label(i));
        problem.cost.assign(n, cost);
    }

    Solution solve(const std::vector<double>& margins = {}, double tolerance = 1e-3) {
        BatchOptions options;
        options.tolerance = tolerance;
        Control control;
        DenseDual dense(provider);
        return dense.solve(problem, margins, options, control);
    }
    Optimality judge(const Solution& solution) const {
        return optimality(engine_gram(kernel, table), table.rows(), problem.rows, problem.y,
                          problem.cost, solution.alpha);
    }
};

void check_solved(const Setting& at, const Solution& solution, double tolerance) {
    const Optimality found = at.judge(solution);
    CHECK((solution.converged && !solution.interrupted));
    CHECK(found.gap <= 1.01 * tolerance + 1e-6);
    CHECK(found.outside_box <= 0.0);
    CHECK_NEAR(found.sum, 0.0, 1e-9);
    CHECK_NEAR(solution.objective, found.objective, 1e-6 * std::abs(found.objective) + 1e-9);
}

}  // namespace

TEST_CASE("dense dual reaches the tolerance with every kernel") {
    for (const KernelSpec& spec :
         {spec_of(KernelKind::rbf, 0.2), spec_of(KernelKind::linear),
          spec_of(KernelKind::poly, 0.3, 1.0, 2), spec_of(KernelKind::sigmoid, 0.02)})
        for (double cost : {0.1, 5.0})
            for (double tolerance : {1e-2, 1e-3}) {
                Setting at(300, 4, 3, spec, cost);
                const Solution solution = at.solve({}, tolerance);
                check_solved(at, solution, tolerance);
                BatchOptions options;
                options.tolerance = tolerance;
                Control control;
                const Solution plain = solve_batch(at.provider, at.problem, options, control);
                CHECK_NEAR(solution.objective, plain.objective,
                           2e-2 * std::abs(plain.objective) * std::sqrt(tolerance));
            }
}

TEST_CASE("dense dual does not depend on the guesses") {
    Setting at(700, 3, 5, spec_of(KernelKind::rbf, 0.4), 2.0);
    const Solution blind = at.solve();
    std::mt19937 random(1);
    std::uniform_real_distribution<double> anything(-3.0, 5.0);
    std::vector<double> wrong(700), far(700, 9.0), one_class(700, 9.0);
    for (double& margin : wrong) margin = anything(random);
    for (int i = 0; i < 700; ++i)
        if (label(i) > 0) one_class[i] = 0.0;
    for (const std::vector<double>& margins : {wrong, far, one_class}) {
        const Solution solution = at.solve(margins);
        check_solved(at, solution, 1e-3);
        CHECK_NEAR(solution.objective, blind.objective, 1e-5 * blind.objective);
    }
}

TEST_CASE("dense dual looks at rows that were left out") {
    Setting at(600, 2, 8, spec_of(KernelKind::rbf, 0.5), 1.0);
    const Solution solution = at.solve(std::vector<double>(600, 9.0));
    CHECK((solution.sweeps >= 1 && solution.rows_swept >= 600 - 128));
    check_solved(at, solution, 1e-3);
}

TEST_CASE("dense dual starts where it is told") {
    Setting at(400, 4, 11, spec_of(KernelKind::rbf, 0.3), 1.5);
    const Solution first = at.solve();
    at.problem.start = first.alpha;
    const Solution again = at.solve();
    CHECK((again.steps <= 5 && again.converged));
    CHECK_NEAR(again.objective, first.objective, 1e-9 * first.objective);
    // A start that breaks boxes and balance is repaired.
    for (double& alpha : at.problem.start) alpha = 7.0;
    check_solved(at, at.solve(std::vector<double>(400, 9.0)), 1e-3);
}

TEST_CASE("dense dual hands over what float32 cannot solve") {
    // A linear kernel of long rows: gradients of a million leave nothing of a tolerance of 1e-5.
    Setting at(120, 3, 13, spec_of(KernelKind::linear), 1.0);
    std::vector<double> values = at.table.plain;
    for (double& v : values) v *= 3e3;
    Table long_rows(Storage::dense64, 120, 3, values);
    const Kernel kernel(spec_of(KernelKind::linear), long_rows.matrix);
    DirectProvider provider(kernel, long_rows.matrix);
    BatchOptions options;
    options.tolerance = 1e-5;
    options.most_steps = 20000;
    Control control;
    DenseDual dense(provider);
    const Solution solution = dense.solve(at.problem, {}, options, control);
    const Optimality found = optimality(engine_gram(kernel, long_rows), 120, at.problem.rows,
                                        at.problem.y, at.problem.cost, solution.alpha);
    CHECK(found.outside_box <= 0.0);
    CHECK_NEAR(found.sum, 0.0, 1e-9);
    CHECK(solution.steps <= 20001);
    CHECK((!solution.converged || found.gap <= 0.1));
}

TEST_CASE("dense dual serves one machine after another") {
    Setting at(500, 3, 17, spec_of(KernelKind::rbf, 0.3), 1.0);
    Control control;
    DenseDual dense(at.provider);
    for (int round = 0; round < 4; ++round) {
        BatchProblem part;
        for (int i = round; i < 500; i += round + 1) {
            part.rows.push_back(i);
            part.y.push_back(label(i));
            part.cost.push_back(i % 7 == 0 ? 0.0 : 1.0 + round);
        }
        const Solution kept = dense.solve(part, {}, BatchOptions(), control);
        DenseDual fresh(at.provider);
        const Solution alone = fresh.solve(part, {}, BatchOptions(), control);
        CHECK((kept.alpha == alone.alpha && kept.bias == alone.bias));
        for (std::size_t p = 0; p < part.rows.size(); ++p)
            CHECK((part.cost[p] > 0.0 || kept.alpha[p] == 0.0));
        CHECK(optimality(engine_gram(at.kernel, at.table), 500, part.rows, part.y, part.cost,
                         kept.alpha)
                  .gap <= 1.1e-3);
    }
}

TEST_CASE("dense dual of no row one class and few steps") {
    Setting at(90, 2, 19, spec_of(KernelKind::rbf, 0.3), 1.0);
    Control control;
    DenseDual dense(at.provider);
    BatchOptions options;
    CHECK(dense.solve(BatchProblem(), {}, options, control).converged);
    BatchProblem one_class = at.problem;
    one_class.y.assign(90, -1.0);
    const Solution flat = dense.solve(one_class, {}, options, control);
    CHECK((flat.converged && flat.bias == -1.0 && flat.objective == 0.0));
    options.most_steps = 7;
    const Solution few = dense.solve(at.problem, {}, options, control);
    CHECK((few.steps == 7 && !few.converged && few.gap > 1e-3));
    control.stop();
    CHECK(dense.solve(at.problem, {}, BatchOptions(), control).interrupted);
    CHECK(!DenseDual::takes(100000, BatchOptions()));
    CHECK(DenseDual::takes(1000, BatchOptions()));
}
