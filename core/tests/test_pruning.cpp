// Pruning against machines solved from nothing for every trial.
#include <algorithm>
#include <cmath>
#include <vector>

#include "fixtures.hpp"
#include "pruning/pruning.hpp"

using namespace rarebit;
using namespace rarebit_tests;

namespace {

struct Setting {
    Table table;
    Kernel kernel;
    DirectProvider provider;
    BatchProblem problem;
    BatchOptions options;

    Setting(int n, unsigned seed, double cost, double minority)
        : table(Storage::dense64, n, 2, cloud(n, seed)),
          kernel(spec_of(KernelKind::rbf, 0.5), table.matrix),
          provider(kernel, table.matrix) {
        options.tolerance = 1e-5;
        problem.rows = numbers(n);
        for (int i = 0; i < n; ++i) problem.y.push_back(i % 4 == 0 ? minority : -minority);
        problem.cost.assign(n, cost);
        problem.start = solve(problem).alpha;
    }
    static std::vector<double> cloud(int n, unsigned seed) {
        std::vector<double> values = normal_values(n, 2, seed);
        for (int i = 0; i < n; i += 4) values[2 * i] += 1.5;
        return values;
    }
    Solution solve(const BatchProblem& some) {
        BatchProblem fresh = some;
        fresh.start.clear();
        Control control;
        return solve_batch(provider, fresh, options, control);
    }
    PrunePath path(double minority, bool floating, int most = 1 << 20) {
        Control control;
        return prune(provider, problem, minority, floating, most, options, control);
    }
};

}  // namespace

TEST_CASE("pruned machines are the exact machines of their rows") {
    for (double minority : {1.0, -1.0}) {
        Setting at(120, 3, 1.0, minority);
        const PrunePath path = at.path(minority, false);
        CHECK((path.points.size() > 5 && !path.interrupted));
        const std::vector<double> gram = engine_gram(at.kernel, at.table);
        BatchProblem left = at.problem;
        std::vector<char> member(120, 0);
        for (int p : path.members) member[p] = 1;
        for (int p = 0; p < 120; ++p)
            if (!member[p]) left.cost[p] = 0.0;
        for (const PrunePoint& point : path.points) {
            if (point.removed >= 0) {
                CHECK((left.cost[point.removed] > 0.0 && left.y[point.removed] != minority));
                left.cost[point.removed] = 0.0;
            }
            std::vector<double> alpha(120, 0.0);
            for (std::size_t i = 0; i < path.members.size(); ++i)
                alpha[path.members[i]] = point.machine.alpha[i];
            std::vector<std::int32_t> rows;
            std::vector<double> y, cost, own;
            for (int p = 0; p < 120; ++p) {
                CHECK((left.cost[p] > 0.0 || alpha[p] == 0.0));
                if (left.cost[p] <= 0.0) continue;
                rows.push_back(p);
                y.push_back(left.y[p]);
                cost.push_back(left.cost[p]);
                own.push_back(alpha[p]);
            }
            const Optimality found = optimality(gram, 120, rows, y, cost, own);
            CHECK(found.gap <= 3e-5);
            CHECK(found.outside_box <= 0.0);
            CHECK_NEAR(found.sum, 0.0, 1e-9);
            CHECK_NEAR(found.objective, at.solve(left).objective, 1e-5 * found.objective + 1e-6);
            // The judgement is that of the machine on all rows.
            double right = 0.0, wrong = 0.0;
            for (int p = 0; p < 120; ++p) {
                double f = point.machine.bias;
                for (int q = 0; q < 120; ++q) f += alpha[q] * gram[p * 120 + q];
                const bool correct = (f > 0.0) == (at.problem.y[p] > 0.0);
                (at.problem.y[p] == minority ? right : wrong) +=
                    at.problem.y[p] == minority ? correct : !correct;
            }
            CHECK_NEAR(point.minority_right, right / 30.0, 1e-9);
            CHECK_NEAR(point.majority_wrong, wrong / 90.0, 1e-9);
        }
    }
}

