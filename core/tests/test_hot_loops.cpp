// The loops of kernels and distances, in every table that this machine runs, against plain loops.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "fixtures.hpp"
#include "loop_tables.hpp"
#include "simd/aligned.hpp"
#include "simd/hot_loops.hpp"

using namespace rarebit;
using namespace rarebit_tests;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

template <class T>
using Product = void (*)(const T*, int, const T*, int, std::size_t, T*, std::size_t);

// Small integers make every order of summation exact.
template <class T>
void check_product(Product<T> product, int left_width, int right_width) {
    std::mt19937 random(7);
    std::uniform_int_distribution<int> digit(-8, 8);
    for (std::size_t depth : {0, 1, 2, 3, 17, 255, 256, 257, 511, 513, 600})
        for (int left_panels : {1, 2, 3})
            for (int right_panels : {1, 3}) {
                const int rows = left_panels * left_width, columns = right_panels * right_width;
                const std::size_t stride = columns + 5;
                AlignedVector<T> left(rows * depth + 1), right(columns * depth + 1);
                for (T& v : left) v = static_cast<T>(digit(random));
                for (T& v : right) v = static_cast<T>(digit(random));
                AlignedVector<T> out(rows * stride, T(99));
                product(left.data(), left_panels, right.data(), right_panels, depth, out.data(),
                        stride);
                int wrong = 0;
                for (int i = 0; i < rows; ++i) {
                    for (int j = 0; j < columns; ++j) {
                        const T* a = left.data() + (i / left_width) * left_width * depth;
                        const T* b = right.data() + (j / right_width) * right_width * depth;
                        T sum = 0;
                        for (std::size_t k = 0; k < depth; ++k)
                            sum += a[k * left_width + i % left_width] *
                                   b[k * right_width + j % right_width];
                        wrong += out[i * stride + j] != sum;
                    }
                    for (std::size_t j = columns; j < stride; ++j)
                        wrong += out[i * stride + j] != T(99);
                }
                CHECK(wrong == 0);
            }
}

// Rounding stays within that of one chain, and a value does not depend on its neighbours.
template <class T>
void check_product_rounding(Product<T> product, int left_width, int right_width) {
    std::mt19937 random(8);
    std::normal_distribution<double> normal;
    const std::size_t depth = 601;
    const int columns = 2 * right_width;
    AlignedVector<T> left(2 * left_width * depth), right(columns * depth);
    for (T& v : left) v = static_cast<T>(normal(random));
    for (T& v : right) v = static_cast<T>(normal(random));
    AlignedVector<T> all(2 * left_width * columns), one(left_width * right_width);
    product(left.data(), 2, right.data(), 2, depth, all.data(), columns);
    product(left.data() + left_width * depth, 1, right.data() + right_width * depth, 1, depth,
            one.data(), right_width);
    double worst = 0.0;
    int apart = 0;
    for (int i = 0; i < left_width; ++i)
        for (int j = 0; j < right_width; ++j) {
            const T* a = left.data() + left_width * depth + i;
            const T* b = right.data() + right_width * depth + j;
            long double sum = 0;
            for (std::size_t k = 0; k < depth; ++k)
                sum += static_cast<long double>(a[k * left_width]) * b[k * right_width];
            const T value = one[i * right_width + j];
            worst = std::max(worst, static_cast<double>(std::abs(value - sum)));
            apart += all[(left_width + i) * columns + right_width + j] != value;
        }
    CHECK(apart == 0);
    CHECK(worst <= 1000.0 * std::numeric_limits<T>::epsilon());
    CHECK(worst > 0.0);  // otherwise nothing was rounded and the bound says nothing
}

