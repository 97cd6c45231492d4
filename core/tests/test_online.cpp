// The online solver, step by step against a plain twin, and with rows of its own.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "fixtures.hpp"
#include "kernel/support_row_store.hpp"
#include "online_twin.hpp"
#include "solver/online.hpp"

using namespace rarebit;
using namespace rarebit_tests;
using namespace rarebit_tests::online;

namespace {

// Feeds one row after another and compares every move with the twin's.
void check_rows_with_twin(Machine& machine, const Twin& twin, const Table& table,
                          const std::vector<std::int32_t>& rows, const std::vector<double>& cost) {
    int apart = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Twin::State before = Twin::state_of(machine);
        const double y = label(rows[i]);
        machine.solver.process({&table.matrix, &rows[i], 0, 1}, &rows[i], &y, &cost[i],
                               machine.control);
        apart +=
            !Twin::contains(twin.process(before, rows[i], y, cost[i]), Twin::state_of(machine));
    }
    CHECK(apart == 0);
}

}  // namespace

TEST_CASE("online equals its plain twin row by row") {
    for (double cost : {0.3, 5.0})
        for (std::size_t cache : {kAmple, std::size_t(1)}) {
            const int n = 400;
            Table table(Storage::dense32, n, 4, blobs(n, 4, 1));
            const Kernel kernel(spec_of(KernelKind::rbf, 0.2), table.matrix);
            const std::vector<double> gram = engine_gram(kernel, table);
            Machine machine(kernel, table.matrix, 1e-3, cache);
            const Twin twin(gram, n, 1e-3);
            const std::vector<double> costs(n, cost);
            check_rows_with_twin(machine, twin, table, numbers(n), costs);
            CHECK(machine.solver.rows_seen() == n);
            CHECK((machine.dropped > 0 && machine.kept < n));
            check_machine(machine, table, 1e-4);
            // A second pass over the same rows: those kept only trigger REPROCESS.
            check_rows_with_twin(machine, twin, table, numbers(n), costs);
        }
}

TEST_CASE("online rows with their own costs equal the twin") {
    const int n = 300;
    Table table(Storage::dense32, n, 3, blobs(n, 3, 12));
    const Kernel kernel(spec_of(KernelKind::rbf, 0.3), table.matrix);
    const std::vector<double> gram = engine_gram(kernel, table);
    Machine machine(kernel, table.matrix);
    std::vector<std::int32_t> rows = numbers(n);
    std::mt19937 random(13);
    std::shuffle(rows.begin(), rows.end(), random);
    std::vector<double> cost;
    for (std::int32_t row : rows) cost.push_back(row % 7 == 0 ? 0.0 : 0.2 + row % 5);
    check_rows_with_twin(machine, Twin(gram, n, 1e-3), table, rows, cost);
    check_machine(machine, table, 1e-4);
    for (std::int32_t tag : machine.tags()) CHECK(tag % 7 != 0);
}

TEST_CASE("online takes rows in blocks as one by one") {
    const int n = 900;
    for (Storage storage : {Storage::dense32, Storage::csr32}) {
        Table table(storage, n, 4, blobs(n, 4, 14));
        const Kernel kernel(spec_of(KernelKind::rbf, 0.2), table.matrix);
        Machine single(kernel, table.matrix), blocks(kernel, table.matrix);
        for (int pass = 0; pass < 2; ++pass) {
            for (int i = 0; i < n; ++i) single.process(table, i, 1);
            int from = 0;
            for (int count : {1, 99, 600, 200}) {
                blocks.process(table, from, count);
                from += count;
            }
        }
        CHECK(blocks.active().slots() == single.active().slots());
        CHECK(blocks.active().steps() == single.active().steps());
        CHECK((blocks.dropped == single.dropped && blocks.dropped > 0));
        int apart = 0;
        for (int s = 0; s < single.active().slots(); ++s)
            apart += blocks.active().tag(s) != single.active().tag(s) ||
                     blocks.active().alpha(s) != single.active().alpha(s);
        CHECK(apart == 0);
    }
}

