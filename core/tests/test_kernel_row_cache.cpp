// The cache of kernel rows: whatever was held, dropped or added, a row found has the right values.
#include <random>
#include <vector>

#include "fixtures.hpp"
#include "kernel/kernel_row_cache.hpp"

using namespace rarebit;
using namespace rarebit_tests;

namespace {

struct Rows {
    Table table;
    Kernel kernel;
    DirectProvider provider;
    std::vector<double> gram;

    explicit Rows(int n)
        : table(Storage::dense32, n, 4, normal_values(n, 4, 3)),
          kernel(spec_of(KernelKind::rbf, 0.3), table.matrix),
          provider(kernel, table.matrix),
          gram(engine_gram(kernel, table)) {}

    float value(int i, int j) const {
        return static_cast<float>(gram[static_cast<std::size_t>(i) * table.rows() + j]);
    }
};

// Row i of the table lives in slot i.
void check_row(const Rows& rows, const KernelRowCache& cache, int slot, const float* found) {
    CHECK(found != nullptr);
    if (!found) return;
    int wrong = 0;
    for (int other = 0; other < cache.slots(); ++other)
        wrong += found[other] != rows.value(slot, other);
    CHECK(wrong == 0);
    for (int behind = cache.slots(); behind < cache.padded(); ++behind)
        CHECK(found[behind] == 0.0f);
}

std::vector<int> opened(KernelRowCache& cache, int count) {
    std::vector<int> slots;
    for (int i = 0; i < count; ++i) {
        slots.push_back(cache.open_slot());
        cache.assign(slots.back(), slots.back());
    }
    return slots;
}

}  // namespace

TEST_CASE("kernel row cache finds the right values through any history") {
    const Rows rows(700);
    for (std::size_t bytes : {std::size_t(1), std::size_t(40) * 320 * 4, std::size_t(64) << 20}) {
        Rows at(700);
        KernelRowCache cache(at.provider, bytes);
        Control control;
        std::mt19937 random(4);
        while (cache.slots() < 700) {
            const int count = 1 + static_cast<int>(random() % 35);
            if (cache.slots() + count > 700) break;
            if (random() % 3 == 0) {
                const int slot = opened(cache, 1)[0];
                std::vector<float> known;
                for (int other = 0; other <= slot; ++other)
                    known.push_back(rows.value(slot, other));
                cache.add_known(slot, known.data());
            } else {
                cache.add(opened(cache, count), random() % 2 == 0, control, Progress());
            }
            for (int look = 0; look < 6; ++look) {
                const int slot = static_cast<int>(random() % cache.slots());
                const float* found = cache.find(slot);
                CHECK((found != nullptr) == cache.holds(slot));
                check_row(rows, cache, slot, found ? found : cache.fetch({slot}, -1));
                cache.tick();
            }
        }
        CHECK(cache.slots() > 600);
    }
}

TEST_CASE("kernel row cache keeps the pinned row and drops the one not used for longest") {
    Rows rows(200);
    KernelRowCache cache(rows.provider, 1);  // the least it holds is four rows
    Control control;
    cache.add(opened(cache, 200), false, control, Progress());
    for (int slot : {0, 1, 2, 3}) {
        cache.fetch({slot}, -1);
        cache.tick();
    }
    cache.find(0);
    cache.tick();
    cache.fetch({4}, 2);
    CHECK((cache.holds(0) && !cache.holds(1) && cache.holds(2) && cache.holds(4)));
    cache.drop(4);
    CHECK(!cache.holds(4));
    CHECK(cache.find(4) == nullptr);
}

TEST_CASE("kernel row cache stops when told") {
    Rows rows(300);
    KernelRowCache cache(rows.provider, std::size_t(64) << 20);
    Control control;
    control.stop();
    cache.add(opened(cache, 300), true, control, Progress());
    int held = 0;
    for (int slot = 0; slot < 300; ++slot) held += cache.holds(slot);
    CHECK(held < 300);
}
