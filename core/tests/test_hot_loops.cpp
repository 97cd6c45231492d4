// Every table of hot loops that this machine runs, against plain loops.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "aligned.hpp"
#include "check.hpp"
#include "hot_loops.hpp"

using namespace rarebit;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

std::vector<const HotLoops*> tables() {
    std::vector<const HotLoops*> all;
    for (const char* name : {"portable", "avx2", "avx512"})
        if (const HotLoops* loops = hot_loops_named(name)) all.push_back(loops);
    return all;
}

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

KernelSpec spec_of(KernelKind kind, double gamma, double coef0 = 0.0, int degree = 3) {
    KernelSpec spec;
    spec.kind = kind;
    spec.gamma = gamma;
    spec.coef0 = coef0;
    spec.degree = degree;
    return spec;
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

struct Update {
    std::vector<float> row_up, row_low, up_gate, low_gate;
    std::vector<double> gradient;
    double step = 0.25, origin = 0.0;

    // Multiples of 1/8 up to 4: updates are exact and ties are common.
    Update(int count, unsigned seed, double open) {
        std::mt19937 random(seed);
        std::uniform_int_distribution<int> eighths(-32, 32);
        std::uniform_real_distribution<double> uniform;
        for (int i = 0; i < count; ++i) {
            row_up.push_back(eighths(random) / 8.0f);
            row_low.push_back(eighths(random) / 8.0f);
            gradient.push_back(eighths(random) / 8.0);
            up_gate.push_back(uniform(random) < open ? 0.0f : -kInf);
            low_gate.push_back(uniform(random) < open ? 0.0f : kInf);
        }
    }
};

void check_update(const Update& given) {
    const int count = static_cast<int>(given.gradient.size());
    std::vector<double> want = given.gradient;
    double up_value = -std::numeric_limits<double>::infinity(), low_value = -up_value;
    for (int i = 0; i < count; ++i) {
        want[i] -= given.step *
                   (static_cast<double>(given.row_up[i]) - static_cast<double>(given.row_low[i]));
        if (given.up_gate[i] == 0.0f) up_value = std::max(up_value, want[i]);
        if (given.low_gate[i] == 0.0f) low_value = std::min(low_value, want[i]);
    }
    int up = -2, low = -2;
    for (const HotLoops* loops : tables()) {
        std::vector<double> gradient = given.gradient;
        std::vector<float> low_gradient(count, -5.0f);
        const Extremes found = loops->update(
            count, given.row_up.data(), given.row_low.data(), given.step, gradient.data(),
            given.up_gate.data(), given.low_gate.data(), given.origin, low_gradient.data());
        CHECK(gradient == want);
        CHECK(found.up_value == up_value);
        CHECK(found.low_value == low_value);
        int wrong = 0;
        for (int i = 0; i < count; ++i)
            wrong +=
                low_gradient[i] !=
                (given.low_gate[i] == 0.0f ? static_cast<float>(want[i] - given.origin) : kInf);
        CHECK(wrong == 0);
        if (std::isinf(up_value))
            CHECK(found.up == -1);
        else
            CHECK(found.up >= 0 && found.up < count && want[found.up] == up_value &&
                  given.up_gate[found.up] == 0.0f);
        if (std::isinf(low_value))
            CHECK(found.low == -1);
        else
            CHECK(found.low >= 0 && found.low < count && want[found.low] == low_value &&
                  given.low_gate[found.low] == 0.0f);
        // Ties are broken alike everywhere, so a fit does not depend on the instruction set here.
        if (up == -2) up = found.up, low = found.low;
        CHECK(found.up == up && found.low == low);
    }
}

float scalar_gain(float up_value, float up_diagonal, float row, float low_gradient,
                  float diagonal) {
    const float fall = std::max(up_value - low_gradient, 0.0f);
    const float curvature = std::max(up_diagonal + diagonal - 2.0f * row, 1e-12f);
    return fall * fall / curvature;
}

void check_partner(const std::vector<float>& row_up, const std::vector<float>& low_gradient,
                   const std::vector<float>& diagonal, float up_value, float up_diagonal) {
    const int count = static_cast<int>(row_up.size());
    float best = 0.0f;
    for (int i = 0; i < count; ++i)
        best = std::max(
            best, scalar_gain(up_value, up_diagonal, row_up[i], low_gradient[i], diagonal[i]));
    int first = -2;
    for (const HotLoops* loops : tables()) {
        const int found = loops->partner(count, row_up.data(), low_gradient.data(), diagonal.data(),
                                         up_value, up_diagonal);
        if (best == 0.0f) {
            CHECK(found == -1);
            continue;
        }
        CHECK(found >= 0 && found < count);
        if (found < 0 || found >= count) continue;
        CHECK(scalar_gain(up_value, up_diagonal, row_up[found], low_gradient[found],
                          diagonal[found]) == best);
        if (first == -2) first = found;
        CHECK(found == first);
    }
}

}  // namespace

