// Shared kernel rows: the same values as computed directly, within a budget, from many threads.
#include <algorithm>
#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "fixtures.hpp"
#include "kernel/gram.hpp"
#include "solver/batch.hpp"

using namespace rarebit;
using namespace rarebit_tests;

namespace {

std::size_t bytes_of(int rows, const Table& table) {
    return static_cast<std::size_t>(rows) * table.rows() * sizeof(float);
}

}  // namespace

TEST_CASE("gram equals direct values to the bit") {
    std::mt19937 random(1);
    for (Storage storage : kStorages)
        for (bool wide : {false, true})
            for (int affordable : {0, 7, 1000}) {
                Table table(storage, 1100, 6, normal_values(1100, 6, 2, 0.3));
                const Kernel kernel(spec_of(KernelKind::rbf, 0.1), std::vector<double>(), wide);
                Gram gram(kernel, table.matrix, bytes_of(affordable, table));
                DirectProvider direct(kernel, table.matrix);
                std::vector<std::int32_t> rows = numbers(1100), columns = numbers(1100);
                std::shuffle(rows.begin(), rows.end(), random);
                std::shuffle(columns.begin(), columns.end(), random);
                rows.resize(130);  // more than one caller may protect at a time
                columns.resize(333);
                rows[5] = rows[4];  // asked for twice in one call
                CHECK(block_of(gram, rows, columns) == block_of(direct, rows, columns));
                CHECK(block_of(gram, rows, columns) == block_of(direct, rows, columns));
                PackedRows right = gram.packed_rows(), packed = direct.packed_rows();
                right.assign(columns);
                packed.assign(columns);
                const std::vector<double> coefficients = normal_values(1, 333, 3);
                std::vector<double> sums(130, 2.0), want(130, 2.0);
                gram.accumulate(rows.data(), 130, right, coefficients.data(), sums.data());
                direct.accumulate(rows.data(), 130, packed, coefficients.data(), want.data());
                double worst = 0.0;
                for (int i = 0; i < 130; ++i) worst = std::max(worst, std::abs(sums[i] - want[i]));
                CHECK(worst <= 1e-5);
            }
}

TEST_CASE("gram of a precomputed kernel") {
    Table table(Storage::dense64, 60, 60, normal_values(60, 60, 4));
    const Kernel kernel(spec_of(KernelKind::precomputed), table.matrix);
    Gram gram(kernel, table.matrix, 1 << 20);
    DirectProvider direct(kernel, table.matrix);
    CHECK(block_of(gram, numbers(60), numbers(60)) == block_of(direct, numbers(60), numbers(60)));
    CHECK(gram.diagonal(7) == table.at(7, 7));
}

TEST_CASE("gram counts what it computes and reuses") {
    const int n = 200;
    Table table(Storage::dense32, n, 3, normal_values(n, 3, 5));
    const Kernel kernel(spec_of(KernelKind::rbf, 0.2), table.matrix);
    Gram gram(kernel, table.matrix, std::size_t(1) << 30);
    CHECK(gram.rows_affordable() == n);  // no more than there are
    CHECK(gram.rows_held() == 0);
    block_of(gram, numbers(10), numbers(5));
    CHECK(gram.values_computed() == 10 * n);
    CHECK(gram.values_reused() == 0);
    CHECK(gram.rows_held() == 10);
    block_of(gram, numbers(12, 4), numbers(1));  // six known, six new
    CHECK(gram.values_computed() == 16 * n);
    CHECK(gram.values_reused() == 6 * n);
    CHECK(gram.rows_held() == 16);
    CHECK(kernel.values_computed() == 16 * n);
    // Scoring asks for the rows of the expansion, not for those scored.
    PackedRows right = gram.packed_rows();
    right.assign(numbers(16));
    const std::vector<double> coefficients(16, 1.0);
    std::vector<double> sums(n, 0.0);
    gram.accumulate(numbers(n).data(), n, right, coefficients.data(), sums.data());
    CHECK(gram.values_computed() == 16 * n);
    CHECK(gram.values_reused() == 22 * n);
}

TEST_CASE("gram keeps its budget and lets the longest unused go") {
    const int n = 100;
    Table table(Storage::dense32, n, 3, normal_values(n, 3, 6));
    const Kernel kernel(spec_of(KernelKind::rbf, 0.2), table.matrix);
    Gram gram(kernel, table.matrix, bytes_of(4, table) + 3);
    CHECK(gram.rows_affordable() == 4);
    const auto ask = [&](std::int32_t row) {
        const std::int64_t before = gram.values_computed();
        block_of(gram, {row}, numbers(n));
        CHECK(gram.rows_held() <= 4);
        return gram.values_computed() > before;  // had to be computed
    };
    for (int row : {0, 1, 2, 3}) CHECK(ask(row));
    CHECK(!ask(0));
    CHECK(ask(4));  // 1 leaves
    CHECK(!ask(0));
    CHECK(!ask(2));
    CHECK(!ask(3));
    CHECK(ask(1));  // 4 leaves
    CHECK(!ask(0));
    CHECK(ask(4));
    for (int round = 0; round < 3; ++round)
        for (int row = 0; row < n; ++row) ask(row);
    // A call for more rows than the budget holds passes it only while it lasts.
    block_of(gram, numbers(60), numbers(3));
    CHECK(gram.rows_held() == 4);
}