// Transforms a 3-row tile of every width up to 40 and compares with `expected`.
template <class Expected>
void check_transform(const HotLoops& loops, const KernelSpec& spec, double tolerance,
                     Expected expected) {
    std::mt19937 random(9);
    std::uniform_real_distribution<float> uniform(-1.5f, 1.5f);
    for (int columns = 1; columns <= 40; ++columns) {
        const int rows = 3;
        const std::size_t stride = columns + 3;
        std::vector<float> tile(rows * stride), left(rows), right(columns + 16, 0.0f);
        for (float& v : tile) v = uniform(random);
        for (float& v : left) v = 2.0f + uniform(random);
        for (int j = 0; j < columns; ++j) right[j] = 2.0f + uniform(random);
        const std::vector<float> before = tile;
        loops.transform32(spec, tile.data(), rows, columns, stride, left.data(), right.data());
        double worst = 0.0;
        int touched = 0;
        for (int i = 0; i < rows; ++i)
            for (std::size_t j = 0; j < stride; ++j) {
                const std::size_t at = i * stride + j;
                if (j >= static_cast<std::size_t>(columns)) {
                    touched += tile[at] != before[at];
                    continue;
                }
                const double want = expected(before[at], left[i], right[j]);
                worst = std::max(worst, std::abs(tile[at] - want) / std::max(1.0, std::abs(want)));
            }
        CHECK(touched == 0);
        CHECK(worst <= tolerance);
    }
}

}  // namespace

TEST_CASE("hot loops always include the portable table") {
    CHECK(hot_loops_named("portable") != nullptr);
    CHECK(hot_loops_named("mmx") == nullptr);
    for (const HotLoops* loops : tables()) {
        CHECK(hot_loops_named(loops->name) == loops);
        CHECK(loops->right_width32 == 2 * loops->right_width64);
    }
    // The chosen table is the last, that is the widest, of those available.
    CHECK(std::strcmp(hot_loops().name, tables().back()->name) == 0);
}

TEST_CASE("product32 equals plain loops") {
    for (const HotLoops* loops : tables()) {
        check_product<float>(loops->product32, loops->left_width32, loops->right_width32);
        check_product_rounding<float>(loops->product32, loops->left_width32, loops->right_width32);
        check_product<float>(loops->narrow_product32, loops->narrow_width32, loops->right_width32);
    }
}

TEST_CASE("narrow panels give the values of wide ones to the bit") {
    std::mt19937 random(13);
    std::normal_distribution<float> normal;
    for (const HotLoops* loops : tables())
        for (std::size_t depth : {1, 16, 257, 600}) {
            const int wide = loops->left_width32, narrow = loops->narrow_width32;
            const int width = loops->right_width32, rows = std::min(wide, narrow);
            AlignedVector<float> one(wide * depth, 0.0f), other(narrow * depth, 0.0f);
            AlignedVector<float> right(width * depth);
            for (float& v : right) v = normal(random);
            for (std::size_t k = 0; k < depth; ++k)
                for (int i = 0; i < rows; ++i)
                    one[k * wide + i] = other[k * narrow + i] = normal(random);
            AlignedVector<float> from_wide(wide * width), from_narrow(narrow * width);
            loops->product32(one.data(), 1, right.data(), 1, depth, from_wide.data(), width);
            loops->narrow_product32(other.data(), 1, right.data(), 1, depth, from_narrow.data(),
                                    width);
            CHECK(std::equal(from_wide.begin(), from_wide.begin() + rows * width,
                             from_narrow.begin()));
        }
}

TEST_CASE("product64 equals plain loops") {
    for (const HotLoops* loops : tables()) {
        check_product<double>(loops->product64, loops->left_width64, loops->right_width64);
        check_product_rounding<double>(loops->product64, loops->left_width64, loops->right_width64);
    }
}

TEST_CASE("exp is accurate from 0 down to where it vanishes") {
    const int count = 100001;
    std::vector<float> x(count);
    for (int i = 0; i < count; ++i) x[i] = -90.0f * static_cast<float>(i) / (count - 1);
    const float left = 0.0f;
    const std::vector<float> right(count + 16, 0.0f);
    for (const HotLoops* loops : tables()) {
        std::vector<float> value = x;
        // gamma 1/2 and norms 0 hand the dot product to exp as it is.
        loops->transform32(spec_of(KernelKind::rbf, 0.5), value.data(), 1, count, count, &left,
                           right.data());
        double worst = 0.0;
        int negative = 0, rising = 0;
        for (int i = 0; i < count; ++i) {
            const double exact = std::exp(static_cast<double>(x[i]));
            negative += !(value[i] >= 0.0f);
            if (x[i] >= -87.33654f)
                worst = std::max(worst, std::abs(value[i] - exact) / exact);
            else
                CHECK(value[i] == 0.0f);
            rising += i > 0 && value[i] > value[i - 1] * (1.0f + 3e-7f);
        }
        CHECK(worst < 2e-7);
        CHECK(negative == 0);
        CHECK(rising == 0);
        CHECK(value[0] == 1.0f);
    }
}

