// The online solver, step by step against a plain twin, and with rows of its own.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "check.hpp"
#include "expansion_store.hpp"
#include "fixtures.hpp"
#include "online.hpp"

using namespace rarebit;
using namespace rarebit_tests;

namespace {

constexpr std::size_t kAmple = std::size_t(64) << 20;

double label(int i) { return i % 4 == 0 ? 1.0 : -1.0; }

std::vector<double> blobs(int n, int d, unsigned seed, double zeros = 0.0) {
    std::vector<double> values = normal_values(n, d, seed, zeros);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < d; ++k)
            if (values[i * d + k] != 0.0) values[i * d + k] += 0.5 * label(i);
    return values;
}

// A machine that keeps its rows in a store of its own.
struct Machine {
    const Kernel& kernel;
    ExpansionStore store;
    DirectSource source;
    int kept = 0, dropped = 0;
    OnlineSolver solver;
    Control control;

    Machine(const Kernel& kernel_, const Matrix& like, double tolerance = 1e-3,
            std::size_t cache = kAmple)
        : kernel(kernel_),
          store(like),
          source(kernel, store.matrix()),
          solver(
              source, tolerance, cache,
              [this](const Matrix& from, std::int64_t row) {
                  ++kept;
                  return store.add(from, row);
              },
              [this](std::int32_t row) {
                  ++dropped;
                  store.remove(row);
              }) {}

    // Rows of the table from `from` on; their tags are their numbers plus `shift`.
    void process(const Table& table, int from, int count, double cost = 1.0, int shift = 0) {
        std::vector<std::int32_t> tags = numbers(count, from + shift);
        std::vector<double> y, costs(count, cost);
        for (int i = 0; i < count; ++i) y.push_back(label(from + i + shift));
        solver.process({&table.matrix, nullptr, from, count}, tags.data(), y.data(), costs.data(),
                       control);
    }

    const ActiveSet& active() const { return solver.active(); }
    std::set<std::int32_t> tags() const {
        std::set<std::int32_t> all;
        for (int s = 0; s < active().slots(); ++s)
            if (active().open(s)) all.insert(active().tag(s));
        return all;
    }
};

// What must hold after any call: tags name rows of `table`.
void check_machine(const Machine& machine, const Table& table, double tolerance) {
    const ActiveSet& active = machine.active();
    double sum = 0.0, worst = 0.0, objective = 0.0;
    int wrong_row = 0, outside = 0, idle = 0;
    for (int s = 0; s < active.slots(); ++s) {
        if (!active.open(s)) continue;
        sum += active.alpha(s);
        double g = active.y(s);
        for (int t = 0; t < active.slots(); ++t)
            if (active.open(t))
                g -= active.alpha(t) *
                     scalar_kernel(machine.kernel, table, active.tag(s), table, active.tag(t));
        worst = std::max(worst, std::abs(g - active.gradient(s)));
        objective += 0.5 * active.alpha(s) * (active.y(s) + g);
        const double lower = active.y(s) > 0 ? 0.0 : -active.cost(s);
        const double upper = active.y(s) > 0 ? active.cost(s) : 0.0;
        outside += active.alpha(s) < lower || active.alpha(s) > upper;
        // Rows without a coefficient that cannot violate have left.
        if (active.has_pair() && active.alpha(s) == 0.0)
            idle += active.y(s) > 0 ? active.gradient(s) <= active.low_value()
                                    : active.gradient(s) >= active.up_value();
        wrong_row += squared_norm(machine.store.matrix(), active.row(s), {}) !=
                     squared_norm(table.matrix, active.tag(s), {});
    }
    CHECK_NEAR(sum, 0.0, 1e-9);
    CHECK(worst <= tolerance);
    CHECK_NEAR(machine.solver.objective(), objective, 1e-4 * std::abs(objective) + 1e-9);
    CHECK(outside == 0);
    CHECK(idle == 0);
    CHECK(wrong_row == 0);
    CHECK(machine.kept - machine.dropped == active.size());
}

