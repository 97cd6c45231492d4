// Numbers from outside that the engine takes, and those that it refuses.
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "active/state_checks.hpp"
#include "exclusive.hpp"
#include "fixtures.hpp"
#include "solver/input_checks.hpp"

using namespace rarebit;
using namespace rarebit_tests;

namespace {

bool refused(const std::function<void()>& check) {
    try {
        check();
        return false;
    } catch (const std::invalid_argument&) {
        return true;
    }
}

OnlineState sound_state() {
    OnlineState state;
    state.rows = {{0, 7, 1.0, 2.0, 0.5, 0.1}, {1, 9, -1.0, 2.0, -0.5, 0.2}};
    state.slots = {0, 2};
    state.closed = {1};
    state.idle = {2};
    return state;
}

bool state_refused(const std::function<void(OnlineState&)>& change) {
    OnlineState state = sound_state();
    change(state);
    return refused([&] { check_online_state(state, 2); });
}

}  // namespace

TEST_CASE("sound states pass and damaged ones do not") {
    CHECK(!state_refused([](OnlineState&) {}));
    CHECK(state_refused([](OnlineState& s) { s.slots[1] = 0; }));
    CHECK(state_refused([](OnlineState& s) { s.slots[1] = 3; }));
    CHECK(state_refused([](OnlineState& s) { s.slots[1] = -1; }));
    CHECK(state_refused([](OnlineState& s) { s.slots.pop_back(); }));
    CHECK(state_refused([](OnlineState& s) { s.closed[0] = 2; }));
    CHECK(state_refused([](OnlineState& s) { s.closed[0] = 1 << 30; }));
    CHECK(state_refused([](OnlineState& s) { s.idle[0] = 1; }));
    CHECK(state_refused([](OnlineState& s) { s.idle[0] = -1; }));
    CHECK(state_refused([](OnlineState& s) { s.rows[0].row = 2; }));
    CHECK(state_refused([](OnlineState& s) { s.rows[0].tag = 9; }));
    CHECK(state_refused([](OnlineState& s) { s.rows[0].y = 0.0; }));
    CHECK(state_refused([](OnlineState& s) { s.rows[0].cost = INFINITY; }));
    CHECK(state_refused([](OnlineState& s) { s.rows[0].alpha = 3.0; }));
    CHECK(state_refused([](OnlineState& s) { s.rows[0].alpha = -0.5; }));
    CHECK(state_refused([](OnlineState& s) { s.rows[0].gradient = NAN; }));
    CHECK(state_refused([](OnlineState& s) { s.seen = -1; }));
}

TEST_CASE("rows must have the layout of the support vectors") {
    Table dense(Storage::dense64, 4, 3, normal_values(4, 3, 1));
    Table wider(Storage::dense64, 4, 5, normal_values(4, 5, 1));
    Table sparse(Storage::csr64, 4, 3, normal_values(4, 3, 1));
    KernelSpec spec;
    spec.kind = KernelKind::rbf;
    const Kernel kernel(spec, std::vector<double>(3, 0.0), false);
    const std::vector<std::int32_t> ids = {0, 3}, beyond = {4}, below = {-1};
    const auto pair = [&](const Table& left, const Table& right,
                          const std::vector<std::int32_t>& rows) {
        return refused(
            [&] { check_pairing(kernel, left.matrix, right.matrix, rows.data(), rows.size()); });
    };
    CHECK(!pair(dense, dense, ids));
    CHECK(pair(dense, dense, beyond));
    CHECK(pair(dense, dense, below));
    CHECK(pair(wider, dense, ids));
    CHECK(pair(wider, wider, ids));  // the centre has three columns
    CHECK(pair(sparse, dense, ids));
    spec.kind = KernelKind::precomputed;
    const Kernel lookup(spec, {}, false);
    CHECK(refused([&] { check_training(lookup, dense.matrix); }));  // four rows, three columns
    CHECK(!refused([&] { check_training(lookup, wider.matrix); }));
    CHECK(refused([&] { check_pairing(lookup, dense.matrix, dense.matrix, ids.data(), 2); }));
}

TEST_CASE("a state of zeros is no random state") {
    CHECK(refused([] { Random random(Random::State{0, 0, 0, 0}); }));
    CHECK(!refused([] { Random random(Random::State{0, 0, 1, 0}); }));
}

TEST_CASE("an object in use refuses a second caller") {
    Exclusive exclusive;
    const auto second = [&] {
        try {
            const Exclusive::Use use(exclusive, "It");
            return false;
        } catch (const InUse&) {
            return true;
        }
    };
    {
        const Exclusive::Use use(exclusive, "It");
        CHECK(second());
    }
    CHECK(!second());
}