TEST_CASE("online process rejects rows that cannot violate") {
    // Trained on 0 (+) and 1 (-); f falls from left to right.
    Table table(Storage::dense64, 5, 1, {0.0, 1.0, -0.1, 0.5, 1.1});
    const Kernel kernel(spec_of(KernelKind::rbf, 1.0), std::vector<double>(), false);
    Machine machine(kernel, table.matrix);
    const auto offer = [&](std::int64_t row, double y, double cost) {
        const std::int32_t tag = static_cast<std::int32_t>(row);
        const int before = machine.kept;
        machine.solver.process({&table.matrix, nullptr, row, 1}, &tag, &y, &cost, machine.control);
        return machine.kept > before;
    };
    CHECK(offer(0, 1.0, 10.0));
    CHECK(!machine.active().has_pair());
    CHECK(offer(1, -1.0, 10.0));
    CHECK(machine.active().steps() == 1);
    CHECK_NEAR(machine.active().gap(), 0.0, 1e-9);
    CHECK(!offer(2, 1.0, 10.0));   // well inside its own class
    CHECK(!offer(4, -1.0, 10.0));  // likewise
    CHECK(!offer(3, 1.0, 0.0));    // violates, but may not carry anything
    CHECK(offer(3, 1.0, 10.0));
    CHECK(machine.solver.rows_seen() == 6);
    CHECK(machine.active().size() == 3);
    CHECK_NEAR(machine.active().alpha(0) + machine.active().alpha(1) + machine.active().alpha(2),
               0.0, 1e-12);
}

TEST_CASE("online reprocess drops rows without a coefficient") {
    const int n = 600;
    Table table(Storage::dense32, n, 3, blobs(n, 3, 2));
    const Kernel kernel(spec_of(KernelKind::rbf, 0.3), table.matrix);
    Machine machine(kernel, table.matrix);
    for (int from = 0; from < n; from += 50) {
        machine.process(table, from, 50);
        check_machine(machine, table, 1e-4);
    }
    CHECK(machine.dropped > 10);
    // Slots of dropped rows serve again, and so does their place in the store.
    CHECK(machine.active().slots() < machine.kept);
    CHECK(machine.store.matrix().rows == machine.active().slots());
}

TEST_CASE("online finish closes the gap") {
    const int n = 500;
    Table table(Storage::dense32, n, 3, blobs(n, 3, 3));
    const Kernel kernel(spec_of(KernelKind::rbf, 0.3), table.matrix);
    for (double tolerance : {1e-2, 1e-6}) {
        Machine machine(kernel, table.matrix, tolerance);
        machine.process(table, 0, n, 3.0);
        CHECK(machine.active().gap() > tolerance);
        const double before = machine.solver.objective();
        const std::int64_t steps = machine.active().steps();
        CHECK(!machine.solver.finish(0, machine.control));
        CHECK(machine.active().steps() == steps);
        CHECK(!machine.solver.finish(3, machine.control));
        CHECK(machine.active().steps() == steps + 3);
        CHECK(machine.solver.finish(-1, machine.control));
        CHECK(machine.active().gap() <= tolerance);
        CHECK(machine.solver.objective() > before);
        check_machine(machine, table, 1e-4);
        CHECK_NEAR(machine.solver.bias(),
                   0.5 * (machine.active().up_value() + machine.active().low_value()), 0.0);
        CHECK(machine.solver.finish(-1, machine.control));  // nothing left to do
    }
}

TEST_CASE("online after several passes comes near the exact optimum") {
    const int n = 500;
    Table table(Storage::dense32, n, 3, blobs(n, 3, 4));
    const Kernel kernel(spec_of(KernelKind::rbf, 0.3), table.matrix);
    Machine machine(kernel, table.matrix, 1e-3);
    for (int pass = 0; pass < 6; ++pass) machine.process(table, 0, n);
    CHECK(machine.solver.finish(-1, machine.control));
    CHECK(machine.solver.rows_seen() == 6 * n);
    std::vector<double> alpha(n, 0.0), y, cost(n, 1.0);
    for (int i = 0; i < n; ++i) y.push_back(label(i));
    for (int s = 0; s < machine.active().slots(); ++s)
        if (machine.active().open(s)) alpha[machine.active().tag(s)] = machine.active().alpha(s);
    const Optimality found = optimality(engine_gram(kernel, table), n, numbers(n), y, cost, alpha);
    CHECK(found.gap <= 0.05);
    CHECK_NEAR(found.objective, machine.solver.objective(), 1e-6 * found.objective);
}

