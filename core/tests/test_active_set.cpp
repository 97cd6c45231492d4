// The active set: whatever happens to slots and cached kernel rows, gradients stay exact.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "active_problem.hpp"
#include "fixtures.hpp"
#include "solver/active_set.hpp"

using namespace rarebit;
using namespace rarebit_tests;
using namespace rarebit_tests::active;

TEST_CASE("active set starts empty") {
    Problem problem(10, 1);
    ActiveSet active(problem.provider, kAmple);
    CHECK((active.size() == 0 && active.slots() == 0));
    CHECK(!active.has_pair());
    CHECK(active.gap() == 0.0);
    CHECK(!active.step_extremes());
    Control control;
    Progress progress;
    active.solve(1e-3, -1, control, &progress);
    CHECK(active.steps() == 0);
}

TEST_CASE("active set inserts rows with or without their kernel rows") {
    for (bool fetch : {false, true})
        for (std::size_t cache : {kAmple, std::size_t(1)}) {
            Problem problem(400, 2);
            ActiveSet active(problem.provider, cache);
            active.insert(problem.fresh(active, 0, 100, 1.0), fetch);
            CHECK((active.size() == 100 && active.slots() == 100));
            check_state(problem, active, 0.0);
            CHECK((active.up_value() == 1.0 && active.low_value() == -1.0));
            for (int k = 0; k < 50; ++k) CHECK(active.step_extremes());
            CHECK(active.steps() == 50);
            check_state(problem, active, 1e-9);
            // More rows than the first arrays hold, among rows with coefficients.
            active.insert(problem.fresh(active, 100, 400, 1.0), fetch);
            CHECK(active.size() == 400);
            check_state(problem, active, 1e-9);
            for (int k = 0; k < 200; ++k) active.step_extremes();
            check_state(problem, active, 1e-9);
        }
}

TEST_CASE("active set inserts rows that carry coefficients") {
    Problem problem(50, 3);
    ActiveSet active(problem.provider, kAmple);
    std::vector<ActiveRow> rows = problem.fresh(active, 0, 50, 2.0);
    rows[0].alpha = 1.5;   // positive
    rows[1].alpha = -0.5;  // negative
    rows[2].alpha = -1.0;
    for (ActiveRow& row : rows)
        row.gradient -= 1.5 * problem.value(row.row, 0) - 0.5 * problem.value(row.row, 1) -
                        1.0 * problem.value(row.row, 2);
    active.insert(rows, true);
    check_state(problem, active, 1e-12);
    Control control;
    Progress progress;
    active.solve(1e-6, -1, control, &progress);
    CHECK(active.gap() <= 1e-6);
    check_state(problem, active, 1e-9);
}

TEST_CASE("active set insert known equals insert") {
    Problem problem(330, 4);
    for (std::size_t cache : {kAmple, std::size_t(1)}) {
        ActiveSet known(problem.provider, cache), plain(problem.provider, kAmple);
        for (int i = 0; i < 330; ++i) {
            const std::vector<float> values = problem.known_values(known, i);
            CHECK(known.insert_known(problem.fresh(known, i, 1.0), values.data()) == i);
            known.find_extremes();
            known.step_extremes();
            plain.insert({problem.fresh(plain, i, 1.0)}, i % 2 == 0);
            plain.step_extremes();
            if (i % 30 == 0) check_state(problem, known, 1e-9);
        }
        check_state(problem, known, 1e-9);
        check_state(problem, plain, 1e-9);
        CHECK_NEAR(objective_of(known), objective_of(plain), 1e-6);
    }
}

TEST_CASE("active set reuses slots") {
    Problem problem(40, 5);
    ActiveSet active(problem.provider, kAmple);
    active.insert(problem.fresh(active, 0, 20, 1.0), true);
    for (int slot : {3, 7, 19}) active.remove(slot);
    active.find_extremes();
    CHECK((active.size() == 17 && active.slots() == 20));
    CHECK((!active.open(3) && !active.open(7) && !active.open(19) && active.open(4)));
    check_state(problem, active, 0.0);
    const std::vector<float> values = problem.known_values(active, 30);
    const int slot = active.insert_known(problem.fresh(active, 30, 1.0), values.data());
    CHECK((slot == 3 || slot == 7 || slot == 19));
    CHECK((active.open(slot) && active.row(slot) == 30));
    active.insert(problem.fresh(active, 31, 34, 1.0), true);  // two old slots and a new one
    CHECK((active.size() == 21 && active.slots() == 21));
    for (int k = 0; k < 300; ++k) active.step_extremes();
    check_state(problem, active, 1e-9);
}