TEST_CASE("gram serves many threads and computes no row twice") {
    const int n = 400;
    Table table(Storage::dense32, n, 9, normal_values(n, 9, 7));
    const Kernel kernel(spec_of(KernelKind::rbf, 0.1), table.matrix);
    DirectProvider direct(kernel, table.matrix);
    const std::vector<float> want = block_of(direct, numbers(n), numbers(n));
    for (int affordable : {n, 20}) {
        Gram gram(kernel, table.matrix, bytes_of(affordable, table));
        std::atomic<int> apart{0}, ready{0};
        std::vector<std::thread> threads;
        for (unsigned t = 0; t < 6; ++t)
            threads.emplace_back([&, t] {
                std::mt19937 random(t);
                ++ready;
                while (ready < 6) std::this_thread::yield();
                for (int round = 0; round < 25; ++round) {
                    std::vector<std::int32_t> rows(1 + random() % 40), columns(1 + random() % n);
                    for (std::int32_t& row : rows) row = static_cast<std::int32_t>(random() % n);
                    for (std::int32_t& c : columns) c = static_cast<std::int32_t>(random() % n);
                    const std::vector<float> block = block_of(gram, rows, columns);
                    for (std::size_t i = 0; i < rows.size(); ++i)
                        for (std::size_t j = 0; j < columns.size(); ++j)
                            apart += block[i * columns.size() + j] !=
                                     want[static_cast<std::size_t>(rows[i]) * n + columns[j]];
                }
            });
        for (std::thread& thread : threads) thread.join();
        CHECK(apart == 0);
        if (affordable == n) CHECK(gram.values_computed() == gram.rows_held() * n);
        CHECK(gram.rows_held() <= gram.rows_affordable());
    }
}

TEST_CASE("gram shared by solvers in threads gives each its own optimum") {
    const int n = 500, machines = 4;
    std::vector<double> values = normal_values(n, 4, 8);
    std::vector<double> y(n);
    for (int i = 0; i < n; ++i) {
        y[i] = i % 3 == 0 ? 1.0 : -1.0;
        for (int k = 0; k < 4; ++k) values[i * 4 + k] += 0.5 * y[i];
    }
    Table table(Storage::dense32, n, 4, values);
    const Kernel kernel(spec_of(KernelKind::rbf, 0.2), table.matrix);
    const std::vector<double> exact = engine_gram(kernel, table);
    Gram gram(kernel, table.matrix, bytes_of(100, table));
    std::vector<BatchProblem> problems(machines);
    std::vector<Solution> solutions(machines);
    std::vector<std::thread> threads;
    for (int m = 0; m < machines; ++m) {
        for (int i = m; i < n; i += m % 2 + 1) {
            problems[m].rows.push_back(i);
            problems[m].y.push_back(y[i]);
            problems[m].cost.push_back(1.0 + m);
        }
        threads.emplace_back([&, m] {
            Control control;
            solutions[m] = solve_batch(gram, problems[m], BatchOptions(), control);
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (int m = 0; m < machines; ++m) {
        CHECK(solutions[m].converged);
        const Optimality found = optimality(exact, n, problems[m].rows, problems[m].y,
                                            problems[m].cost, solutions[m].alpha);
        CHECK(found.gap <= 1.1e-3);
        CHECK_NEAR(found.objective, solutions[m].objective, 1e-4 * found.objective);
    }
}

TEST_CASE("gram filled at once computes each pair once") {
    const int n = 2100;  // more than two blocks
    for (Storage storage : kStorages)
        for (bool wide : {false, true}) {
            Table table(storage, n, 4, normal_values(n, 4, 6, 0.4));
            const Kernel kernel(spec_of(KernelKind::rbf, 0.2), std::vector<double>(), wide);
            Gram gram(kernel, table.matrix, bytes_of(n, table));
            CHECK(gram.fill());
            CHECK(gram.rows_held() == n);
            CHECK(gram.values_computed() <= std::int64_t(n) * (n + 256) / 2);
            const std::int64_t computed = kernel.values_computed();
            CHECK(computed == gram.values_computed());
            const std::vector<std::int32_t> rows = {0, 5, 1023, 1024, 1500, 2050, 2099};
            const std::vector<float> values = block_of(gram, rows, numbers(n));
            CHECK(kernel.values_computed() == computed);
            DirectProvider direct(kernel, table.matrix);
            CHECK(furthest(values, block_of(direct, rows, numbers(n))) <= rounding(storage));
        }
    Table table(Storage::dense32, 50, 4, normal_values(50, 4, 6));
    const Kernel kernel(spec_of(KernelKind::rbf, 0.2), table.matrix);
    Gram small(kernel, table.matrix, bytes_of(49, table));
    CHECK(!small.fill());
    CHECK(small.values_computed() == 0);
}
