// Random numbers and draws of unseen rows.
#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "active/unseen_rows.hpp"
#include "fixtures.hpp"

using namespace rarebit;

namespace {

// Largest deviation of counts from equal shares, in standard deviations.
double unevenness(const std::vector<int>& counts, double expected) {
    double worst = 0.0;
    for (int count : counts)
        worst = std::max(worst, std::abs(count - expected) / std::sqrt(expected));
    return worst;
}

}  // namespace

TEST_CASE("random numbers are even and repeatable") {
    Random random(7), again(7), other(8);
    std::vector<int> counts(10, 0);
    double sum = 0.0;
    bool same = true, differs = false;
    for (int i = 0; i < 20000; ++i) {
        const std::int64_t drawn = random.below(10);
        same = same && drawn == again.below(10);
        differs = differs || drawn != other.below(10);
        ++counts[drawn];
    }
    CHECK(same);
    CHECK(differs);
    CHECK(unevenness(counts, 2000.0) < 4.5);
    for (int i = 0; i < 20000; ++i) sum += random.uniform();
    CHECK_NEAR(sum / 20000, 0.5, 0.01);
    Random resumed(random.state());
    CHECK(resumed.next() == random.next());
}

TEST_CASE("draws are different unseen rows") {
    Random random(1);
    UnseenRows unseen(1000);
    for (int row = 0; row < 1000; row += 3) unseen.take(row);
    const std::vector<std::int32_t> drawn = unseen.draw(100, &random);
    const std::set<std::int32_t> different(drawn.begin(), drawn.end());
    CHECK(different.size() == 100);
    for (std::int32_t row : drawn) CHECK(row % 3 != 0);
    CHECK(unseen.left() == 666);
}

TEST_CASE("draws are even while many rows are left and when few are") {
    for (int taken : {0, 300, 360}) {
        Random random(2);
        UnseenRows unseen(400);
        for (int row = 0; row < taken; ++row) unseen.take(row);
        std::vector<int> counts(400 - taken, 0);
        for (int i = 0; i < 4000; ++i)
            for (std::int32_t row : unseen.draw(10, &random)) ++counts[row - taken];
        CHECK(unevenness(counts, 4000.0 * 10 / (400 - taken)) < 4.5);
    }
}

TEST_CASE("rows taken after the list was made are not drawn") {
    Random random(3);
    UnseenRows unseen(200);
    for (int row = 0; row < 180; ++row) unseen.take(row);
    unseen.draw(5, &random);
    std::set<std::int32_t> left = {180, 185, 190, 199};
    for (int row = 180; row < 200; ++row)
        if (left.count(row) == 0) unseen.take(row);
    for (int i = 0; i < 50; ++i)
        for (std::int32_t row : unseen.draw(2, &random)) CHECK(left.count(row) == 1);
    const std::vector<std::int32_t> all = unseen.draw(9, &random);
    CHECK(std::set<std::int32_t>(all.begin(), all.end()) == left);
    unseen.give_back(5);
    CHECK(unseen.left() == 5);
    CHECK(unseen.draw(5, &random)[0] == 5);
    for (int row = 0; row < 200; ++row) unseen.take(row);
    CHECK(unseen.left() == 0);
    CHECK(unseen.draw(1, &random).empty());
}
