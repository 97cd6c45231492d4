// What the engine decides by itself: which solver a machine gets, how decisions are cut into
// blocks, which rows an online machine keeps.
#include <cmath>
#include <stdexcept>
#include <vector>

#include "fixtures.hpp"
#include "kernel/decide.hpp"
#include "solver/dense_dual.hpp"
#include "solver/online_machine.hpp"
#include "solver/solve_many.hpp"

using namespace rarebit;
using namespace rarebit_tests;

namespace {

double label(int i) { return i % 3 == 0 ? 1.0 : -1.0; }

std::vector<double> clouds(int n, int d, unsigned seed) {
    std::vector<double> values = normal_values(n, d, seed);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < d; ++k) values[i * d + k] += 0.7 * label(i);
    return values;
}

BatchProblem problem_of(int n) {
    BatchProblem problem;
    problem.rows = numbers(n);
    for (int i = 0; i < n; ++i) problem.y.push_back(label(i));
    problem.cost.assign(n, 1.0);
    return problem;
}

struct Stream {
    std::vector<std::int32_t> order, tags;
    std::vector<double> y, cost;

    Stream(int from, int count) : order(numbers(count, from)), tags(order), cost(count, 1.0) {
        for (std::int32_t row : order) y.push_back(label(row));
    }
    void feed(OnlineMachine* machine, const Matrix& rows) {
        Control control;
        machine->process(rows, order, tags.data(), y.data(), cost.data(), control);
    }
};

}  // namespace

TEST_CASE("small machines go to the dense solver, others to the batch solver") {
    const Table table(Storage::dense64, 300, 4, clouds(300, 4, 1));
    const Kernel kernel(spec_of(KernelKind::rbf, 0.3), table.matrix);
    DirectProvider provider(kernel, table.matrix);
    const std::vector<Subproblem> problems = {{problem_of(300), {}}, {problem_of(200), {}}};
    Control control;
    BatchOptions ample, narrow;
    narrow.cache_bytes = 200 * 200 * sizeof(float);
    const std::vector<Solution> dense = solve_many(provider, problems, ample, control);
    const std::vector<Solution> mixed = solve_many(provider, problems, narrow, control);
    REQUIRE(dense.size() == 2);
    CHECK(dense[0].alpha == DenseDual(provider).solve(problem_of(300), {}, ample, control).alpha);
    CHECK(mixed[0].alpha == solve_batch(provider, problem_of(300), narrow, control).alpha);
    CHECK(mixed[1].alpha == dense[1].alpha);
    CHECK(dense[1].rows == numbers(200));
    for (const Solution& solution : dense) CHECK(solution.converged);
}

TEST_CASE("a stopped control leaves the later machines out") {
    const Table table(Storage::dense64, 60, 3, clouds(60, 3, 2));
    const Kernel kernel(spec_of(KernelKind::rbf, 0.3), table.matrix);
    DirectProvider provider(kernel, table.matrix);
    Control control;
    control.stop();
    CHECK(solve_many(provider, {{problem_of(60), {}}}, BatchOptions(), control).empty());
}

TEST_CASE("decisions do not depend on the blocks that rows fall into") {
    const int n = 3300, kept = 40;
    for (Storage storage : kStorages) {
        const Table table(storage, n, 5, normal_values(n, 5, 3, 0.3));
        const Kernel kernel(spec_of(KernelKind::rbf, 0.2), table.matrix);
        const std::vector<double> coefficients = normal_values(2, kept, 4);
        Control control;
        const std::vector<double> values = decide(kernel, table.matrix, table.matrix, numbers(kept),
                                                  coefficients.data(), 2, control);
        REQUIRE(values.size() == 2 * n);
        for (int row : {0, 95, 96, 1535, 1536, n - 1})
            for (int m = 0; m < 2; ++m) {
                double sum = 0.0;
                for (int j = 0; j < kept; ++j)
                    sum += coefficients[m * kept + j] * scalar_kernel(kernel, table, row, table, j);
                CHECK_NEAR(values[2 * row + m], sum, 1e-5);
            }
    }
}

TEST_CASE("a saved online machine continues to the bit") {
    for (Storage storage : {Storage::dense32, Storage::dense64}) {
        const Table table(storage, 400, 4, clouds(400, 4, 5));
        const Kernel kernel(spec_of(KernelKind::rbf, 0.3), table.matrix);
        OnlineMachine whole(kernel, table.matrix, 1e-3, 1 << 20);
        Stream(0, 250).feed(&whole, table.matrix);
        const OnlineState state = whole.state();
        const CopiedRows rows = whole.copy_rows(state);
        // The copy of the rows is all that the second machine gets.
        const int kept = static_cast<int>(state.rows.size());
        const Table copy(storage, kept, 4, rows.dense);
        OnlineMachine second(kernel, copy.matrix, 1e-3, 1 << 20);
        second.restore(copy.matrix, state);
        for (OnlineMachine* machine : {&whole, &second})
            Stream(250, 150).feed(machine, table.matrix);
        CHECK(second.solver().rows_seen() == 400);
        const Solution now = whole.solver().solution(), then = second.solver().solution();
        CHECK(now.alpha == then.alpha);
        CHECK(now.bias == then.bias);
        CHECK(now.rows.size() == now.alpha.size());
        CHECK(now.bias == whole.solver().bias());
    }
}

TEST_CASE("a machine on kernel values keeps no rows and takes its own matrix only") {
    const Table points(Storage::dense64, 80, 3, clouds(80, 3, 6));
    const Kernel rbf(spec_of(KernelKind::rbf, 0.3), points.matrix);
    const Table gram(Storage::dense64, 80, 80, engine_gram(rbf, points));
    const Kernel lookup(spec_of(KernelKind::precomputed), gram.matrix);
    OnlineMachine direct(rbf, points.matrix, 1e-3, 1 << 20);
    OnlineMachine looked_up(lookup, gram.matrix, 1e-3, 1 << 20);
    CHECK(!looked_up.keeps_rows());
    Stream(0, 80).feed(&direct, points.matrix);
    Stream(0, 80).feed(&looked_up, gram.matrix);
    CHECK_NEAR(direct.solver().objective(), looked_up.solver().objective(), 1e-5);
    Stream stream(0, 80);
    CHECK_THROWS_AS(stream.feed(&looked_up, points.matrix), std::invalid_argument);
    CHECK_THROWS_AS(looked_up.restore(gram.matrix, direct.state()), std::invalid_argument);
}
