// Neighbours against all pairs of rows.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "fixtures.hpp"
#include "neighbours/neighbour_tree.hpp"
#include "neighbours/unique_rows.hpp"

using namespace rarebit;

namespace {

std::vector<double> make_rows(int rows, int columns, unsigned seed, bool grid = false) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::vector<double> values(static_cast<std::size_t>(rows) * columns);
    for (double& value : values) value = grid ? std::round(2.0 * normal(random)) : normal(random);
    return values;
}

double squared(const std::vector<double>& x, int columns, int a, int b) {
    double sum = 0.0;
    for (int k = 0; k < columns; ++k)
        sum +=
            (x[a * columns + k] - x[b * columns + k]) * (x[a * columns + k] - x[b * columns + k]);
    return sum;
}

// Distances are checked on the values that the tree has: for float these are rounded first.
template <class Real>
void check_pool_of(int rows, int columns, unsigned seed, bool grid) {
    const std::vector<double> made = make_rows(rows, columns, seed, grid);
    const std::vector<Real> values(made.begin(), made.end());
    const std::vector<double> x(values.begin(), values.end());
    const NeighbourTree<Real> tree({values.data(), rows, columns});
    const auto& point = tree.point_of_row();
    const int n = tree.points();
    CHECK(tree.rows() == rows);
    Control control;
    for (int k : {1, 2, 7, rows}) {
        if (k > rows) continue;
        double smallest = 0.0;
        for (int i = 0; i < rows; ++i) {
            std::vector<double> d;
            for (int j = 0; j < rows; ++j) d.push_back(squared(x, columns, i, j));
            std::nth_element(d.begin(), d.begin() + k - 1, d.end());
            if (d[k - 1] > 0.0 && (smallest == 0.0 || d[k - 1] < smallest)) smallest = d[k - 1];
        }
        std::vector<std::int32_t> counts(n);
        const double limit = tree.smallest_radii({k}, counts.data(), control)[0];
        CHECK_NEAR(limit, smallest, 1e-8 * smallest);
        for (int i = 0; i < rows; i += 5) {
            int within = 0;
            for (int j = 0; j < rows; ++j)
                within += squared(x, columns, i, j) <= limit * (1 + 1e-8);
            CHECK(counts[point[i]] == within);
        }
        // The steepest fall of the counts.
        // The lowest row of a point stands for it; every third point is closed.
        std::vector<std::int32_t> asked(n, -1);
        for (int i = rows - 1; i >= 0; --i) asked[point[i]] = i;
        for (int p = 0; p < n; p += 3) asked[p] = -1;
        const double reach = 4.0 * limit;
        std::int64_t best = -1;
        int best_row = -1;
        for (int i = 0; i < rows; ++i) {
            if (asked[point[i]] < 0) continue;
            std::int32_t lowest = counts[point[i]];
            for (int j = 0; j < rows; ++j)
                if (squared(x, columns, i, j) <= reach * (1 + 1e-12))
                    lowest = std::min(lowest, counts[point[j]]);
            if (counts[point[i]] - lowest > best) {
                best = counts[point[i]] - lowest;
                best_row = i;
            }
        }
        const DensityPeak peak = tree.steepest(counts.data(), reach, asked.data());
        CHECK((peak.point < 0) == (best < 0));
        if (best >= 0) CHECK((peak.score == best && asked[peak.point] == best_row));
    }
    std::vector<double> distances(n), kth(n);
    tree.distances_from(point[0], distances.data());
    for (int j = 0; j < rows; ++j)
        CHECK_NEAR(distances[point[j]], squared(x, columns, 0, j), 1e-12 * (1.0 + columns));
    CHECK(static_cast<int>(tree.within(point[0], 1e9).size()) == n);
    tree.kth_points({1}, 0, kth.data(), control);
    CHECK(*std::max_element(kth.begin(), kth.end()) == 0.0);
    const std::vector<std::int64_t> ks = {1, (n + 1) / 2, n};
    std::vector<double> several(3 * n);
    tree.kth_points(ks, 0, several.data(), control);
    for (int i = 0; i < 3; ++i) {
        tree.kth_points({ks[i]}, 0, kth.data(), control);
        for (int q = 0; q < n; ++q) CHECK(several[i * n + q] == kth[q]);
    }
}

void check_pool(int rows, int columns, unsigned seed, bool grid) {
    check_pool_of<double>(rows, columns, seed, grid);
    check_pool_of<float>(rows, columns, seed, grid);
}

}  // namespace

TEST_CASE("neighbours of small pools") {
    for (int rows : {1, 2, 8, 9, 33}) check_pool(rows, 2, rows, false);
}

TEST_CASE("neighbours in few and many features") {
    check_pool(200, 1, 1, false);
    check_pool(300, 5, 2, false);
    check_pool(120, 50, 3, false);
}