TEST_CASE("active set removed rows are never chosen") {
    Problem problem(60, 6);
    ActiveSet active(problem.provider, kAmple);
    active.insert(problem.fresh(active, 0, 60, 1.0), true);
    for (int s = 0; s < 60; ++s)
        if (problem.y[s] > 0) active.remove(s);
    active.find_extremes();
    CHECK(active.low_slot() >= 0);
    CHECK(active.up_slot() == -1);
    CHECK((!active.has_pair() && !active.step_extremes()));
}

TEST_CASE("active set under a tiny cache stays exact through any history") {
    const KernelSpec specs[] = {spec_of(KernelKind::rbf, 0.3), spec_of(KernelKind::linear),
                                spec_of(KernelKind::poly, 0.2, 1.0, 2),
                                spec_of(KernelKind::rbf, 50.0)};
    for (const KernelSpec& spec : specs)
        for (Storage storage : {Storage::dense32, Storage::csr64})
            for (std::size_t cache : {std::size_t(1), std::size_t(12) * 320 * 4, kAmple}) {
                Problem problem(450, 7, spec, storage);
                // Values read from the other side may differ in the last bit of a float.
                const bool symmetric = storage == Storage::dense32 && !problem.kernel.wide();
                const double tolerance = symmetric ? 1e-8 : 1e-4;
                ActiveSet active(problem.provider, cache);
                std::mt19937 random(8);
                std::vector<char> inside(450, 0);
                Control control;
                Progress progress;
                for (int round = 0; round < 60; ++round) {
                    std::vector<ActiveRow> rows;
                    for (int k = static_cast<int>(random() % 20); k > 0; --k) {
                        const int i = static_cast<int>(random() % 450);
                        if (inside[i]) continue;
                        inside[i] = 1;
                        rows.push_back(problem.fresh(active, i, 0.5 + i % 2));
                    }
                    if (round % 3 == 0) {
                        for (const ActiveRow& row : rows) {
                            const auto values = problem.known_values(active, row.row);
                            active.insert_known(row, values.data());
                        }
                        active.find_extremes();
                    } else {
                        active.insert(rows, round % 3 == 1);
                    }
                    if (round % 4 == 0)
                        active.solve(0.1, 40, control, &progress);
                    else
                        for (int k = 0; k < 15; ++k) active.step_extremes();
                    for (int s = 0; s < active.slots(); ++s)
                        if (active.open(s) && active.alpha(s) == 0.0 && random() % 3 == 0) {
                            inside[active.row(s)] = 0;
                            active.remove(s);
                        }
                    active.find_extremes();
                    if (round % 6 == 5) check_state(problem, active, tolerance);
                }
                check_state(problem, active, tolerance);
                CHECK(active.steps() > 300);
            }
}

TEST_CASE("active set step reaches the top between two rows") {
    Table table(Storage::dense64, 2, 1, {0.0, 1.0});
    const Kernel kernel(spec_of(KernelKind::rbf, 1.0), table.matrix);
    DirectProvider provider(kernel, table.matrix);
    ActiveSet active(provider, kAmple);
    active.insert({{0, 0, 1.0, 10.0, 0.0, 1.0}, {1, 1, -1.0, 10.0, 0.0, -1.0}}, true);
    active.step(0, 1);
    const double best = 1.0 / (1.0 - std::exp(-1.0));
    CHECK_NEAR(active.alpha(0), best, 1e-6);
    CHECK(active.alpha(1) == -active.alpha(0));
    CHECK_NEAR(active.gradient(0), active.gradient(1), 1e-12);
    CHECK_NEAR(active.gap(), 0.0, 1e-12);
    CHECK(active.steps() == 1);
}

