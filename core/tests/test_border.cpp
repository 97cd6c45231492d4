// The search on the border: chosen rows against plain loops, followed values against fresh ones.
#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "active/border.hpp"
#include "fixtures.hpp"

using namespace rarebit;
using namespace rarebit_tests;

namespace {

constexpr int kRows = 240, kColumns = 4;

int label_of(int row) { return row % 5 == 0 ? 1 : 0; }
int class_of(int row) { return row % 5 == 0 ? 1 : row % 7 == 0 ? 2 : 0; }

std::vector<double> blobs(unsigned seed) {
    std::vector<double> values = normal_values(kRows, kColumns, seed, 0.2);
    for (int i = 0; i < kRows; ++i)
        for (int k = 0; k < kColumns; ++k)
            if (values[i * kColumns + k] != 0.0)
                values[i * kColumns + k] += class_of(i) == 0 ? 0.0 : class_of(i) == 1 ? 1.2 : -1.2;
    return values;
}

BorderOptions options(Search search, double explore = 0.0) {
    BorderOptions made;
    made.search = search;
    made.explore = explore;
    made.pool_size = 20;
    made.seed = 11;
    return made;
}

// Answers until `labels` are known, making new classes known as they turn up.
template <class Label>
void answer(BorderSearch* search, std::size_t labels, Label label, int classes) {
    Control control;
    std::vector<int> numbers(classes, -1);
    int known = 0;
    // Class numbers follow the order of appearance.
    for (const Entry& entry : search->log()) {
        const int code = label(entry.query.row);
        if (numbers[code] < 0) numbers[code] = known++;
    }
    while (true) {
        const std::int32_t new_class_row =
            search->run(labels, [&](std::int32_t row) { return numbers[label(row)]; }, control);
        if (new_class_row < 0) return;
        numbers[label(new_class_row)] = known++;
        search->set_classes(std::vector<double>(known, 2.0), control);
        search->tell(new_class_row, known - 1);
    }
}

double value(const BorderSearch& search, const Kernel& kernel, const Table& table, int machine,
             int row) {
    const ActiveSet& active = search.machine(machine).active();
    double sum = search.machine(machine).bias();
    for (int slot = 0; slot < active.slots(); ++slot)
        if (active.open(slot))
            sum += active.alpha(slot) * scalar_kernel(kernel, table, row, table, active.row(slot));
    return sum;
}

}  // namespace

TEST_CASE("full search asks for the closest of all") {
    for (Storage storage : kStorages) {
        const Table table(storage, kRows, kColumns, blobs(1));
        const Kernel kernel(spec_of(KernelKind::rbf, 0.3), table.matrix);
        BorderSearch search(kernel, table.matrix, options(Search::full));
        answer(&search, 40, label_of, 2);
        std::set<int> seen;
        for (const Entry& entry : search.log()) seen.insert(entry.query.row);
        for (int step = 0; step < 20; ++step) {
            double closest = 1e300;
            int inside = 0;
            for (int row = 0; row < kRows; ++row) {
                if (seen.count(row) > 0) continue;
                const double distance = std::abs(value(search, kernel, table, 0, row));
                closest = std::min(closest, distance);
                inside += distance < 1.0;
            }
            const Query query = search.ask();
            CHECK(query.reason == QueryReason::border);
            CHECK(seen.count(query.row) == 0);
            CHECK_NEAR(std::abs(value(search, kernel, table, 0, query.row)), closest, 1e-5);
            CHECK_NEAR(query.distance, closest, 1e-5);
            CHECK(query.inside == inside);
            CHECK(query.drawn == kRows - static_cast<int>(seen.size()));
            seen.insert(query.row);
            search.tell(query.row, label_of(query.row));
        }
    }
}