// The same algorithm by plain loops, on the same kernel values. After a step between two rows
// inside their boxes both gradients are equal but for rounding, and rounding decides which of them
// is the extreme: so the twin follows every choice within `kTie` and returns all outcomes.
class Twin {
  public:
    struct Member {
        int row;
        double y, cost, alpha, g;
        double lower() const { return y > 0 ? 0.0 : -cost; }
        double upper() const { return y > 0 ? cost : 0.0; }
    };
    using State = std::vector<Member>;

    Twin(const std::vector<double>& gram, int n, double tolerance)
        : gram_(gram), n_(n), tolerance_(tolerance) {}

    static State state_of(const Machine& machine) {
        const ActiveSet& active = machine.active();
        State state;
        for (int s = 0; s < active.slots(); ++s)
            if (active.open(s))
                state.push_back({active.tag(s), active.y(s), active.cost(s), active.alpha(s),
                                 active.gradient(s)});
        std::sort(state.begin(), state.end(),
                  [](const Member& a, const Member& b) { return a.row < b.row; });
        return state;
    }

    std::vector<State> process(const State& before, int row, double y, double cost) const {
        std::vector<State> processed;
        const bool known = std::any_of(before.begin(), before.end(),
                                       [&](const Member& m) { return m.row == row; });
        const auto [ups, lows] = extremes(before);
        const bool pair = !ups.empty() && !lows.empty();
        double g = y;
        for (const Member& m : before) g -= m.alpha * value(row, m.row);
        if (known || cost == 0.0 ||
            (pair && (y > 0 ? g < before[lows[0]].g : g > before[ups[0]].g))) {
            processed.push_back(before);
        } else {
            State with = before;
            with.push_back({row, y, cost, 0.0, g});
            const int fresh = static_cast<int>(with.size()) - 1;
            if (!pair) processed.push_back(with);
            if (pair)
                for (int other : y > 0 ? lows : ups)
                    processed.push_back(step(with, y > 0 ? fresh : other, y > 0 ? other : fresh));
        }
        std::vector<State> outcomes;
        for (const State& state : processed)
            for (State& outcome : reprocess(state)) outcomes.push_back(std::move(outcome));
        return outcomes;
    }

    // Is one of the outcomes what the machine has come to?
    static bool contains(const std::vector<State>& outcomes, const State& found) {
        return std::any_of(outcomes.begin(), outcomes.end(), [&](State outcome) {
            if (outcome.size() != found.size()) return false;
            std::sort(outcome.begin(), outcome.end(),
                      [](const Member& a, const Member& b) { return a.row < b.row; });
            for (std::size_t m = 0; m < found.size(); ++m)
                if (outcome[m].row != found[m].row ||
                    !(std::abs(outcome[m].alpha - found[m].alpha) <= 1e-9) ||
                    !(std::abs(outcome[m].g - found[m].g) <= 1e-9))
                    return false;
            return true;
        });
    }

  private:
    static constexpr double kTie = 1e-11;

    double value(int i, int j) const { return gram_[static_cast<std::size_t>(i) * n_ + j]; }

    static std::pair<std::vector<int>, std::vector<int>> extremes(const State& state) {
        double up = -1e300, low = 1e300;
        for (const Member& m : state) {
            if (m.alpha < m.upper()) up = std::max(up, m.g);
            if (m.alpha > m.lower()) low = std::min(low, m.g);
        }
        std::pair<std::vector<int>, std::vector<int>> found;
        for (int i = 0; i < static_cast<int>(state.size()); ++i) {
            const Member& m = state[i];
            if (m.alpha < m.upper() && m.g >= up - kTie) found.first.push_back(i);
            if (m.alpha > m.lower() && m.g <= low + kTie) found.second.push_back(i);
        }
        return found;
    }

    State step(State state, int up, int low) const {
        Member &a = state[up], &b = state[low];
        const double curvature =
            value(a.row, a.row) + value(b.row, b.row) - 2.0 * value(a.row, b.row);
        const double room_a = a.upper() - a.alpha, room_b = b.alpha - b.lower();
        const double by = std::min({(a.g - b.g) / std::max(curvature, 1e-12), room_a, room_b});
        a.alpha = by == room_a ? a.upper() : a.alpha + by;
        b.alpha = by == room_b ? b.lower() : b.alpha - by;
        for (Member& m : state) m.g -= by * (value(m.row, a.row) - value(m.row, b.row));
        return state;
    }