TEST_CASE("active set step clips at either box") {
    Table table(Storage::dense64, 2, 1, {0.0, 1.0});
    const Kernel kernel(spec_of(KernelKind::rbf, 1.0), table.matrix);
    DirectProvider provider(kernel, table.matrix);
    const double costs[][2] = {{0.7, 10.0}, {10.0, 0.3}, {0.1, 0.1}};
    for (const auto& cost : costs) {
        ActiveSet active(provider, kAmple);
        active.insert({{0, 0, 1.0, cost[0], 0.0, 1.0}, {1, 1, -1.0, cost[1], 0.0, -1.0}}, true);
        active.step(0, 1);
        const double least = std::min(cost[0], cost[1]);
        CHECK(active.alpha(0) == least);
        CHECK(active.alpha(1) == -least);
        // A row on its limit may only come back.
        CHECK((active.up_slot() != 0) == (cost[0] == least));
        CHECK((active.low_slot() != 1) == (cost[1] == least));
        CHECK(!active.step_extremes());
        const double value = std::exp(-1.0);
        CHECK_NEAR(active.gradient(0), 1.0 - least * (1.0 - value), 1e-6);
    }
}

TEST_CASE("active set step returns rows to exactly 0") {
    Table table(Storage::dense64, 3, 1, {0.0, 1.0, 0.0});
    const Kernel kernel(spec_of(KernelKind::rbf, 1.0), table.matrix);
    DirectProvider provider(kernel, table.matrix);
    ActiveSet active(provider, kAmple);
    // Two rows of one class at one place: a step between them has no curvature at all.
    active.insert(
        {{0, 0, 1.0, 1.0, 0.3, 0.2}, {1, 1, -1.0, 1.0, -0.3, -0.5}, {2, 2, 1.0, 1.0, 0.0, 0.4}},
        true);
    active.step(2, 0);
    CHECK(active.alpha(0) == 0.0);
    CHECK(active.alpha(2) == 0.3);
    CHECK_NEAR(active.gradient(1), -0.5, 1e-12);  // nothing moved but the name
}

TEST_CASE("active set solve converges to the same top with any cache") {
    Problem problem(500, 9);
    double objective[3];
    int at = 0;
    for (std::size_t cache : {kAmple, std::size_t(100) << 10, std::size_t(1)}) {
        ActiveSet active(problem.provider, cache);
        active.insert(problem.fresh(active, 0, 500, 2.0), cache != kAmple);
        Control control;
        Progress progress;
        active.solve(1e-5, -1, control, &progress);
        CHECK(active.gap() <= 1e-5);
        check_state(problem, active, 1e-8);
        objective[at++] = objective_of(active);
    }
    CHECK_NEAR(objective[1], objective[0], 1e-5 * objective[0]);
    CHECK_NEAR(objective[2], objective[0], 1e-5 * objective[0]);
    CHECK(objective[0] > 1.0);
}

TEST_CASE("active set solve needs fewer steps than the most violating pair") {
    // Gradients lie far from 0, as they do when one class is rare: the search for a partner must
    // weigh how far each falls below the top, not below 0.
    Problem problem(600, 17);
    ActiveSet chosen(problem.provider, kAmple), extreme(problem.provider, kAmple);
    for (ActiveSet* active : {&chosen, &extreme}) {
        std::vector<ActiveRow> rows = problem.fresh(*active, 0, 600, 5.0);
        for (ActiveRow& row : rows) row.gradient += 3.0;  // a constant changes no step
        active->insert(rows, true);
    }
    Control control;
    Progress progress;
    chosen.solve(1e-3, -1, control, &progress);
    while (extreme.gap() > 1e-3) extreme.step_extremes();
    CHECK(chosen.gap() <= 1e-3);
    CHECK(4 * chosen.steps() < 3 * extreme.steps());
}

TEST_CASE("active set solve takes no more steps than allowed") {
    Problem problem(300, 10);
    ActiveSet active(problem.provider, kAmple);
    active.insert(problem.fresh(active, 0, 300, 5.0), true);
    Control control;
    Progress progress;
    active.solve(1e-3, 0, control, &progress);
    CHECK(active.steps() == 0);
    active.solve(1e-3, 17, control, &progress);
    CHECK(active.steps() == 17);
    active.solve(1e-3, 5, control, &progress);  // counted from here
    CHECK(active.steps() == 22);
    CHECK(active.gap() > 1e-3);
    check_state(problem, active, 1e-9);
}