TEST_CASE("exp of a far row is 0 and of a rounded up exponent is 1") {
    for (const HotLoops* loops : tables()) {
        std::vector<float> value = {-1e4f, -1e30f, -kInf, 1e-6f, 3.0f, -0.0f};
        const float left = 0.0f;
        const std::vector<float> right(32, 0.0f);
        loops->transform32(spec_of(KernelKind::rbf, 0.5), value.data(), 1, 6, 6, &left,
                           right.data());
        CHECK(value == std::vector<float>({0.0f, 0.0f, 0.0f, 1.0f, 1.0f, 1.0f}));
    }
}

TEST_CASE("transforms equal plain functions at every width") {
    for (const HotLoops* loops : tables()) {
        check_transform(*loops, spec_of(KernelKind::rbf, 0.3), 2e-6,
                        [](double dot, double left, double right) {
                            return std::exp(std::min(0.0, 0.3 * (2.0 * dot - left - right)));
                        });
        for (int degree = 0; degree <= 5; ++degree)
            check_transform(
                *loops, spec_of(KernelKind::poly, 0.7, 0.4, degree), 2e-6,
                [&](double dot, double, double) { return std::pow(0.7 * dot + 0.4, degree); });
        check_transform(*loops, spec_of(KernelKind::sigmoid, 0.7, -0.2), 1e-6,
                        [](double dot, double, double) { return std::tanh(0.7 * dot - 0.2); });
        for (KernelKind kind : {KernelKind::linear, KernelKind::precomputed})
            check_transform(*loops, spec_of(kind, 0.7, 0.4), 0.0,
                            [](double dot, double, double) { return dot; });
    }
}

TEST_CASE("add row adds at every length") {
    std::mt19937 random(11);
    std::normal_distribution<double> normal;
    for (const HotLoops* loops : tables())
        for (int count = 0; count <= 35; ++count) {
            std::vector<float> column(count);
            std::vector<double> sums(count + 1);
            for (float& v : column) v = static_cast<float>(normal(random));
            for (double& v : sums) v = normal(random);
            std::vector<double> want = sums;
            for (int i = 0; i < count; ++i) want[i] += -1.5 * static_cast<double>(column[i]);
            loops->add_row(count, column.data(), -1.5, sums.data());
            for (int i = 0; i <= count; ++i) CHECK_NEAR(sums[i], want[i], 1e-14);
        }
}

TEST_CASE("many rows and doubles are added at every length") {
    std::mt19937 random(14);
    std::normal_distribution<double> normal;
    for (const HotLoops* loops : tables())
        for (int count = 0; count <= 75; ++count) {
            std::vector<float> values(3 * count);
            std::vector<double> sums(count + 1), other(count), by = {0.5, -1.25, 3.0};
            for (float& v : values) v = static_cast<float>(normal(random));
            for (double& v : sums) v = normal(random);
            for (double& v : other) v = normal(random);
            std::vector<const float*> rows;
            for (int i = 0; i < 3; ++i) rows.push_back(values.data() + i * count);
            std::vector<double> want = sums;
            for (int k = 0; k < count; ++k) {
                for (int i = 0; i < 3; ++i) want[k] += by[i] * static_cast<double>(rows[i][k]);
                want[k] += -0.75 * other[k];
            }
            loops->add_rows(count, rows.data(), by.data(), 3, sums.data());
            loops->add64(count, -0.75, other.data(), sums.data());
            for (int k = 0; k <= count; ++k) CHECK_NEAR(sums[k], want[k], 1e-12);
        }
}