TEST_CASE("followed values are those of the machine with much memory and with little") {
    const Table table(Storage::dense32, kRows, kColumns, blobs(2));
    const Kernel kernel(spec_of(KernelKind::rbf, 0.3), table.matrix);
    DirectProvider provider(kernel, table.matrix);
    OnlineSolver machine(
        provider, 1e-3, std::size_t(1) << 20,
        [](const Matrix&, std::int64_t row) { return static_cast<std::int32_t>(row); },
        [](std::int32_t) {});
    const std::vector<std::int32_t> all = numbers(kRows);
    TrackedScores ample(kernel, table.matrix, all, std::size_t(1) << 24);
    TrackedScores tight(kernel, table.matrix, all, 60 * kRows * sizeof(float));
    TrackedScores none(kernel, table.matrix, all, 0);
    for (TrackedScores* scores : {&ample, &tight, &none}) scores->follow({&machine});
    std::vector<float> values;
    for (int row = 0; row < 150; ++row) {
        values.assign(machine.active().slots() + 1, 0.0f);
        float* out = values.data();
        const std::int32_t id = row;
        kernel.compute({&table.matrix, &id, 0, 1}, machine.active().packed_rows(), &out);
        machine.process_known(table.matrix, row, row, label_of(row) ? 1.0 : -1.0, 2.0,
                              values.data());
        const std::vector<std::int32_t> likely = {row + 1, row + 2, row + 5};
        for (TrackedScores* scores : {&ample, &tight, &none}) scores->update(likely);
        if (row % 10 != 9) continue;
        for (int other = 0; other < kRows; other += 7) {
            double sum = 0.0;
            const ActiveSet& active = machine.active();
            for (int slot = 0; slot < active.slots(); ++slot)
                if (active.open(slot))
                    sum += active.alpha(slot) *
                           scalar_kernel(kernel, table, other, table, active.row(slot));
            for (TrackedScores* scores : {&ample, &tight, &none})
                CHECK_NEAR(scores->sums(0)[other], sum, 2e-5);
        }
    }
    CHECK(!ample.recomputing());
    CHECK(none.recomputing());
}

TEST_CASE("looking ahead leaves the machine as it was") {
    const Table table(Storage::dense64, kRows, kColumns, blobs(3));
    const Kernel kernel(spec_of(KernelKind::rbf, 0.3), table.matrix);
    BorderSearch watched(kernel, table.matrix, options(Search::pool, 0.3));
    BorderSearch alone(kernel, table.matrix, options(Search::pool, 0.3));
    watched.watch({1, 5, 9, 44, 120});
    for (std::size_t n = 20; n <= 100; n += 10) {
        answer(&watched, n, label_of, 2);
        answer(&alone, n, label_of, 2);
        CHECK(watched.watched().size() == 5);
    }
    for (std::size_t i = 0; i < 100; ++i)
        CHECK(watched.log()[i].query.row == alone.log()[i].query.row);
    CHECK(watched.machine(0).bias() == alone.machine(0).bias());
    // Nearer to the optimum than the machine itself, where nothing is left to gain they agree.
    CHECK(watched.machine(0).active().gap() > 1e-3);
}

TEST_CASE("learning again gives the same machines to the bit") {
    const Table table(Storage::csr64, kRows, kColumns, blobs(4));
    const Kernel kernel(spec_of(KernelKind::rbf, 0.3), table.matrix);
    for (Search kind : {Search::pool, Search::full}) {
        BorderSearch search(kernel, table.matrix, options(kind, 0.2));
        answer(&search, 90, class_of, 3);
        BorderSearch again(kernel, table.matrix, options(kind, 0.2));
        Control control;
        again.set_classes(std::vector<double>(3, 2.0), control);
        for (const Entry& entry : search.log()) again.tell(entry.query.row, entry.label);
        again.random() = Random(search.random().state());
        CHECK(search.machines() == 3);
        for (int step = 0; step < 30; ++step) {
            const Query one = search.ask(), other = again.ask();
            CHECK(one.row == other.row);
            CHECK(one.distance == other.distance);
            CHECK(one.expected == other.expected);
            search.tell(one.row, 0);
            again.tell(one.row, 0);
        }
    }
}

TEST_CASE("several machines agree with plain loops and expect the largest value") {
    const Table table(Storage::dense32, kRows, kColumns, blobs(5));
    const Kernel kernel(spec_of(KernelKind::rbf, 0.3), table.matrix);
    BorderSearch search(kernel, table.matrix, options(Search::full));
    answer(&search, 80, class_of, 3);
    CHECK(search.machines() == 3);
    for (int step = 0; step < 10; ++step) {
        const Query query = search.ask();
        double nearest = 1e300, best = -1e300;
        int machine = -1, expected = -1;
        for (int m = 0; m < 3; ++m) {
            const double f = value(search, kernel, table, m, query.row);
            if (std::abs(f) < nearest) nearest = std::abs(f), machine = m;
            if (f > best) best = f, expected = m;
        }
        CHECK_NEAR(query.distance, nearest, 1e-5);
        CHECK(query.machine == machine);
        CHECK(query.expected == expected);
        // Pending rows are kept apart, none is asked for twice.
        search.tell(query.row, 0);
    }
    int total = 0;
    for (int count : search.support_counts()) total += count;
    CHECK((total > 0 && total <= 90));
}

