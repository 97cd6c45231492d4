// A problem for an active set, and what must hold of the set at any time.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "fixtures.hpp"
#include "solver/active_set.hpp"

namespace rarebit_tests::active {

using namespace rarebit;

inline constexpr std::size_t kAmple = std::size_t(64) << 20;

struct Problem {
    Table table;
    Kernel kernel;
    DirectProvider provider;
    std::vector<double> gram, y;

    Problem(int n, unsigned seed, const KernelSpec& spec = spec_of(KernelKind::rbf, 0.3),
            Storage storage = Storage::dense32)
        : table(storage, n, 4, shifted(n, seed)),
          kernel(spec, table.matrix),
          provider(kernel, table.matrix),
          gram(engine_gram(kernel, table)) {
        for (int i = 0; i < n; ++i) y.push_back(label(i));
    }

    static double label(int i) { return i % 3 == 0 ? 1.0 : -1.0; }
    static std::vector<double> shifted(int n, unsigned seed) {
        std::vector<double> values = normal_values(n, 4, seed);
        for (int i = 0; i < n; ++i)
            for (int k = 0; k < 4; ++k) values[i * 4 + k] += 0.4 * label(i);
        return values;
    }
    int n() const { return table.rows(); }
    double value(int i, int j) const { return gram[static_cast<std::size_t>(i) * n() + j]; }

    // Gradient of a row under the coefficients of an active set.
    double gradient(const ActiveSet& active, int row) const {
        double g = y[row];
        for (int s = 0; s < active.slots(); ++s)
            if (active.open(s)) g -= active.alpha(s) * value(row, active.row(s));
        return g;
    }
    ActiveRow fresh(const ActiveSet& active, int row, double cost) const {
        return {row, 100 + row, y[row], cost, 0.0, gradient(active, row)};
    }
    std::vector<ActiveRow> fresh(const ActiveSet& active, int from, int to, double cost) const {
        std::vector<ActiveRow> rows;
        for (int i = from; i < to; ++i) rows.push_back(fresh(active, i, cost));
        return rows;
    }
    // Kernel values with all slots, as insert_known() wants them: one more than there are slots.
    std::vector<float> known_values(const ActiveSet& active, int row) const {
        std::vector<float> values(active.slots() + 1, 0.0f);
        for (int s = 0; s < active.slots(); ++s)
            if (active.open(s)) values[s] = static_cast<float>(value(row, active.row(s)));
        return values;
    }
};

// Gradients, extremes, boxes and sums against recomputation from the coefficients.
inline void check_state(const Problem& problem, const ActiveSet& active, double tolerance) {
    double worst = 0.0, sum = 0.0, up = -1e300, low = 1e300;
    int open = 0, outside = 0;
    for (int s = 0; s < active.slots(); ++s) {
        if (!active.open(s)) continue;
        ++open;
        worst =
            std::max(worst, std::abs(active.gradient(s) - problem.gradient(active, active.row(s))));
        sum += active.alpha(s);
        const double lower = active.y(s) > 0 ? 0.0 : -active.cost(s);
        const double upper = active.y(s) > 0 ? active.cost(s) : 0.0;
        outside += active.alpha(s) < lower || active.alpha(s) > upper;
        if (active.alpha(s) < upper) up = std::max(up, active.gradient(s));
        if (active.alpha(s) > lower) low = std::min(low, active.gradient(s));
        CHECK(active.tag(s) == 100 + active.row(s));
        CHECK(active.y(s) == problem.y[active.row(s)]);
    }
    CHECK(open == active.size());
    CHECK(outside == 0);
    CHECK(worst <= tolerance);
    CHECK_NEAR(sum, 0.0, 1e-9);
    const bool pair = up > -1e300 && low < 1e300;
    CHECK(active.has_pair() == pair);
    if (!pair) return;
    CHECK(active.up_value() == up);
    CHECK(active.low_value() == low);
    CHECK(active.gap() == up - low);
    CHECK((active.gradient(active.up_slot()) == up && active.open(active.up_slot())));
    CHECK((active.gradient(active.low_slot()) == low && active.open(active.low_slot())));
}

inline double objective_of(const ActiveSet& active) {
    double total = 0.0;
    for (int s = 0; s < active.slots(); ++s)
        if (active.open(s)) total += 0.5 * active.alpha(s) * (active.y(s) + active.gradient(s));
    return total;
}

}  // namespace rarebit_tests::active
