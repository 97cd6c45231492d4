// The loops of solvers, in every table that this machine runs, against plain loops.
#include <algorithm>
#include <cmath>
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
            CHECK((found.up >= 0 && found.up < count && want[found.up] == up_value &&
                   given.up_gate[found.up] == 0.0f));
        if (std::isinf(low_value))
            CHECK(found.low == -1);
        else
            CHECK((found.low >= 0 && found.low < count && want[found.low] == low_value &&
                   given.low_gate[found.low] == 0.0f));
        // Ties are broken alike everywhere, so a fit does not depend on the instruction set here.
        if (up == -2) up = found.up, low = found.low;
        CHECK((found.up == up && found.low == low));
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
        const int found = loops
                              ->partner(count, row_up.data(), low_gradient.data(), diagonal.data(),
                                        up_value, up_diagonal)
                              .index;
        if (best == 0.0f) {
            CHECK(found == -1);
            continue;
        }
        CHECK((found >= 0 && found < count));
        if (found < 0 || found >= count) continue;
        CHECK(scalar_gain(up_value, up_diagonal, row_up[found], low_gradient[found],
                          diagonal[found]) == best);
        if (first == -2) first = found;
        CHECK(found == first);
    }
}

}  // namespace

TEST_CASE("update equals plain loops") {
    unsigned seed = 100;
    for (int count : {0, 16, 32, 48, 64, 80, 112, 128, 144, 320, 1008})
        for (double open : {0.0, 0.02, 0.5, 1.0}) check_update(Update(count, ++seed, open));
}

TEST_CASE("update without a step only looks") {
    Update given(144, 5, 0.5);
    given.step = 0.0;
    check_update(given);
}

TEST_CASE("update counts low gradients from the origin") {
    Update given(144, 9, 0.5);
    given.origin = -1.625;
    check_update(given);
    // A difference far below the grain of float32 at this height still shows.
    for (double& g : given.gradient) g = 4096.0 + g / (1 << 20);
    given.origin = 4096.0;
    given.step = 0.0;
    check_update(given);
}

TEST_CASE("update with one side closed finds the other") {
    Update given(80, 6, 1.0);
    std::fill(given.up_gate.begin(), given.up_gate.end(), -kInf);
    check_update(given);
    std::fill(given.up_gate.begin(), given.up_gate.end(), 0.0f);
    std::fill(given.low_gate.begin(), given.low_gate.end(), kInf);
    check_update(given);
}

TEST_CASE("update finds extremes at both ends and in every place") {
    for (int place = 0; place < 80; ++place) {
        Update given(80, 7, 1.0);
        std::fill(given.row_up.begin(), given.row_up.end(), 0.0f);
        std::fill(given.row_low.begin(), given.row_low.end(), 0.0f);
        given.gradient[place] = 50.0;
        given.gradient[79 - place] = place == 79 - place ? 50.0 : -50.0;
        check_update(given);
    }
}

TEST_CASE("update with all gradients tied") {
    Update given(144, 8, 0.3);
    std::fill(given.gradient.begin(), given.gradient.end(), 1.5);
    std::fill(given.row_up.begin(), given.row_up.end(), 0.5f);
    std::fill(given.row_low.begin(), given.row_low.end(), 0.5f);
    check_update(given);
}

TEST_CASE("partner equals plain loops") {
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

TEST_CASE("partner with ties flat pairs and no fall") {
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

TEST_CASE("float32 moves and partners equal plain loops") {
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
            CHECK((found.value == most && moved[found.index] + up_gate[found.index] == most));
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

TEST_CASE("float32 passes with everything closed find nothing") {
    AlignedVector<float> zeros(64, 0.0f), shut_up(64, -kInf), shut_low(64, kInf);
    for (const HotLoops* loops : tables()) {
        CHECK(loops->move32(64, zeros.data(), zeros.data(), 1.0f, zeros.data(), shut_up.data())
                  .index == -1);
        const Partner none = loops->partner32(64, zeros.data(), zeros.data(), shut_low.data(),
                                              zeros.data(), 1.0f, 1.0f);
        CHECK((none.best == -1 && none.low.index == -1));
    }
}

TEST_CASE("many rows move a gradient as by plain loops") {
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