TEST_CASE("online known tags are kept once and negative tags are always new") {
    Table table(Storage::dense32, 8, 2, blobs(8, 2, 5));
    const Kernel kernel(spec_of(KernelKind::rbf, 0.3), table.matrix);
    Machine machine(kernel, table.matrix);
    machine.process(table, 0, 8, 100.0);
    const int kept = machine.kept;
    const std::set<std::int32_t> tags = machine.tags();
    CHECK(kept >= 2);
    for (std::int32_t tag : tags) machine.process(table, tag, 1, 100.0);
    CHECK(machine.kept == kept);
    CHECK(machine.solver.rows_seen() == 8 + static_cast<std::int64_t>(tags.size()));
    // One class alone is kept whole, so a tag of -1 shows every time.
    Machine anonymous(kernel, table.matrix);
    const std::vector<std::int32_t> none(8, -1);
    const std::vector<double> y(8, 1.0), cost(8, 1.0);
    for (int round = 0; round < 2; ++round)
        anonymous.solver.process({&table.matrix, nullptr, 0, 8}, none.data(), y.data(), cost.data(),
                                 anonymous.control);
    CHECK(anonymous.active().size() == 16);
}

TEST_CASE("online a dropped row may come back") {
    const int n = 400;
    Table table(Storage::dense32, n, 3, blobs(n, 3, 6));
    const Kernel kernel(spec_of(KernelKind::rbf, 0.3), table.matrix);
    Machine machine(kernel, table.matrix);
    machine.process(table, 0, n);
    const std::set<std::int32_t> before = machine.tags();
    for (int pass = 0; pass < 3; ++pass) machine.process(table, 0, n);
    const std::set<std::int32_t> after = machine.tags();
    CHECK(std::any_of(after.begin(), after.end(),
                      [&](std::int32_t tag) { return before.count(tag) == 0; }));
    // No tag is there twice.
    CHECK(static_cast<int>(after.size()) == machine.active().size());
}

TEST_CASE("online of one class answers with its side") {
    Table table(Storage::dense32, 5, 2, normal_values(5, 2, 7));
    const Kernel kernel(spec_of(KernelKind::rbf, 0.3), table.matrix);
    for (double side : {1.0, -1.0}) {
        Machine machine(kernel, table.matrix);
        CHECK(machine.solver.bias() == 0.0);
        const std::vector<std::int32_t> tags = numbers(5);
        const std::vector<double> y(5, side), cost(5, 1.0);
        machine.solver.process({&table.matrix, nullptr, 0, 5}, tags.data(), y.data(), cost.data(),
                               machine.control);
        CHECK(machine.active().size() == 5);
        CHECK(machine.solver.bias() == side);
        CHECK(machine.solver.finish(-1, machine.control));
        CHECK(machine.active().steps() == 0);
    }
}

TEST_CASE("online keeps rows of every storage after their owner is gone") {
    const int n = 900, d = 6;
    const KernelSpec specs[] = {spec_of(KernelKind::rbf, 0.2), spec_of(KernelKind::rbf, 30.0),
                                spec_of(KernelKind::linear),
                                spec_of(KernelKind::poly, 0.2, 1.0, 2)};
    for (Storage storage : kStorages)
        for (const KernelSpec& spec : specs) {
            const std::vector<double> values = blobs(n, d, 8, 0.4);
            Table table(storage, n, d, values);
            const Kernel kernel(spec, table.matrix);
            Machine machine(kernel, table.matrix);
            for (int from = 0; from < n; from += 300) {
                // A copy of these rows alone lives only for the call; tags count on.
                Table part(storage, 300, d,
                           {values.begin() + from * d, values.begin() + (from + 300) * d},
                           from % 600 == 0);
                std::vector<std::int32_t> tags = numbers(300, from);
                std::vector<double> y, cost(300, 0.1);
                for (int i = 0; i < 300; ++i) y.push_back(label(from + i));
                machine.solver.process({&part.matrix, nullptr, 0, 300}, tags.data(), y.data(),
                                       cost.data(), machine.control);
            }
            CHECK(machine.solver.finish(200000, machine.control));
            CHECK((machine.dropped > 0 || spec.gamma > 1.0));
            check_machine(machine, table, spec.kind == KernelKind::poly ? 5e-3 : 5e-4);
            // The machine scores rows from its own store.
            const ActiveSet& active = machine.active();
            std::vector<double> sums(20, 0.0);
            kernel.accumulate({&table.matrix, nullptr, 100, 20}, active.packed_rows(),
                              active.alphas(), 1, sums.data());
            for (int i = 0; i < 20; ++i) {
                double want = 0.0;
                for (int s = 0; s < active.slots(); ++s)
                    if (active.open(s))
                        want += active.alpha(s) *
                                scalar_kernel(kernel, table, 100 + i, table, active.tag(s));
                CHECK_NEAR(sums[i], want, spec.kind == KernelKind::poly ? 5e-3 : 5e-4);
            }
        }
}