TEST_CASE("active set solve obeys and informs the control") {
    Problem problem(400, 11);
    ActiveSet active(problem.provider, kAmple);
    active.insert(problem.fresh(active, 0, 400, 1e4), true);
    int calls = 0;
    Control control([&](const Progress& progress) {
        ++calls;
        CHECK(progress.active == 400);
        CHECK(progress.steps > 0);
        CHECK(progress.gap > 0.0);
        return false;
    });
    Progress progress;
    active.solve(1e-12, 200000, control, &progress);
    CHECK(calls == 1);
    CHECK(control.stopped());
    CHECK((active.steps() > 0 && active.steps() < 200000));
    check_state(problem, active, 1e-6);
}

TEST_CASE("active set bias is the middle or the side of the only class") {
    Problem problem(60, 15);
    ActiveSet active(problem.provider, kAmple);
    CHECK(active.bias() == 0.0);
    active.insert({problem.fresh(active, 0, 1.0), problem.fresh(active, 3, 1.0)}, true);
    CHECK(active.bias() == 1.0);
    ActiveSet negative(problem.provider, kAmple);
    negative.insert({problem.fresh(negative, 1, 1.0), problem.fresh(negative, 2, 1.0)}, true);
    CHECK(negative.bias() == -1.0);
    active.insert(problem.fresh(active, 4, 60, 1.0), true);
    for (int k = 0; k < 20; ++k) active.step_extremes();
    CHECK(active.bias() == 0.5 * (active.up_value() + active.low_value()));
}

TEST_CASE("active set insert stops when told") {
    Problem problem(300, 16);
    ActiveSet active(problem.provider, kAmple);
    active.insert(problem.fresh(active, 0, 100, 1.0), true);
    for (int k = 0; k < 30; ++k) active.step_extremes();
    const std::vector<double> alpha(active.alphas(), active.alphas() + 100);
    const std::int64_t computed = problem.kernel.values_computed();
    Control control;
    control.stop();
    active.insert(problem.fresh(active, 100, 300, 1.0), true, control, Progress());
    CHECK(problem.kernel.values_computed() == computed);
    CHECK(std::vector<double>(active.alphas(), active.alphas() + 100) == alpha);
}

TEST_CASE("active set restores rows to their slots") {
    Problem problem(40, 13);
    ActiveSet active(problem.provider, kAmple);
    std::vector<ActiveRow> rows;
    for (int i : {4, 9, 30}) rows.push_back(problem.fresh(active, i, 1.0));
    active.restore(rows, {5, 0, 2}, {1, 4, 3});
    CHECK((active.size() == 3 && active.slots() == 6));
    CHECK((active.row(5) == 4 && active.row(0) == 9 && active.row(2) == 30));
    CHECK((!active.open(1) && !active.open(3) && !active.open(4)));
    check_state(problem, active, 0.0);
    for (int slot : {3, 4, 1, 6}) {  // closed slots from the last named on, then a new one
        const int row = 10 + slot;
        const std::vector<float> values = problem.known_values(active, row);
        CHECK(active.insert_known(problem.fresh(active, row, 1.0), values.data()) == slot);
    }
    active.find_extremes();
    for (int k = 0; k < 100; ++k) active.step_extremes();
    CHECK(active.steps() > 3);
    check_state(problem, active, 1e-9);
}

TEST_CASE("active set restores with the last slots closed") {
    Problem problem(40, 14);
    ActiveSet active(problem.provider, kAmple);
    active.restore(problem.fresh(active, 0, 6, 1.0), {0, 1, 2, 3, 4, 5}, {6, 7, 8});
    Control control;
    Progress progress;
    active.solve(1e-6, -1, control, &progress);
    CHECK((active.gap() <= 1e-6 && active.steps() > 0));
    check_state(problem, active, 1e-9);
    active.insert(problem.fresh(active, 6, 20, 1.0), true);
    CHECK(active.slots() == 20);
    active.solve(1e-6, -1, control, &progress);
    CHECK(active.gap() <= 1e-6);
    check_state(problem, active, 1e-9);
}