TEST(hot_loops_always_include_the_portable_table) {
    CHECK(hot_loops_named("portable") != nullptr);
    CHECK(hot_loops_named("mmx") == nullptr);
    for (const HotLoops* loops : tables()) {
        CHECK(hot_loops_named(loops->name) == loops);
        CHECK(loops->right_width32 == 2 * loops->right_width64);
    }
    // The chosen table is the last, that is the widest, of those available.
    CHECK(std::strcmp(hot_loops().name, tables().back()->name) == 0);
}

TEST(product32_equals_plain_loops) {
    for (const HotLoops* loops : tables()) {
        check_product<float>(loops->product32, loops->left_width32, loops->right_width32);
        check_product_rounding<float>(loops->product32, loops->left_width32, loops->right_width32);
    }
}

TEST(product64_equals_plain_loops) {
    for (const HotLoops* loops : tables()) {
        check_product<double>(loops->product64, loops->left_width64, loops->right_width64);
        check_product_rounding<double>(loops->product64, loops->left_width64, loops->right_width64);
    }
}

TEST(exp_is_accurate_from_0_down_to_where_it_vanishes) {
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

TEST(exp_of_a_far_row_is_0_and_of_a_rounded_up_exponent_is_1) {
    for (const HotLoops* loops : tables()) {
        std::vector<float> value = {-1e4f, -1e30f, -kInf, 1e-6f, 3.0f, -0.0f};
        const float left = 0.0f;
        const std::vector<float> right(32, 0.0f);
        loops->transform32(spec_of(KernelKind::rbf, 0.5), value.data(), 1, 6, 6, &left,
                           right.data());
        CHECK(value == std::vector<float>({0.0f, 0.0f, 0.0f, 1.0f, 1.0f, 1.0f}));
    }
}

TEST(transforms_equal_plain_functions_at_every_width) {
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

TEST(add_row_adds_at_every_length) {
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

TEST(many_rows_and_doubles_are_added_at_every_length) {
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

TEST(measure_counts_what_lies_close) {
    std::mt19937 random(12);
    std::normal_distribution<double> normal;
    for (const HotLoops* loops : tables())
        for (int count = 0; count <= 70; ++count) {
            std::vector<double> sums(count), distances(count + 1, -3.0);
            for (double& v : sums) v = 2.0 * normal(random);
            if (count > 3) sums[3] = -0.25;  // on the border to the bit
            const Closeness found = loops->measure(count, sums.data(), 0.25, 0.5, distances.data());
            std::int64_t inside = 0, closest = 0;
            for (int i = 0; i < count; ++i) {
                CHECK(distances[i] == std::abs(sums[i] + 0.25));
                inside += distances[i] < 1.0;
                closest += distances[i] < 0.5;
            }
            CHECK(found.inside == inside);
            CHECK(found.closest == closest);
            CHECK(distances[count] == -3.0);
        }
}

TEST(weigh_adds_sums_of_every_length) {
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

TEST(sparse_dots_equal_plain_loops) {
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

TEST(update_equals_plain_loops) {
    unsigned seed = 100;
    for (int count : {0, 16, 32, 48, 64, 80, 112, 128, 144, 320, 1008})
        for (double open : {0.0, 0.02, 0.5, 1.0}) check_update(Update(count, ++seed, open));
}

TEST(update_without_a_step_only_looks) {
    Update given(144, 5, 0.5);
    given.step = 0.0;
    check_update(given);
}

TEST(update_counts_low_gradients_from_the_origin) {
    Update given(144, 9, 0.5);
    given.origin = -1.625;
    check_update(given);
    // A difference far below the grain of float32 at this height still shows.
    for (double& g : given.gradient) g = 4096.0 + g / (1 << 20);
    given.origin = 4096.0;
    given.step = 0.0;
    check_update(given);
}

TEST(update_with_one_side_closed_finds_the_other) {
    Update given(80, 6, 1.0);
    std::fill(given.up_gate.begin(), given.up_gate.end(), -kInf);
    check_update(given);
    std::fill(given.up_gate.begin(), given.up_gate.end(), 0.0f);
    std::fill(given.low_gate.begin(), given.low_gate.end(), kInf);
    check_update(given);
}

TEST(update_finds_extremes_at_both_ends_and_in_every_place) {
    for (int place = 0; place < 80; ++place) {
        Update given(80, 7, 1.0);
        std::fill(given.row_up.begin(), given.row_up.end(), 0.0f);
        std::fill(given.row_low.begin(), given.row_low.end(), 0.0f);
        given.gradient[place] = 50.0;
        given.gradient[79 - place] = place == 79 - place ? 50.0 : -50.0;
        check_update(given);
    }
}

TEST(update_with_all_gradients_tied) {
    Update given(144, 8, 0.3);
    std::fill(given.gradient.begin(), given.gradient.end(), 1.5);
    std::fill(given.row_up.begin(), given.row_up.end(), 0.5f);
    std::fill(given.row_low.begin(), given.row_low.end(), 0.5f);
    check_update(given);
}

TEST(partner_equals_plain_loops) {
    std::mt19937 random(12);
    std::uniform_int_distribution<int> eighths(-16, 16);
    std::uniform_real_distribution<double> uniform;
    for (int count : {16, 48, 64, 80, 144, 320, 1008})
        for (double open : {0.0, 0.05, 0.5, 1.0})
            for (int repeat = 0; repeat < 4; ++repeat) {
                std::vector<float> row_up(count), low_gradient(count), diagonal(count);
                for (int i = 0; i < count; ++i) {
                    row_up[i] = eighths(random) / 16.0f;
                    diagonal[i] = 1.0f + (eighths(random) + 16) / 16.0f;
                    low_gradient[i] = uniform(random) < open ? eighths(random) / 8.0f : kInf;
                }
                check_partner(row_up, low_gradient, diagonal, 1.0f, 1.25f);
                check_partner(row_up, low_gradient, diagonal, -2.0f, 1.25f);
            }
}

TEST(partner_with_ties_flat_pairs_and_no_fall) {
    const int count = 80;
    std::vector<float> row_up(count, 0.25f), low_gradient(count, 0.5f), diagonal(count, 1.0f);
    check_partner(row_up, low_gradient, diagonal, 1.0f, 1.0f);
    check_partner(row_up, low_gradient, diagonal, 0.5f, 1.0f);  // nothing lies below
    for (int place = 0; place < count; ++place) {
        std::vector<float> flat = row_up, lower = low_gradient;
        flat[place] = 1.0f;  // the same row twice: curvature 0
        check_partner(flat, low_gradient, diagonal, 1.0f, 1.0f);
        lower[place] = -1.0f;
        check_partner(row_up, lower, diagonal, 1.0f, 1.0f);
    }
}

TEST(float32_moves_and_partners_equal_plain_loops) {
    std::mt19937 random(5);
    std::uniform_int_distribution<int> eighths(-32, 32), coin(0, 2);
    for (const HotLoops* loops : tables())
        for (int count : {64, 128, 320}) {
            AlignedVector<float> up(count), low(count), gradient(count), up_gate(count),
                low_gate(count), diagonal(count);
            for (int k = 0; k < count; ++k) {
                up[k] = eighths(random) / 8.0f, low[k] = eighths(random) / 8.0f;
                gradient[k] = eighths(random) / 8.0f;
                up_gate[k] = coin(random) ? 0.0f : -kInf;
                low_gate[k] = coin(random) ? 0.0f : kInf;
                diagonal[k] = 4.0f + k % 3;
            }
            AlignedVector<float> moved = gradient;
            float most = -kInf;
            for (int k = 0; k < count; ++k) {
                moved[k] -= 0.5f * (up[k] - low[k]);
                most = std::max(most, moved[k] + up_gate[k]);
            }
            const Extreme found =
                loops->move32(count, up.data(), low.data(), 0.5f, gradient.data(), up_gate.data());
            CHECK(gradient == moved);
            CHECK(found.value == most && moved[found.index] + up_gate[found.index] == most);
            const Partner partner = loops->partner32(count, up.data(), gradient.data(),
                                                     low_gate.data(), diagonal.data(), most, 5.0f);
            float least = kInf, best = 0.0f;
            const auto gain = [&](int k) {
                const float fall = most - (gradient[k] + low_gate[k]);
                const float curvature = std::max(5.0f + diagonal[k] - 2.0f * up[k], 5e-7f);
                return fall > 0.0f ? fall * fall / curvature : 0.0f;
            };
            for (int k = 0; k < count; ++k) {
                least = std::min(least, gradient[k] + low_gate[k]);
                best = std::max(best, gain(k));
            }
            CHECK(partner.low.value == least);
            CHECK(gradient[partner.low.index] + low_gate[partner.low.index] == least);
            CHECK(std::abs(gain(partner.best) - best) <= 1e-6f * best);
        }
}

TEST(float32_passes_with_everything_closed_find_nothing) {
    AlignedVector<float> zeros(64, 0.0f), shut_up(64, -kInf), shut_low(64, kInf);
    for (const HotLoops* loops : tables()) {
        CHECK(loops->move32(64, zeros.data(), zeros.data(), 1.0f, zeros.data(), shut_up.data())
                  .index == -1);
        const Partner none = loops->partner32(64, zeros.data(), zeros.data(), shut_low.data(),
                                              zeros.data(), 1.0f, 1.0f);
        CHECK(none.best == -1 && none.low.index == -1);
    }
}

TEST(many_rows_move_a_gradient_as_by_plain_loops) {
    std::mt19937 random(13);
    std::normal_distribution<float> normal;
    for (const HotLoops* loops : tables())
        for (int count : {64, 192})
            for (int n_rows : {0, 1, 5}) {
                AlignedVector<float> values(count * 5), gradient(count);
                std::vector<float> steps(5);
                for (float& v : values) v = normal(random);
                for (float& v : gradient) v = normal(random);
                for (float& v : steps) v = normal(random);
                std::vector<const float*> rows;
                for (int i = 0; i < 5; ++i) rows.push_back(values.data() + i * count);
                std::vector<double> want(gradient.begin(), gradient.end());
                for (int i = 0; i < n_rows; ++i)
                    for (int k = 0; k < count; ++k)
                        want[k] -= static_cast<double>(steps[i]) * static_cast<double>(rows[i][k]);
                loops->move_rows32(count, rows.data(), steps.data(), n_rows, gradient.data());
                for (int k = 0; k < count; ++k) CHECK_NEAR(gradient[k], want[k], 1e-5);
            }
}

TEST(rows_are_added_and_columns_weighed_as_by_plain_loops) {
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
