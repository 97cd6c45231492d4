// The bordered inverse against the equations that it solves.
#include <cmath>
#include <random>
#include <vector>

#include "fixtures.hpp"
#include "pruning/bordered_inverse.hpp"

using namespace rarebit;

namespace {

// Kernel values of random points on a line, which are positive definite.
std::vector<double> kernel_values(int n, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::vector<double> x(n), values(n * n);
    for (double& v : x) v = 2.0 * normal(random);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            values[i * n + j] = std::exp(-std::abs(x[i] - x[j])) + (i == j ? 0.1 : 0.0);
    return values;
}

// Checks that the inverse solves the bordered equations of some members of `values` for a right
// side that is 0 for the others; `kept` lists the members in their order in the inverse, -1 for
// one that was removed.
void check_solves(const BorderedInverse& inverse, const std::vector<double>& values, int n,
                  const std::vector<int>& kept) {
    const int size = 1 + static_cast<int>(kept.size());
    CHECK(inverse.members() == size - 1);
    std::vector<double> right(size, 0.0), found(size);
    right[0] = 0.7;
    for (int i = 1; i < size; ++i) right[i] = kept[i - 1] < 0 ? 0.0 : 0.3 * i - 1.0;
    inverse.apply(right.data(), found.data());
    double sum = 0.0;
    for (int i = 1; i < size; ++i) {
        sum += found[i];
        if (kept[i - 1] < 0) {
            CHECK(found[i] == 0.0);
            continue;
        }
        double left = found[0];
        for (int j = 1; j < size; ++j)
            if (kept[j - 1] >= 0) left += values[kept[i - 1] * n + kept[j - 1]] * found[j];
        CHECK_NEAR(left, right[i], 1e-9);
    }
    CHECK_NEAR(sum, right[0], 1e-9);
}

std::vector<double> part(const std::vector<double>& values, int n, int m) {
    std::vector<double> some;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < m; ++j) some.push_back(values[i * n + j]);
    return some;
}

}  // namespace

TEST_CASE("bordered inverse follows members that come and go") {
    const int n = 12;
    const std::vector<double> values = kernel_values(n, 3);
    BorderedInverse inverse;
    CHECK(inverse.invert(part(values, n, 9), 9));
    std::vector<int> kept = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    check_solves(inverse, values, n, kept);
    inverse.remove(4);
    kept[4] = -1;
    check_solves(inverse, values, n, kept);
    for (int added : {10, 4, 11}) {
        std::vector<double> own = {1.0};
        for (int s : kept) own.push_back(s < 0 ? 0.0 : values[added * n + s]);
        std::vector<double> effect(own.size());
        inverse.apply(own.data(), effect.data());
        double excess = values[added * n + added];
        for (std::size_t i = 0; i < own.size(); ++i) excess -= own[i] * effect[i];
        inverse.append(effect.data(), excess);
        kept.push_back(added);
        check_solves(inverse, values, n, kept);
    }
    inverse.remove(0);
    kept[0] = -1;
    check_solves(inverse, values, n, kept);
}

TEST_CASE("bordered inverse has room for so many") {
    BorderedInverse inverse;
    CHECK(inverse.invert({1.0}, 1));
    for (int i = 0; i < BorderedInverse::kMostAppended; ++i) {
        CHECK(!inverse.full());
        const std::vector<double> none(2 + i, 0.0);
        inverse.append(none.data(), 1.0);
    }
    CHECK(inverse.full());
}

TEST_CASE("bordered inverse refuses what is not definite") {
    BorderedInverse inverse;
    CHECK(!inverse.invert({1.0, 2.0, 2.0, 1.0}, 2));
    CHECK(inverse.members() == 0);
    CHECK(!inverse.invert({}, 0));
}