TEST_CASE("neighbours with duplicates") {
    check_pool(300, 2, 4, true);
    check_pool(200, 1, 5, true);
}

TEST_CASE("neighbours stop when told") {
    const std::vector<double> x = make_rows(5000, 4, 6);
    const NeighbourTree<double> tree({x.data(), 5000, 4});
    Control control;
    control.stop();
    std::vector<double> kth(5000);
    std::vector<std::int32_t> counts(5000);
    tree.kth_points({100}, 0, kth.data(), control);
    tree.smallest_radii({100}, counts.data(), control);
    CHECK(control.stopped());
}

TEST_CASE("equal rows have one number") {
    const double values[] = {1, 2, 0, 5, 1, 2, -0.0, 5, 3, 3};
    const std::vector<std::int32_t> numbers = number_unique_rows<double>({values, 5, 2});
    CHECK((numbers == std::vector<std::int32_t>{0, 1, 0, 1, 2}));
    CHECK(number_unique_rows<double>({values, 0, 2}).empty());
}

TEST_CASE("columns are scaled when read") {
    // A constant column, a wide one and one whose range is larger than the largest number.
    const double values[] = {7, 0, -1.5e308, 7, 10, 1.5e308, 7, 5, 0};
    const double half_low[] = {3.5, 0, -0.75e308};
    const double factor[] = {0, 1.0 / 5.0, 1.0 / 1.5e308};
    const ScaledRows<double> x{values, 3, 3, half_low, factor};
    CHECK((x.at(0, 0) == 0.0 && x.at(2, 0) == 0.0));
    CHECK((x.at(0, 1) == 0.0 && x.at(1, 1) == 1.0 && x.at(2, 1) == 0.5));
    CHECK_NEAR(x.at(0, 2), 0.0, 1e-14);
    CHECK_NEAR(x.at(1, 2), 1.0, 1e-14);
    CHECK_NEAR(x.at(2, 2), 0.5, 1e-14);
    const NeighbourTree<double> tree(x);
    std::vector<double> distances(3);
    tree.distances_from(tree.point_of_row()[0], distances.data());
    CHECK_NEAR(distances[tree.point_of_row()[1]], 2.0, 1e-13);
    CHECK_NEAR(distances[tree.point_of_row()[2]], 0.5, 1e-13);
    // Rows that the scale makes equal are one point.
    const double none[] = {0, 0, 0};
    CHECK(NeighbourTree<double>({values, 3, 3, half_low, none}).points() == 1);
}

template <class Real>
void check_distance_loops() {
    const int depth = 37;
    const std::vector<double> made = make_rows(depth, kBlock, 7);
    const std::vector<Real> block(made.begin(), made.end());
    const std::vector<double> point = make_rows(1, depth, 8);
    std::vector<Real> low(depth), high(depth);
    const std::vector<double> weights = make_rows(1, kBlock, 9);
    for (int k = 0; k < depth; ++k) {
        low[k] = static_cast<Real>(-0.3 - 0.01 * k);
        high[k] = static_cast<Real>(0.4);
    }
    const DistanceLoops<Real>& plain = *distance_loops_named<Real>("portable");
    double expected[kBlock], near[kBlock], far[kBlock];
    CHECK(plain.distances(block.data(), point.data(), depth, 1e300, expected));
    CHECK(plain.box_distances(block.data(), low.data(), high.data(), depth, 1e300, near, far));
    for (int i = 0; i < kBlock; ++i) CHECK(near[i] <= far[i]);
    for (const char* name : {"avx2", "avx512"}) {
        const DistanceLoops<Real>* loops = distance_loops_named<Real>(name);
        if (loops == nullptr) continue;
        CHECK(std::strcmp(loops->name, name) == 0);
        double out[kBlock], near_out[kBlock], far_out[kBlock];
        CHECK(loops->distances(block.data(), point.data(), depth, 1e300, out));
        CHECK(loops->box_distances(block.data(), low.data(), high.data(), depth, 1e300, near_out,
                                   far_out));
        for (int i = 0; i < kBlock; ++i) {
            CHECK_NEAR(out[i], expected[i], 1e-12 * expected[i]);
            CHECK_NEAR(near_out[i], near[i], 1e-12 * (1.0 + near[i]));
            CHECK_NEAR(far_out[i], far[i], 1e-12 * (1.0 + far[i]));
        }
        CHECK_NEAR(loops->weigh_within(out, weights.data(), out[3]),
                   plain.weigh_within(out, weights.data(), out[3]), 1e-12);
    }
    CHECK(!plain.distances(block.data(), point.data(), depth, 1e-9, expected));
}

TEST_CASE("distance loops of all instruction sets agree") {
    check_distance_loops<double>();
    check_distance_loops<float>();
}
