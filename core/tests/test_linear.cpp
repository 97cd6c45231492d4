// The solvers of linear machines, checked by their optimality conditions and against solve_batch.
#include <cmath>
#include <vector>

#include "fixtures.hpp"
#include "solver/linear.hpp"

using namespace rarebit;
using namespace rarebit_tests;

namespace {

const LinearMethod kMethods[] = {LinearMethod::interior, LinearMethod::descent};

double label(int i) { return i % 5 == 0 ? 1.0 : -1.0; }

struct Setting {
    Table table;
    Kernel kernel;
    DirectProvider provider;
    BatchProblem problem;

    Setting(Storage storage, int n, int d, double zeros, double cost, bool wide = false)
        : table(storage, n, d, clouds(n, d, zeros), wide),
          kernel(spec_of(KernelKind::linear), table.matrix),
          provider(kernel, table.matrix) {
        problem.rows = numbers(n);
        for (int i = 0; i < n; ++i) problem.y.push_back(label(i));
        // Rows of their own costs, and some that are left out.
        for (int i = 0; i < n; ++i) problem.cost.push_back(i % 11 == 3 ? 0.0 : cost * (1 + i % 3));
    }

    static std::vector<double> clouds(int n, int d, double zeros) {
        std::vector<double> values = normal_values(n, d, 17, zeros);
        for (int i = 0; i < n; ++i) values[static_cast<std::size_t>(i) * d] += label(i);
        return values;
    }

    Solution solve(LinearMethod method, double tolerance = 1e-3) {
        BatchOptions options;
        options.tolerance = tolerance;
        Control control;
        return method == LinearMethod::none
                   ? solve_batch(provider, problem, options, control)
                   : solve_linear(provider, problem, options, method, control);
    }
};

void check_solved(const Setting& at, const Solution& solution, double tolerance) {
    const Optimality found =
        optimality(engine_gram(at.kernel, at.table), at.table.rows(), at.problem.rows, at.problem.y,
                   at.problem.cost, solution.alpha);
    CHECK(solution.converged);
    CHECK(found.gap <= 1.01 * tolerance + 1e-4);  // kernel values are float32, the solvers' are not
    CHECK(found.outside_box <= 0.0);
    CHECK_NEAR(found.sum, 0.0, 1e-6);
    CHECK_NEAR(solution.objective, found.objective, 1e-4 * std::abs(found.objective));
}

}  // namespace

TEST_CASE("linear solvers reach the tolerance in every storage") {
    for (Storage storage : kStorages)
        for (LinearMethod method : kMethods)
            for (double cost : {0.02, 1.0}) {
                Setting at(storage, 220, 7, 0.4, cost, storage == Storage::csr64);
                check_solved(at, at.solve(method), 1e-3);
                check_solved(at, at.solve(method, 1e-5), 1e-5);
            }
}

TEST_CASE("linear solvers find the machine of the pairwise solver") {
    for (LinearMethod method : kMethods)
        for (int columns : {1, 3, 60, 300}) {
            Setting at(Storage::csr32, 240, columns, 0.8, 0.5);
            const Solution plain = at.solve(LinearMethod::none, 1e-5);
            const Solution found = at.solve(method, 1e-5);
            CHECK_NEAR(found.objective, plain.objective, 1e-4 * std::abs(plain.objective));
            CHECK_NEAR(found.bias, plain.bias, 2e-3);
        }
}

TEST_CASE("linear solvers take degenerate problems") {
    for (LinearMethod method : kMethods) {
        Setting same(Storage::dense64, 60, 3, 1.0, 1.0);  // one column differs, the others are 0
        for (double& cost : same.problem.cost) cost = 1e-9;
        CHECK(same.solve(method).converged);
        Setting none(Storage::dense32, 40, 2, 0.0, 1.0);
        std::fill(none.problem.cost.begin(), none.problem.cost.end(), 0.0);
        for (double alpha : none.solve(method).alpha) CHECK(alpha == 0.0);
        Setting one_class(Storage::csr64, 40, 2, 0.0, 1.0);
        std::fill(one_class.problem.y.begin(), one_class.problem.y.end(), -1.0);
        for (double alpha : one_class.solve(method).alpha) CHECK(alpha == 0.0);
    }
}

TEST_CASE("the interior method needs few steps, whatever the costs") {
    for (double cost : {0.01, 1.0, 100.0, 1e5}) {
        Setting at(Storage::csr64, 3000, 40, 0.8, cost);
        const Solution found = at.solve(LinearMethod::interior);
        CHECK(found.converged);
        CHECK(found.steps <= 30);
    }
}

TEST_CASE("descent balances the sides where costs are small") {
    for (double cost : {1e-4, 1e-3, 1e-2}) {
        Setting at(Storage::csr32, 600, 300, 0.9, cost);
        const Solution found = at.solve(LinearMethod::descent);
        check_solved(at, found, 1e-3);
        CHECK(found.steps <= 300);
    }
}

TEST_CASE("the shape of a problem chooses its solver") {
    Setting narrow(Storage::dense32, 1600, 3, 0.0, 1.0);
    Setting wide(Storage::csr32, 1600, 600, 0.99, 1.0);
    BatchOptions options;
    const auto chosen = [&](const Setting& at, std::size_t rows) {
        return choose_linear(at.kernel, at.table.matrix, rows, options);
    };
    CHECK(chosen(narrow, 1600) == LinearMethod::interior);
    CHECK(chosen(wide, 1600) == LinearMethod::descent);
    CHECK(chosen(narrow, 100) == LinearMethod::none);
    options.cache_bytes = 1000;
    CHECK(chosen(narrow, 1600) == LinearMethod::none);
    options = {};
    options.most_steps = 5;
    CHECK(chosen(narrow, 1600) == LinearMethod::none);
}

TEST_CASE("an interrupted linear solver says so") {
    for (LinearMethod method : kMethods) {
        Setting at(Storage::dense64, 220, 7, 0.0, 1.0);
        Control control;
        control.stop();
        const Solution found = solve_linear(at.provider, at.problem, {}, method, control);
        CHECK(found.interrupted);
    }
}