    std::vector<State> reprocess(const State& before) const {
        const auto [ups, lows] = extremes(before);
        if (ups.empty() || lows.empty()) return {before};
        std::vector<State> stepped;
        if (before[ups[0]].g - before[lows[0]].g >= tolerance_) {
            for (int up : ups)
                for (int low : lows) stepped.push_back(step(before, up, low));
        } else {
            stepped.push_back(before);
        }
        for (State& state : stepped) {
            const auto [up, low] = extremes(state);
            if (up.empty() || low.empty()) continue;
            const double up_value = state[up[0]].g, low_value = state[low[0]].g;
            state.erase(std::remove_if(state.begin(), state.end(),
                                       [&](const Member& m) {
                                           return m.alpha == 0.0 &&
                                                  (m.y > 0 ? m.g <= low_value : m.g >= up_value);
                                       }),
                        state.end());
        }
        return stepped;
    }

    const std::vector<double>& gram_;
    int n_;
    double tolerance_;
};

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

TEST(online_equals_its_plain_twin_row_by_row) {
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
            CHECK(machine.dropped > 0 && machine.kept < n);
            check_machine(machine, table, 1e-4);
            // A second pass over the same rows: those kept only trigger REPROCESS.
            check_rows_with_twin(machine, twin, table, numbers(n), costs);
        }
}

TEST(online_rows_with_their_own_costs_equal_the_twin) {
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

TEST(online_takes_rows_in_blocks_as_one_by_one) {
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
        CHECK(blocks.dropped == single.dropped && blocks.dropped > 0);
        int apart = 0;
        for (int s = 0; s < single.active().slots(); ++s)
            apart += blocks.active().tag(s) != single.active().tag(s) ||
                     blocks.active().alpha(s) != single.active().alpha(s);
        CHECK(apart == 0);
    }
}

TEST(online_process_rejects_rows_that_cannot_violate) {
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

TEST(online_reprocess_drops_rows_without_a_coefficient) {
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

TEST(online_finish_closes_the_gap) {
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

TEST(online_after_several_passes_comes_near_the_exact_optimum) {
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

TEST(online_known_tags_are_kept_once_and_negative_tags_are_always_new) {
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

TEST(online_a_dropped_row_may_come_back) {
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

TEST(online_of_one_class_answers_with_its_side) {
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

TEST(online_keeps_rows_of_every_storage_after_their_owner_is_gone) {
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
            CHECK(machine.dropped > 0 || spec.gamma > 1.0);
            check_machine(machine, table, spec.kind == KernelKind::poly ? 5e-3 : 5e-4);
            // The machine scores rows from its own store.
            const ActiveSet& active = machine.active();
            std::vector<double> sums(20, 0.0);
            kernel.accumulate({&table.matrix, nullptr, 100, 20}, active.operand(), active.alphas(),
                              1, sums.data());
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

TEST(online_restored_machine_goes_on_to_the_bit) {
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

TEST(online_stops_when_told) {
    const int n = 2000;
    Table table(Storage::dense32, n, 3, blobs(n, 3, 10));
    const Kernel kernel(spec_of(KernelKind::rbf, 0.3), table.matrix);
    Machine machine(kernel, table.matrix);
    Control once([](const Progress& progress) {
        CHECK(progress.rows > 0 && progress.rows < 2000);
        CHECK(progress.active > 0);
        return false;
    });
    const std::vector<std::int32_t> tags = numbers(n);
    std::vector<double> y, cost(n, 1.0);
    for (int i = 0; i < n; ++i) y.push_back(label(i));
    machine.solver.process({&table.matrix, nullptr, 0, n}, tags.data(), y.data(), cost.data(),
                           once);
    const std::int64_t seen = machine.solver.rows_seen();
    CHECK(seen > 0 && seen < n);
    check_machine(machine, table, 1e-4);
    // What was seen counts: the rest may follow later.
    machine.process(table, static_cast<int>(seen), n - static_cast<int>(seen));
    CHECK(machine.solver.rows_seen() == n);
    check_machine(machine, table, 1e-4);
}

TEST(online_finish_stops_when_told) {
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