TEST_CASE("online restored machine continues to the bit") {
    for (Storage storage : {Storage::dense32, Storage::dense64, Storage::csr64})
        for (int saved_at : {0, 3, 400}) {
            const int n = 700;
            Table table(storage, n, 4, blobs(n, 4, 9));
            const Kernel kernel(spec_of(KernelKind::rbf, 0.2), table.matrix);
            Machine machine(kernel, table.matrix), restored(kernel, table.matrix);
            machine.process(table, 0, saved_at);
            restored.solver.restore(machine.store.matrix(), machine.solver.state());
            CHECK(restored.tags() == machine.tags());
            CHECK(restored.solver.bias() == machine.solver.bias());
            CHECK(restored.solver.objective() == machine.solver.objective());
            CHECK(restored.solver.rows_seen() == saved_at);
            check_machine(restored, table, 1e-4);
            // A hundred rows met before, then new ones.
            const int from = std::max(0, saved_at - 100);
            for (Machine* each : {&machine, &restored}) {
                each->process(table, from, n - from);
                CHECK(each->solver.finish(-1, each->control));
            }
            check_machine(restored, table, 1e-4);
            CHECK(restored.solver.rows_seen() == machine.solver.rows_seen());
            // Unsorted CSR rows are summed in another order from the other side.
            if (table.matrix.sparse()) continue;
            CHECK(restored.active().slots() == machine.active().slots());
            CHECK(restored.solver.bias() == machine.solver.bias());
            int apart = 0;
            for (int s = 0; s < machine.active().slots(); ++s)
                apart += restored.active().open(s) != machine.active().open(s) ||
                         restored.active().tag(s) != machine.active().tag(s) ||
                         restored.active().alpha(s) != machine.active().alpha(s) ||
                         restored.active().cost(s) != machine.active().cost(s);
            CHECK(apart == 0);
        }
}

TEST_CASE("online stops when told") {
    const int n = 2000;
    Table table(Storage::dense32, n, 3, blobs(n, 3, 10));
    const Kernel kernel(spec_of(KernelKind::rbf, 0.3), table.matrix);
    Machine machine(kernel, table.matrix);
    Control once([](const Progress& progress) {
        CHECK((progress.rows > 0 && progress.rows < 2000));
        CHECK(progress.active > 0);
        return false;
    });
    const std::vector<std::int32_t> tags = numbers(n);
    std::vector<double> y, cost(n, 1.0);
    for (int i = 0; i < n; ++i) y.push_back(label(i));
    machine.solver.process({&table.matrix, nullptr, 0, n}, tags.data(), y.data(), cost.data(),
                           once);
    const std::int64_t seen = machine.solver.rows_seen();
    CHECK((seen > 0 && seen < n));
    check_machine(machine, table, 1e-4);
    // What was seen counts: the rest may follow later.
    machine.process(table, static_cast<int>(seen), n - static_cast<int>(seen));
    CHECK(machine.solver.rows_seen() == n);
    check_machine(machine, table, 1e-4);
}

TEST_CASE("online finish stops when told") {
    const int n = 600;
    Table table(Storage::dense32, n, 3, blobs(n, 3, 11));
    const Kernel kernel(spec_of(KernelKind::linear), table.matrix);
    Machine machine(kernel, table.matrix, 1e-12);
    machine.process(table, 0, n, 1e6);
    Control stopped;
    stopped.stop();
    const std::int64_t steps = machine.active().steps();
    CHECK(!machine.solver.finish(1000000, stopped));
    CHECK(machine.active().steps() - steps <= 256);
}