TEST_CASE("rows near one that waits are passed over") {
    // Every row four times: four copies of the closest row are the four closest.
    std::vector<double> values;
    const std::vector<double> base = normal_values(kRows / 4, kColumns, 6);
    for (int i = 0; i < kRows; ++i)
        for (int k = 0; k < kColumns; ++k) values.push_back(base[i / 4 * kColumns + k]);
    const Table table(Storage::dense64, kRows, kColumns, values);
    const Kernel kernel(spec_of(KernelKind::rbf, 0.5), table.matrix);
    BorderSearch search(kernel, table.matrix, options(Search::full));
    answer(&search, 30, [](int row) { return row / 4 % 3 == 0 ? 1 : 0; }, 2);
    std::set<int> asked;
    for (int i = 0; i < 6; ++i) asked.insert(search.ask().row / 4);
    CHECK(asked.size() == 6);
}

TEST_CASE("explored rows are logged with their probability") {
    const Table table(Storage::dense32, kRows, kColumns, blobs(7));
    const Kernel kernel(spec_of(KernelKind::rbf, 0.3), table.matrix);
    BorderSearch search(kernel, table.matrix, options(Search::pool, 1.0));
    answer(&search, 120, label_of, 2);
    int unlike = 0, any = 0, left = kRows;
    for (const Entry& entry : search.log()) {
        const Query& query = entry.query;
        if (query.reason == QueryReason::random || query.reason == QueryReason::random_start) {
            ++any;
            CHECK_NEAR(query.probability, 1.0 / left, 1e-12);
        }
        if (query.reason == QueryReason::explore || query.reason == QueryReason::start) {
            ++unlike;
            CHECK_NEAR(query.probability, std::min(1.0, 20.0 / left), 1e-12);
        }
        CHECK(query.reason != QueryReason::border);
        --left;
    }
    CHECK((unlike > 50 && any > 10));
}

TEST_CASE("corrections and skips") {
    const Table table(Storage::dense32, kRows, kColumns, blobs(8));
    const Kernel kernel(spec_of(KernelKind::rbf, 0.3), table.matrix);
    Control control;
    BorderSearch wrong(kernel, table.matrix, options(Search::pool));
    BorderSearch right(kernel, table.matrix, options(Search::pool));
    for (BorderSearch* search : {&wrong, &right}) {
        search->set_classes({2.0, 2.0}, control);
        for (int row = 0; row < 60; ++row)
            search->tell(row, search == &wrong && row == 33 ? 1 - label_of(row) : label_of(row));
    }
    wrong.correct(33, label_of(33), control);
    CHECK(wrong.machine(0).bias() == right.machine(0).bias());
    CHECK(wrong.log()[33].label == label_of(33));
    for (int row = 60; row < kRows; ++row) right.skip(row);
    CHECK(right.unseen() == 0);
    CHECK(right.ask().row == -1);
}

TEST_CASE("learning again that was stopped is completed before the next question") {
    const Table table(Storage::dense32, kRows, kColumns, blobs(9));
    const Kernel kernel(spec_of(KernelKind::rbf, 0.3), table.matrix);
    BorderSearch stopped(kernel, table.matrix, options(Search::full, 0.2));
    BorderSearch whole(kernel, table.matrix, options(Search::full, 0.2));
    Control control;
    for (BorderSearch* search : {&stopped, &whole}) {
        search->set_classes({2.0, 2.0}, control);
        for (int row = 0; row < 80; ++row) search->tell(row, label_of(row));
    }
    Control interrupted([](const Progress&) { return false; });
    stopped.correct(10, 1 - label_of(10), interrupted);
    CHECK(interrupted.stopped());
    CHECK(stopped.machine(0).rows_seen() < 80);
    whole.correct(10, 1 - label_of(10), control);
    for (int step = 0; step < 20; ++step) {
        const Query one = stopped.ask(), other = whole.ask();
        CHECK(one.row == other.row);
        CHECK(one.distance == other.distance);
        stopped.tell(one.row, label_of(one.row));
        whole.tell(one.row, label_of(one.row));
    }
    CHECK(stopped.machine(0).rows_seen() == 100);
}

TEST_CASE("rows drawn in vain for the border still count") {
    const Table table(Storage::dense32, kRows, kColumns, blobs(10));
    const Kernel kernel(spec_of(KernelKind::rbf, 0.3), table.matrix);
    BorderSearch search(kernel, table.matrix, options(Search::pool, 0.01));
    answer(&search, 200, label_of, 2);
    int counted = 0;
    for (const Entry& entry : search.log()) {
        const Query& query = entry.query;
        if (query.reason == QueryReason::start || query.reason == QueryReason::random_start)
            CHECK(query.drawn == 0);
        CHECK(query.inside <= query.drawn);
        if (query.reason != QueryReason::explore && query.reason != QueryReason::random) continue;
        if (query.drawn > 1) ++counted;
        CHECK(query.inside <= 1);
    }
    CHECK(counted > 0);
}
