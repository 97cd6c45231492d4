// The online machine and its saved state.
#include <nanobind/nanobind.h>

#include "binding/arrays.hpp"
#include "binding/parts.hpp"
#include "binding/watched.hpp"
#include "exclusive.hpp"
#include "solver/input_checks.hpp"
#include "solver/online_machine.hpp"

using namespace nanobind::literals;

namespace rarebit::binding {
namespace {

// One caller at a time.
class Machine {
  public:
    Machine(const Kernel& kernel, const Rows& like, double tolerance, std::size_t cache_bytes)
        : machine_(kernel, like.matrix, tolerance, cache_bytes) {}

    void process(const Rows& rows, Ids order, Ids tags, Reals y, Reals cost, nb::object observer,
                 int threads) {
        const std::size_t n = order.shape(0);
        if (tags.shape(0) != n || y.shape(0) != n || cost.shape(0) != n)
            throw nb::value_error("order, tags, y and cost must have one entry per row");
        check_ids(order, rows.matrix.rows);
        check_targets(y.data(), cost.data(), n);
        const Exclusive::Use use(exclusive_, kName);
        run_watched(observer, threads, [&](Control& control) {
            machine_.process(rows.matrix, copied(order), tags.data(), y.data(), cost.data(),
                             control);
        });
    }
    bool finish(std::int64_t max_steps, nb::object observer, int threads) {
        const Exclusive::Use use(exclusive_, kName);
        bool done = false;
        run_watched(observer, threads,
                    [&](Control& control) { done = machine_.finish(max_steps, control); });
        return done;
    }
    // Row i of `rows` belongs to the i-th entry of the state's arrays.
    void restore(const Rows& rows, nb::dict saved) {
        const auto reals = [&](const char* name) { return field<Reals>(saved, name); };
        const auto ints = [&](const char* name) { return copied(field<Ids>(saved, name)); };
        const Reals y = reals("y"), cost = reals("cost"), alpha = reals("alpha"),
                    gradient = reals("gradient");
        const std::vector<std::int32_t> tags = ints("tags");
        for (std::size_t size : {y.shape(0), cost.shape(0), alpha.shape(0), gradient.shape(0)})
            if (size != tags.size())
                throw nb::value_error(
                    "The arrays of a saved SVM must have one entry for each row that it keeps: "
                    "the state is damaged.");
        OnlineState state;
        state.slots = ints("slots");
        state.closed = ints("closed");
        state.idle = ints("idle");
        state.seen = field<std::int64_t>(saved, "seen");
        for (std::size_t i = 0; i < tags.size(); ++i)
            state.rows.push_back(
                {-1, tags[i], y.data()[i], cost.data()[i], alpha.data()[i], gradient.data()[i]});
        const Exclusive::Use use(exclusive_, kName);
        nb::gil_scoped_release unlock;
        machine_.restore(rows.matrix, std::move(state));
    }
    // Everything needed to continue exactly: one entry per kept row, and the slots.
    nb::dict state() {
        const Exclusive::Use use(exclusive_, kName);
        OnlineState state = machine_.state();
        std::vector<std::int32_t> tags;
        std::vector<double> y, cost, alpha, gradient;
        for (const ActiveRow& row : state.rows) {
            tags.push_back(row.tag);
            y.push_back(row.y);
            cost.push_back(row.cost);
            alpha.push_back(row.alpha);
            gradient.push_back(row.gradient);
        }
        nb::dict saved;
        if (machine_.keeps_rows()) add_rows(state, &saved);
        saved["tags"] = to_numpy(std::move(tags));
        saved["y"] = to_numpy(std::move(y));
        saved["cost"] = to_numpy(std::move(cost));
        saved["alpha"] = to_numpy(std::move(alpha));
        saved["gradient"] = to_numpy(std::move(gradient));
        saved["slots"] = to_numpy(std::move(state.slots));
        saved["closed"] = to_numpy(std::move(state.closed));
        saved["idle"] = to_numpy(std::move(state.idle));
        saved["seen"] = state.seen;
        return saved;
    }
    // Reads one of the machine's figures.
    template <class Read>
    auto read(Read figure) {
        const Exclusive::Use use(exclusive_, kName);
        return figure(machine_.solver());
    }
    std::int64_t garbage() {
        const Exclusive::Use use(exclusive_, kName);
        return machine_.garbage();
    }

  private:
    static constexpr const char* kName = "This online SVM";

    void add_rows(const OnlineState& state, nb::dict* saved) const {
        CopiedRows rows = machine_.copy_rows(state);
        if (!machine_.matrix().sparse()) {
            (*saved)["rows"] =
                to_numpy(std::move(rows.dense),
                         {state.rows.size(), static_cast<std::size_t>(machine_.matrix().columns)});
            return;
        }
        (*saved)["values"] = to_numpy(std::move(rows.values));
        (*saved)["indices"] = to_numpy(std::move(rows.columns));
        (*saved)["offsets"] = to_numpy(std::move(rows.offsets));
    }

    Exclusive exclusive_;
    OnlineMachine machine_;
};

}  // namespace

void bind_online(nb::module_& m) {
    nb::class_<Machine>(m, "OnlineMachine", "Online solver with the rows that it keeps.")
        .def(nb::init<const Kernel&, const Rows&, double, std::size_t>(), "kernel"_a, "like"_a,
             "tolerance"_a, "cache_bytes"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
        .def("process", &Machine::process, "rows"_a, "order"_a, "tags"_a, "y"_a, "cost"_a,
             "observer"_a.none(), "threads"_a = 1)
        .def("finish", &Machine::finish, "max_steps"_a, "observer"_a.none(), "threads"_a = 1)
        .def("restore", &Machine::restore, "rows"_a, "state"_a)
        .def("state", &Machine::state)
        .def_prop_ro(
            "bias",
            [](Machine& k) { return k.read([](const OnlineSolver& s) { return s.bias(); }); })
        .def_prop_ro(
            "objective",
            [](Machine& k) { return k.read([](const OnlineSolver& s) { return s.objective(); }); })
        .def_prop_ro("gap",
                     [](Machine& k) {
                         return k.read([](const OnlineSolver& s) { return s.active().gap(); });
                     })
        .def_prop_ro("steps",
                     [](Machine& k) {
                         return k.read([](const OnlineSolver& s) { return s.active().steps(); });
                     })
        .def_prop_ro(
            "rows_seen",
            [](Machine& k) { return k.read([](const OnlineSolver& s) { return s.rows_seen(); }); })
        .def_prop_ro("size",
                     [](Machine& k) {
                         return k.read([](const OnlineSolver& s) { return s.active().size(); });
                     })
        .def_prop_ro("garbage", &Machine::garbage);
}

}  // namespace rarebit::binding
