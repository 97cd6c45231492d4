// Memory for kernel rows: rows never overlap, and come back after they were given back.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "fixtures.hpp"
#include "kernel/row_pool.hpp"

using namespace rarebit;

namespace {

// Takes and gives back at random; every row carries its number at both ends and must keep it.
void exercise(std::size_t length, int most, int rounds, unsigned seed) {
    RowPool pool(length);
    CHECK(pool.length() == length);
    std::mt19937 random(seed);
    std::vector<std::pair<float*, float>> taken;
    const auto holds = [&](const std::pair<float*, float>& row) {
        return row.first[0] == row.second && row.first[length / 2] == row.second &&
               row.first[length - 1] == row.second;
    };
    for (int round = 0; round < rounds; ++round) {
        const bool take =
            taken.empty() || (static_cast<int>(taken.size()) < most && random() % 5 < 3);
        if (take) {
            float* row = pool.take();
            const float number = static_cast<float>(round + 1);
            row[0] = row[length / 2] = row[length - 1] = number;
            taken.push_back({row, number});
        } else {
            const std::size_t which = random() % taken.size();
            CHECK(holds(taken[which]));
            pool.give_back(taken[which].first);
            taken[which] = taken.back();
            taken.pop_back();
        }
    }
    for (const auto& row : taken) CHECK(holds(row));
    std::sort(taken.begin(), taken.end());
    for (std::size_t i = 1; i < taken.size(); ++i)
        CHECK(taken[i].first >= taken[i - 1].first + length);
    // All back, all out again: nothing was lost and nothing is handed out twice.
    const std::size_t count = taken.size();
    for (const auto& row : taken) pool.give_back(row.first);
    std::vector<float*> again;
    for (std::size_t i = 0; i < count; ++i) again.push_back(pool.take());
    std::sort(again.begin(), again.end());
    for (std::size_t i = 1; i < again.size(); ++i) CHECK(again[i] >= again[i - 1] + length);
}

}  // namespace

TEST_CASE("row pool within one slab") { exercise(64, 100, 2000, 1); }

TEST_CASE("row pool of the shortest rows") { exercise(1, 50, 500, 2); }

TEST_CASE("row pool over many slabs") { exercise(300001, 20, 400, 3); }  // three rows a slab

TEST_CASE("row pool of rows longer than a slab") { exercise(1500000, 5, 60, 4); }

TEST_CASE("row pool first rows of slabs lie on cache lines") {
    for (std::size_t length : {16, 1000, 400000}) {
        RowPool pool(length);
        CHECK(reinterpret_cast<std::uintptr_t>(pool.take()) % 64 == 0);
    }
}

TEST_CASE("row pool reuses a row given back") {
    RowPool pool(64);
    float* first = pool.take();
    float* second = pool.take();
    CHECK(first != second);
    pool.give_back(first);
    CHECK(pool.take() == first);
}

TEST_CASE("row pools that follow each other share their slabs") {
    const auto slabs = std::make_shared<SlabStore>();
    auto old = std::make_unique<RowPool>(1000, slabs);
    float* row = old->take();
    RowPool wider(2000, slabs);
    float* other = wider.take();
    CHECK((other >= row + 1000 || other + 2000 <= row));  // never the same while both are in use
    row[999] = 1.0f;
    other[1999] = 2.0f;
    CHECK(row[999] == 1.0f);
    old.reset();
    RowPool third(500, slabs);
    CHECK(third.take() == row);
    CHECK(other[1999] == 2.0f);
}