TEST_CASE("pruning removes the row whose absence is best") {
    Setting at(80, 7, 2.0, 1.0);
    const PrunePath path = at.path(1.0, false, 3);
    CHECK(path.points.size() == 4);
    const std::vector<double> gram = engine_gram(at.kernel, at.table);
    BatchProblem left = at.problem;
    for (int p = 0; p < 80; ++p)
        if (left.y[p] < 0 && left.start[p] == 0.0) left.cost[p] = 0.0;
    for (int round = 1; round < 4; ++round) {
        double best = -1.0;
        for (int k = 0; k < 80; ++k) {
            if (left.cost[k] <= 0.0 || left.y[k] > 0) continue;
            BatchProblem trial = left;
            trial.cost[k] = 0.0;
            const Solution solved = at.solve(trial);
            double right = 0.0, wrong = 0.0;
            for (int p = 0; p < 80; ++p) {
                double f = solved.bias;
                for (int q = 0; q < 80; ++q) f += solved.alpha[q] * gram[p * 80 + q];
                right += left.y[p] > 0 && f > 0.0;
                wrong += left.y[p] < 0 && f > 0.0;
            }
            best = std::max(best, wrong > 0.0 ? (right / 20.0) / (wrong / 60.0) : 1e9 + right);
        }
        const PrunePoint& point = path.points[round];
        const double own = point.majority_wrong > 0.0 ? point.minority_right / point.majority_wrong
                                                      : 1e9 + 20.0 * point.minority_right;
        CHECK_NEAR(own, best, 1e-9 * best);
        left.cost[point.removed] = 0.0;
    }
}

TEST_CASE("floating search is never worse at any size") {
    Setting at(100, 11, 1.0, 1.0);
    const PrunePath backward = at.path(1.0, false), floating = at.path(1.0, true);
    CHECK(floating.trials > backward.trials);
    CHECK(floating.points.size() == backward.points.size());
    for (const PrunePoint& point : floating.points)
        CHECK(point.machine.alpha.size() == floating.members.size());
}

TEST_CASE("pruning leaves one row obeys its limit and stops") {
    Setting at(80, 5, 1.0, 1.0);
    int majority = 0;
    for (int p = 0; p < 80; ++p) majority += at.problem.y[p] < 0 && at.problem.start[p] != 0.0;
    CHECK(static_cast<int>(at.path(1.0, false).points.size()) == majority);
    CHECK(at.path(1.0, false, 0).points.size() == 1);
    CHECK(at.path(1.0, false, 2).points.size() == 3);
    Control control;
    control.stop();
    CHECK(prune(at.provider, at.problem, 1.0, false, 100, at.options, control).interrupted);
}

TEST_CASE("pruned machines sum to zero and keep their limits") {
    // Equal rows, whose system has no inverse but for the ridge, and a linear kernel of large
    // values, where free members outnumber the features.
    for (const bool linear : {false, true}) {
        const int n = 80;
        std::vector<double> values = normal_values(n, 2, 9);
        for (int i = 0; i < n; i += 4) values[2 * i] += 1.0;
        for (int i = 0; i < 10; ++i) values[2 * (8 + i)] = values[2 * (48 + i)];
        for (int i = 0; i < 10; ++i) values[2 * (8 + i) + 1] = values[2 * (48 + i) + 1];
        if (linear)
            for (double& v : values) v *= 1e3;
        Table table(Storage::dense64, n, 2, values);
        Kernel kernel(spec_of(linear ? KernelKind::linear : KernelKind::rbf, 0.5), table.matrix);
        DirectProvider provider(kernel, table.matrix);
        BatchProblem problem;
        BatchOptions options;
        options.tolerance = 1e-3;
        problem.rows = numbers(n);
        for (int i = 0; i < n; ++i) problem.y.push_back(i % 4 == 0 ? 1.0 : -1.0);
        problem.cost.assign(n, linear ? 1e-6 : 5.0);
        Control control;
        problem.start = solve_batch(provider, problem, options, control).alpha;
        const PrunePath path = prune(provider, problem, 1.0, false, 1 << 20, options, control);
        CHECK(path.points.size() > 2);
        std::vector<char> gone(path.members.size(), 0);
        for (const PrunePoint& point : path.points) {
            double sum = 0.0;
            for (std::size_t s = 0; s < path.members.size(); ++s) {
                if (path.members[s] == point.removed) gone[s] = 1;
                const double side = problem.y[path.members[s]], own = side * point.machine.alpha[s];
                CHECK((own >= 0.0 && own <= problem.cost[0]));
                if (gone[s]) CHECK(point.machine.alpha[s] == 0.0);
                sum += point.machine.alpha[s];
            }
            CHECK_NEAR(sum, 0.0, 1e-9 * problem.cost[0] * n);
        }
    }
}
