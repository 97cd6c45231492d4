// Full search: every question against plain loops over all rows, whenever the values were followed.
#include <cmath>
#include <limits>
#include <vector>

#include "active/border.hpp"
#include "fixtures.hpp"
#include "threads.hpp"

using namespace rarebit;
using namespace rarebit_tests;

namespace {

BorderOptions full_search(double explore) {
    BorderOptions made;
    made.search = Search::full;
    made.explore = explore;
    made.seed = 5;
    return made;
}

// Rare rows are those far out along the first axis.
int label_of(const Table& table, int row) { return table.at(row, 0) > 1.2 ? 1 : 0; }

double value(const BorderSearch& search, const Kernel& kernel, const Table& table, int row) {
    const ActiveSet& active = search.machine(0).active();
    double sum = search.machine(0).bias();
    for (int slot = 0; slot < active.slots(); ++slot)
        if (active.open(slot))
            sum += active.alpha(slot) * scalar_kernel(kernel, table, row, table, active.row(slot));
    return sum;
}

// Asks and answers `questions` times and returns what was asked.
std::vector<Query> converse(BorderSearch* search, const Table& table, int questions) {
    std::vector<Query> asked;
    for (int i = 0; i < questions; ++i) {
        asked.push_back(search->ask());
        search->tell(asked.back().row, label_of(table, asked.back().row));
    }
    return asked;
}

// A search that was told the first rows of each class.
void start(BorderSearch* search, const Table& table) {
    Control control;
    search->set_classes({2.0, 2.0}, control);
    for (int label : {0, 1})
        for (int row = 0, told = 0; told < 4; ++row)
            if (label_of(table, row) == label) search->tell(row, label), ++told;
}

}  // namespace

TEST_CASE("full search with exploration equals brute force on every kind of rows") {
    // Short and long rows take different numbers of columns at once.
    for (int columns : {3, 130})
        for (Storage storage : kStorages) {
            const int rows = 150;
            const Table table(storage, rows, columns, normal_values(rows, columns, 21, 0.3));
            const Kernel kernel(spec_of(KernelKind::rbf, 0.5 / columns), table.matrix);
            BorderSearch search(kernel, table.matrix, full_search(0.4));
            start(&search, table);
            std::vector<char> seen(rows, 0);
            for (const Entry& entry : search.log()) seen[entry.query.row] = 1;
            search.skip(rows - 1);
            seen[rows - 1] = 1;
            int border = 0;
            for (int step = 0; step < 40; ++step) {
                double closest = INFINITY;
                int inside = 0;
                for (int row = 0; row < rows; ++row) {
                    if (seen[row]) continue;
                    const double distance = std::abs(value(search, kernel, table, row));
                    closest = std::min(closest, distance);
                    inside += distance < 1.0;
                }
                const Query query = search.ask();
                CHECK(!seen[query.row]);
                if (query.reason == QueryReason::border) {
                    ++border;
                    CHECK_NEAR(query.distance, closest, 2e-5);
                    CHECK_NEAR(std::abs(value(search, kernel, table, query.row)), closest, 2e-5);
                    CHECK(query.inside == inside);
                }
                seen[query.row] = 1;
                search.tell(query.row, label_of(table, query.row));
            }
            CHECK((border > 10 && border < 40));
        }
}

TEST_CASE("full search asks the same on any number of threads") {
    const int rows = 9000, columns = 5;
    const Table table(Storage::dense32, rows, columns, normal_values(rows, columns, 22));
    const Kernel kernel(spec_of(KernelKind::rbf, 0.2), table.matrix);
    std::vector<std::vector<Query>> asked;
    for (int threads : {1, 3}) {
        const ThreadScope scope(threads);
        BorderSearch search(kernel, table.matrix, full_search(0.2));
        start(&search, table);
        asked.push_back(converse(&search, table, 60));
    }
    for (std::size_t i = 0; i < asked[0].size(); ++i) {
        CHECK(asked[0][i].row == asked[1][i].row);
        CHECK(asked[0][i].distance == asked[1][i].distance);
        CHECK(asked[0][i].inside == asked[1][i].inside);
    }
}

TEST_CASE("of equally close rows full search asks for the first") {
    const int rows = 400, columns = 4, copies = 100;
    const std::vector<double> base = normal_values(copies, columns, 23);
    std::vector<double> values;
    for (int copy = 0; copy < rows / copies; ++copy)
        values.insert(values.end(), base.begin(), base.end());
    const Table table(Storage::dense64, rows, columns, values);
    const Kernel kernel(spec_of(KernelKind::rbf, 0.3), table.matrix);
    BorderSearch search(kernel, table.matrix, full_search(0.0));
    start(&search, table);
    std::vector<char> seen(rows, 0);
    for (const Entry& entry : search.log()) seen[entry.query.row] = 1;
    for (const Query& query : converse(&search, table, 50)) {
        for (int copy = query.row - copies; copy >= 0; copy -= copies) CHECK(seen[copy]);
        seen[query.row] = 1;
    }
}

TEST_CASE("followed values do not depend on when they are looked at") {
    const int rows = 300, columns = 4;
    const Table table(Storage::dense32, rows, columns, normal_values(rows, columns, 24));
    const Kernel kernel(spec_of(KernelKind::rbf, 0.3), table.matrix);
    DirectProvider provider(kernel, table.matrix);
    OnlineSolver machine(
        provider, 1e-3, std::size_t(1) << 20,
        [](const Matrix&, std::int64_t row) { return static_cast<std::int32_t>(row); },
        [](std::int32_t) {});
    const std::vector<std::int32_t> all = numbers(rows);
    TrackedScores often(kernel, table.matrix, all, std::size_t(1) << 24);
    TrackedScores seldom(kernel, table.matrix, all, std::size_t(1) << 24);
    for (TrackedScores* scores : {&often, &seldom}) scores->follow({&machine});
    seldom.leave(7);
    std::vector<float> values;
    int previewed = 0;
    for (int row = 0; row < 240; ++row) {
        values.assign(machine.active().slots() + 1, 0.0f);
        float* out = values.data();
        const std::int32_t id = row;
        kernel.compute({&table.matrix, &id, 0, 1}, machine.active().packed_rows(), &out);
        machine.process_known(table.matrix, row, row, label_of(table, row) ? 1.0 : -1.0, 2.0,
                              values.data());
        often.update({});
        seldom.note();
        if (row % 80 != 79) continue;
        if (seldom.lacks_columns()) {
            ++previewed;
            const std::vector<double> soon = seldom.preview(0, {3, 250, 7});
            CHECK_NEAR(soon[0], often.sums(0)[3], 1e-5);
            CHECK_NEAR(soon[1], often.sums(0)[250], 1e-5);
            CHECK(soon[2] == INFINITY);
        }
        seldom.update({row + 1, row + 2});
        CHECK(!seldom.lacks_columns());
        for (int other = 0; other < rows; ++other)
            if (other != 7) CHECK(seldom.sums(0)[other] == often.sums(0)[other]);
        CHECK(seldom.sums(0)[7] == INFINITY);
    }
    CHECK(previewed > 0);
    // What was left stays left when the machines are followed from the start.
    seldom.follow({&machine});
    seldom.update({});
    CHECK(seldom.sums(0)[7] == INFINITY);
    CHECK_NEAR(seldom.sums(0)[8], often.sums(0)[8], 1e-9);
}
