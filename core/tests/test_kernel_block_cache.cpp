// Kernel values kept between sweeps: the same sums, computed once.
#include <algorithm>
#include <cmath>
#include <vector>

#include "fixtures.hpp"
#include "kernel/gram.hpp"
#include "kernel/kernel_block_cache.hpp"

using namespace rarebit;
using namespace rarebit_tests;

namespace {

const auto kGoOn = [] { return false; };

struct Setting {
    Table table;
    Kernel kernel;
    DirectProvider provider;

    explicit Setting(Storage storage)
        : table(storage, 200, 210, normal_values(200, 210, 1, 0.5)),
          kernel(spec_of(KernelKind::rbf, 0.005), table.matrix),
          provider(kernel, table.matrix) {}

    // What `accumulate` must add for one row.
    double sum(int row, const std::vector<std::int32_t>& columns,
               const std::vector<double>& coefficients) const {
        double total = 0.0;
        for (std::size_t j = 0; j < columns.size(); ++j)
            total += coefficients[j] * scalar_kernel(kernel, table, row, table, columns[j]);
        return total;
    }
};

std::vector<double> accumulated(KernelBlockCache& kept, int set, const std::vector<int>& members,
                                const std::vector<std::int32_t>& rows,
                                const std::vector<std::int32_t>& columns,
                                const std::vector<double>& coefficients, bool keep) {
    std::vector<double> sums(rows.size(), 3.0);
    kept.accumulate(set, members, rows, columns, coefficients, keep, kGoOn, sums.data());
    return sums;
}

}  // namespace

TEST_CASE("kept values add the same sums whether kept or not") {
    for (Storage storage : kStorages)
        for (std::size_t budget :
             {std::size_t(0), std::size_t(30) * 50 * 4, std::size_t(1) << 20}) {
            Setting at(storage);
            KernelBlockCache kept(at.provider, budget);
            const int first = kept.open(30), second = kept.open(30);
            const std::vector<int> all = numbers(30);
            // Overlapping columns in changing order; members fewer and fewer; two sets by turns.
            for (int round = 0; round < 6; ++round) {
                std::vector<std::int32_t> columns = numbers(50, 100 + 8 * round);
                if (round % 2 == 1) std::reverse(columns.begin(), columns.end());
                const std::vector<double> coefficients = normal_values(1, 50, 10 + round);
                for (int set : {first, second}) {
                    std::vector<int> members;
                    for (int m : all)
                        if (round < 4 || m % 3 != 0) members.push_back(m);
                    std::vector<std::int32_t> rows;
                    for (int m : members) rows.push_back(set == first ? m : 99 - m);
                    const std::vector<double> sums =
                        accumulated(kept, set, members, rows, columns, coefficients, round < 4);
                    double worst = 0.0;
                    for (std::size_t i = 0; i < rows.size(); ++i)
                        worst = std::max(worst, std::abs(sums[i] - 3.0 -
                                                         at.sum(rows[i], columns, coefficients)));
                    CHECK(worst <= 3e-5);
                    CHECK(kept.bytes() <= budget);
                }
            }
            CHECK((kept.bytes() > 0) == (budget > 0));
        }
}

TEST_CASE("kept values are computed once") {
    Setting at(Storage::dense32);
    KernelBlockCache kept(at.provider, std::size_t(1) << 20);
    const int set = kept.open(20);
    const std::vector<int> members = numbers(20);
    const std::vector<double> ones(40, 1.0);
    const std::int64_t start = at.kernel.values_computed();
    accumulated(kept, set, members, numbers(20), numbers(40, 100), ones, true);
    CHECK(at.kernel.values_computed() - start == 20 * 40);
    accumulated(kept, set, members, numbers(20), numbers(40, 100), ones, true);
    CHECK(at.kernel.values_computed() - start == 20 * 40);
    accumulated(kept, set, members, numbers(20), numbers(40, 110), ones, true);  // ten are new
    CHECK(at.kernel.values_computed() - start == 20 * 50);
    CHECK(kept.bytes() == 20 * 50 * sizeof(float));
    // Another set knows nothing of this one's values.
    accumulated(kept, kept.open(20), members, numbers(20), numbers(40, 100), ones, true);
    CHECK(at.kernel.values_computed() - start == 20 * 90);
}

TEST_CASE("kept values of an interrupted pass are not trusted") {
    Setting at(Storage::dense32);
    KernelBlockCache kept(at.provider, std::size_t(1) << 20);
    const int set = kept.open(20);
    const std::vector<double> coefficients = normal_values(1, 40, 2);
    std::vector<double> sums(20, 0.0);
    kept.accumulate(
        set, numbers(20), numbers(20), numbers(40, 100), coefficients, true, [] { return true; },
        sums.data());
    const std::vector<double> again =
        accumulated(kept, set, numbers(20), numbers(20), numbers(40, 100), coefficients, true);
    for (int i = 0; i < 20; ++i)
        CHECK_NEAR(again[i], 3.0 + at.sum(i, numbers(40, 100), coefficients), 3e-5);
}

TEST_CASE("kept values are worthwhile where values are dear") {
    const Setting dense(Storage::dense32);
    for (Storage storage : {Storage::dense32, Storage::csr32})
        for (int columns : {3, 400}) {
            Table table(storage, 50, columns, normal_values(50, columns, 3));
            const Kernel kernel(spec_of(KernelKind::rbf, 0.1), table.matrix);
            DirectProvider provider(kernel, table.matrix);
            CHECK(KernelBlockCache(provider, 1 << 20).worthwhile() == (columns == 400));
        }
    // A gram keeps its values itself.
    Gram gram(dense.kernel, dense.table.matrix, 1 << 20);
    CHECK(!KernelBlockCache(gram, 1 << 20).worthwhile());
}