TEST_CASE("nearest finds the smallest distance of each block") {
    const double inf = std::numeric_limits<double>::infinity();
    std::mt19937 random(12);
    std::normal_distribution<double> normal;
    for (const HotLoops* loops : tables())
        for (int count : {0, 1, 7, 8, 15, 16, 63, 64, 65, 79, 128, 200}) {
            std::vector<double> sums(count);
            for (double& v : sums) v = 2.0 * normal(random);
            if (count > 3) sums[3] = -0.25;  // on the border to the bit
            if (count > 9) sums[5] = inf, sums[6] = -inf, sums[9] = std::nan("");
            if (count > 130) std::fill(sums.begin() + 64, sums.begin() + 128, inf);
            const int blocks = (count + kNearRows - 1) / kNearRows;
            std::vector<double> least(blocks + 1, -3.0), want(blocks, inf);
            std::int64_t inside = 0;
            for (int i = 0; i < count; ++i) {
                const double distance = std::abs(sums[i] + 0.25);
                if (distance < want[i / kNearRows]) want[i / kNearRows] = distance;
                inside += distance < 1.0;
            }
            CHECK(loops->nearest(count, sums.data(), 0.25, least.data()) == inside);
            CHECK(least[blocks] == -3.0);
            least.pop_back();
            CHECK(least == want);
        }
}

TEST_CASE("weigh adds sums of every length") {
    std::mt19937 random(10);
    std::normal_distribution<double> normal;
    for (const HotLoops* loops : tables())
        for (int columns = 0; columns <= 70; ++columns) {
            const int rows = 3;
            const std::size_t stride = columns + 2;
            std::vector<float> tile(rows * stride);
            std::vector<double> coefficients(columns), out = {1.0, -2.0, 3.0, 4.0};
            for (float& v : tile) v = static_cast<float>(normal(random));
            for (double& v : coefficients) v = normal(random);
            std::vector<double> want = out;
            for (int i = 0; i < rows; ++i)
                for (int j = 0; j < columns; ++j)
                    want[i] += coefficients[j] * static_cast<double>(tile[i * stride + j]);
            loops->weigh(tile.data(), rows, columns, stride, coefficients.data(), out.data());
            for (int i = 0; i < 4; ++i) CHECK_NEAR(out[i], want[i], 1e-12);
        }
}

TEST_CASE("sparse dots equal plain loops") {
    std::mt19937 random(11);
    const int depth = 50;
    std::uniform_int_distribution<int> digit(-8, 8);
    std::uniform_int_distribution<std::int32_t> column(0, depth - 1);
    const auto check = [&](auto dot, auto zero) {
        using T = decltype(zero);
        for (int count : {0, 1, 2, 37, 200}) {
            AlignedVector<T> scattered(depth * kSparseLanes), lanes(kSparseLanes, T(-1));
            for (T& v : scattered) v = static_cast<T>(digit(random));
            std::vector<std::int32_t> columns(count);
            std::vector<T> values(count);
            for (int k = 0; k < count; ++k) {
                columns[k] = column(random);  // repeated columns add up
                values[k] = static_cast<T>(digit(random));
            }
            dot(columns.data(), values.data(), count, scattered.data(), lanes.data());
            for (int lane = 0; lane < kSparseLanes; ++lane) {
                T want = 0;
                for (int k = 0; k < count; ++k)
                    want += values[k] * scattered[columns[k] * kSparseLanes + lane];
                CHECK(lanes[lane] == want);
            }
        }
    };
    for (const HotLoops* loops : tables()) {
        check(loops->sparse_dot32, 0.0f);
        check(loops->sparse_dot64, 0.0);
    }
}

TEST_CASE("rows are added and columns weighed as by plain loops") {
    for (const HotLoops* loops : tables()) {
        for (int count : {1, 7, 64, 101}) {
            AlignedVector<float> row(count);
            AlignedVector<double> sums(count);
            for (int k = 0; k < count; ++k) row[k] = k - 3.0f, sums[k] = k;
            loops->add_row(count, row.data(), 0.5, sums.data());
            for (int k = 0; k < count; ++k) CHECK(sums[k] == k + 0.5 * (k - 3.0));
        }
        AlignedVector<float> panel(kPanelRows * 20), sums(kPanelRows, 9.0f);
        for (std::size_t k = 0; k < panel.size(); ++k) panel[k] = static_cast<float>(k % 17);
        const std::vector<std::int32_t> columns = {3, 0, 19, 7};
        const std::vector<float> coefficients = {1.0f, -2.0f, 0.5f, 4.0f};
        loops->weigh_columns(panel.data(), columns.data(), coefficients.data(), 4, sums.data());
        for (int i = 0; i < kPanelRows; ++i) {
            float want = 0.0f;
            for (int k = 0; k < 4; ++k)
                want += coefficients[k] * panel[columns[k] * kPanelRows + i];
            CHECK(sums[i] == want);
        }
    }
}
