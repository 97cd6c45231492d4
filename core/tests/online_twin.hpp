// An online solver with rows of its own, and the same algorithm by plain loops.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "fixtures.hpp"
#include "kernel/support_row_store.hpp"
#include "solver/online.hpp"

namespace rarebit_tests::online {

using namespace rarebit;

inline constexpr std::size_t kAmple = std::size_t(64) << 20;

inline double label(int i) { return i % 4 == 0 ? 1.0 : -1.0; }

inline std::vector<double> blobs(int n, int d, unsigned seed, double zeros = 0.0) {
    std::vector<double> values = normal_values(n, d, seed, zeros);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < d; ++k)
            if (values[i * d + k] != 0.0) values[i * d + k] += 0.5 * label(i);
    return values;
}

// A machine that keeps its rows in a store of its own.
struct Machine {
    const Kernel& kernel;
    SupportRowStore store;
    DirectProvider provider;
    int kept = 0, dropped = 0;
    OnlineSolver solver;
    Control control;

    Machine(const Kernel& kernel_, const Matrix& like, double tolerance = 1e-3,
            std::size_t cache = kAmple)
        : kernel(kernel_),
          store(like),
          provider(kernel, store.matrix()),
          solver(
              provider, tolerance, cache,
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
inline void check_machine(const Machine& machine, const Table& table, double tolerance) {
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

}  // namespace rarebit_tests::online
