// Values with shared columns: the same as computed directly, each pair computed once.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "fixtures.hpp"
#include "kernel/shared_columns_provider.hpp"

using namespace rarebit;
using namespace rarebit_tests;

namespace {

constexpr int kRows = 400;

std::vector<std::int32_t> some_rows(int count, unsigned seed) {
    std::vector<std::int32_t> rows = numbers(kRows);
    std::shuffle(rows.begin(), rows.end(), std::mt19937(seed));
    rows.resize(count);
    return rows;
}

}  // namespace

TEST_CASE("anchored values equal direct ones") {
    for (Storage storage : kStorages)
        for (bool wide : {false, true})
            for (int shared_rows : {0, 1, 90, kRows}) {
                Table table(storage, kRows, 6, normal_values(kRows, 6, 2, 0.3));
                const Kernel kernel(spec_of(KernelKind::rbf, 0.1), std::vector<double>(), wide);
                SharedColumnsProvider shared(kernel, table.matrix, some_rows(shared_rows, 1));
                DirectProvider direct(kernel, table.matrix);
                const std::vector<std::int32_t> columns = some_rows(300, 2);
                // All rows are columns, some are asked for twice; then some are no columns.
                std::vector<std::int32_t> inside(columns.begin() + 40, columns.begin() + 250);
                inside.push_back(inside[3]);
                for (const std::vector<std::int32_t>& rows : {inside, some_rows(170, 3)})
                    CHECK(furthest(block_of(shared, rows, columns),
                                   block_of(direct, rows, columns)) <= rounding(storage));
                CHECK(block_of(shared, {}, columns).empty());
                CHECK(block_of(shared, inside, {}).empty());
            }
}

TEST_CASE("anchored sums equal direct ones") {
    for (int shared_rows : {0, 90, kRows}) {
        Table table(Storage::dense32, kRows, 6, normal_values(kRows, 6, 4, 0.3));
        const Kernel kernel(spec_of(KernelKind::rbf, 0.1), table.matrix);
        SharedColumnsProvider shared(kernel, table.matrix, some_rows(shared_rows, 5));
        DirectProvider direct(kernel, table.matrix);
        const std::vector<std::int32_t> columns = some_rows(120, 6), rows = some_rows(200, 7);
        const std::vector<double> coefficients = normal_values(1, 120, 8);
        PackedRows right = shared.packed_rows(), packed = direct.packed_rows();
        right.assign(columns);
        packed.assign(columns);
        std::vector<double> sums(200, 2.0), want(200, 2.0);
        shared.accumulate(rows.data(), 200, right, coefficients.data(), sums.data());
        direct.accumulate(rows.data(), 200, packed, coefficients.data(), want.data());
        double worst = 0.0;
        for (int i = 0; i < 200; ++i) worst = std::max(worst, std::abs(sums[i] - want[i]));
        CHECK(worst <= 1e-5);
    }
}

TEST_CASE("anchored values are computed once") {
    Table table(Storage::dense64, kRows, 3, normal_values(kRows, 3, 9));
    const Kernel kernel(spec_of(KernelKind::rbf, 0.2), table.matrix);
    const std::int64_t before = kernel.values_computed();
    SharedColumnsProvider shared(kernel, table.matrix, some_rows(100, 1));
    CHECK(kernel.values_computed() - before == 100 * kRows);
    const std::vector<std::int32_t> shared_rows = some_rows(100, 1);
    block_of(shared, shared_rows, numbers(kRows));
    CHECK(kernel.values_computed() - before == 100 * kRows);
    // 300 rows with each other: a little more than half of the square, rows going by 64.
    block_of(shared, numbers(kRows), numbers(kRows));
    const std::int64_t own = kernel.values_computed() - before - 100 * kRows;
    CHECK((own >= 300 * 301 / 2 && own <= 300 * 300 / 2 + 300 * 64));
}
