// The search on the border of a pool.
#include "active/border.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>

#include "active/state_checks.hpp"
#include "binding/arrays.hpp"
#include "binding/parts.hpp"
#include "binding/watched.hpp"
#include "exclusive.hpp"
#include "solver/input_checks.hpp"

using namespace nanobind::literals;

namespace rarebit::binding {
namespace {

// A search on the border of a pool, in rows and class numbers.
class Border {
  public:
    Border(const Kernel& kernel, const Rows& pool, const std::string& search,
           std::int64_t pool_size, double explore, std::uint64_t seed, double tolerance,
           std::size_t cache_bytes, int threads)
        : rows_(pool.matrix.rows),
          threads_(threads),
          search_(kernel, pool.matrix,
                  options(search, pool_size, explore, seed, tolerance, cache_bytes)) {
        check_training(kernel, pool.matrix);
    }

    void set_classes(Reals costs, nb::object observer) {
        const std::vector<double> values = copied(costs);
        const Exclusive::Use use(exclusive_, kName);
        check_costs(values, search_.log());
        run_watched(observer, threads_,
                    [&](Control& control) { search_.set_classes(values, control); });
    }
    std::int32_t ask() {
        const Exclusive::Use use(exclusive_, kName);
        nb::gil_scoped_release unlock;
        const ThreadScope scope(threads_);
        return search_.ask().row;
    }
    void tell(std::int32_t row, int label) {
        const Exclusive::Use use(exclusive_, kName);
        check(row, label);
        nb::gil_scoped_release unlock;
        const ThreadScope scope(threads_);
        search_.tell(row, label);
    }
    void skip(std::int32_t row) {
        const Exclusive::Use use(exclusive_, kName);
        check(row, 0);
        search_.skip(row);
    }
    void correct(std::int32_t row, int label, nb::object observer) {
        const Exclusive::Use use(exclusive_, kName);
        check(row, label);
        run_watched(observer, threads_,
                    [&](Control& control) { search_.correct(row, label, control); });
    }
    // `codes` has one entry per row, `numbers` the class number of each code, -1 where unknown. No
    // entry of a row is read before the row is asked for.
    std::int32_t run(std::size_t labels, Ids codes, Ids numbers, nb::object observer) {
        const Exclusive::Use use(exclusive_, kName);
        if (static_cast<std::int64_t>(codes.shape(0)) != rows_)
            throw nb::value_error("codes must have one entry per row");
        const std::int32_t known = static_cast<std::int32_t>(numbers.shape(0));
        for (std::int32_t i = 0; i < known; ++i)
            if (numbers.data()[i] < -1 || numbers.data()[i] >= search_.classes())
                throw nb::value_error("class number out of range");
        std::int32_t new_class_row = -1;
        run_watched(observer, threads_, [&](Control& control) {
            new_class_row = search_.run(
                labels,
                [&](std::int32_t row) {
                    const std::int32_t code = codes.data()[row];
                    if (code < 0 || code >= known) throw nb::value_error("code out of range");
                    return numbers.data()[code];
                },
                control);
        });
        return new_class_row;
    }
    void watch(Ids rows) {
        const Exclusive::Use use(exclusive_, kName);
        check_ids(rows, rows_);
        nb::gil_scoped_release unlock;
        const ThreadScope scope(threads_);
        search_.watch(copied(rows));
    }
    nb::ndarray<nb::numpy, double> watched() {
        const Exclusive::Use use(exclusive_, kName);
        std::vector<double> values;
        {
            nb::gil_scoped_release unlock;
            const ThreadScope scope(threads_);
            values = search_.watched();
        }
        const std::size_t m = static_cast<std::size_t>(search_.machines());
        const std::size_t n = m ? values.size() / m : 0;
        return to_numpy(std::move(values), {m, n});
    }
    // Columns of the log from entry `from` on.
    nb::dict log(std::size_t from) {
        const Exclusive::Use use(exclusive_, kName);
        std::vector<Query> queries;
        std::vector<std::int32_t> labels, support;
        const std::size_t classes = static_cast<std::size_t>(std::max(1, search_.classes()));
        for (std::size_t i = from; i < search_.log().size(); ++i) {
            const Entry& entry = search_.log()[i];
            queries.push_back(entry.query);
            labels.push_back(entry.label);
            for (std::size_t k = 0; k < classes; ++k)
                support.push_back(k < entry.support.size() ? entry.support[k] : 0);
        }
        nb::dict columns = query_columns(queries);
        const std::size_t n = labels.size();
        columns["label"] = to_numpy(std::move(labels));
        columns["support"] = to_numpy(std::move(support), {n, classes});
        return columns;
    }
    nb::dict pending() {
        const Exclusive::Use use(exclusive_, kName);
        return query_columns(search_.pending());
    }
    void set_pending(nb::dict columns) {
        const auto rows = field<Ids>(columns, "row"), reasons = field<Ids>(columns, "way"),
                   drawn = field<Ids>(columns, "drawn"), inside = field<Ids>(columns, "inside"),
                   machines = field<Ids>(columns, "machine"),
                   expected = field<Ids>(columns, "expected");
        const auto probability = field<Reals>(columns, "probability"),
                   distance = field<Reals>(columns, "distance");
        for (std::size_t size :
             {reasons.shape(0), drawn.shape(0), inside.shape(0), machines.shape(0),
              expected.shape(0), probability.shape(0), distance.shape(0)})
            if (size != rows.shape(0)) throw nb::value_error("columns must be of one length");
        std::vector<Query> pending;
        for (std::size_t i = 0; i < rows.shape(0); ++i) {
            if (reasons.data()[i] < 0 ||
                reasons.data()[i] > static_cast<int>(QueryReason::random_start))
                throw nb::value_error("reason of a query out of range");
            pending.push_back({rows.data()[i], static_cast<QueryReason>(reasons.data()[i]),
                               probability.data()[i], drawn.data()[i], inside.data()[i],
                               distance.data()[i], machines.data()[i], expected.data()[i]});
        }
        const Exclusive::Use use(exclusive_, kName);
        check_queries(pending, rows_, search_.classes());
        search_.set_pending(pending);
    }
    std::vector<std::uint64_t> random_state() {
        const Exclusive::Use use(exclusive_, kName);
        const Random::State& state = search_.random().state();
        return {state.begin(), state.end()};
    }
    void set_random_state(const std::vector<std::uint64_t>& words) {
        const Exclusive::Use use(exclusive_, kName);
        Random::State state;
        if (words.size() != state.size()) throw nb::value_error("a state has four words");
        std::copy(words.begin(), words.end(), state.begin());
        search_.random() = Random(state);
    }
    Solution solution(int machine) {
        const Exclusive::Use use(exclusive_, kName);
        if (machine < 0 || machine >= search_.machines())
            throw nb::index_error("machine number out of range");
        return search_.machine(machine).solution();
    }
    // Reads one of the search's figures.
    template <class Read>
    auto read(Read figure) {
        const Exclusive::Use use(exclusive_, kName);
        return figure(search_);
    }

  private:
    static constexpr const char* kName = "This border search";

    static BorderOptions options(const std::string& search, std::int64_t pool_size, double explore,
                                 std::uint64_t seed, double tolerance, std::size_t cache_bytes) {
        BorderOptions made;
        if (search == "full")
            made.search = Search::full;
        else if (search == "random")
            made.search = Search::random;
        else if (search != "pool")
            throw nb::value_error("unknown search");
        made.pool_size = pool_size;
        made.explore = explore;
        made.seed = seed;
        made.tolerance = tolerance;
        made.cache_bytes = cache_bytes;
        check_options(made);
        return made;
    }
    static nb::dict query_columns(const std::vector<Query>& queries) {
        std::vector<std::int32_t> rows, reasons, drawn, inside, machines, expected;
        std::vector<double> probability, distance;
        for (const Query& query : queries) {
            rows.push_back(query.row);
            reasons.push_back(static_cast<std::int32_t>(query.reason));
            drawn.push_back(query.drawn);
            inside.push_back(query.inside);
            machines.push_back(query.machine);
            expected.push_back(query.expected);
            probability.push_back(query.probability);
            distance.push_back(query.distance);
        }
        nb::dict columns;
        columns["row"] = to_numpy(std::move(rows));
        columns["way"] = to_numpy(std::move(reasons));
        columns["drawn"] = to_numpy(std::move(drawn));
        columns["inside"] = to_numpy(std::move(inside));
        columns["machine"] = to_numpy(std::move(machines));
        columns["expected"] = to_numpy(std::move(expected));
        columns["probability"] = to_numpy(std::move(probability));
        columns["distance"] = to_numpy(std::move(distance));
        return columns;
    }
    void check(std::int32_t row, int label) const {
        if (row < 0 || row >= rows_) throw nb::index_error("row number out of range");
        if (label < 0 || label >= std::max(1, search_.classes()))
            throw nb::index_error("class number out of range");
    }

    Exclusive exclusive_;
    std::int64_t rows_;
    int threads_;
    BorderSearch search_;
};

}  // namespace

void bind_border(nb::module_& m) {
    nb::class_<Border>(m, "Border", "Asks for rows of a pool and learns their labels.")
        .def(nb::init<const Kernel&, const Rows&, const std::string&, std::int64_t, double,
                      std::uint64_t, double, std::size_t, int>(),
             "kernel"_a, "pool"_a, "search"_a, "pool_size"_a, "explore"_a, "seed"_a, "tolerance"_a,
             "cache_bytes"_a, "threads"_a = 1, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
        .def("set_classes", &Border::set_classes, "costs"_a, "observer"_a.none())
        .def("ask", &Border::ask)
        .def("tell", &Border::tell, "row"_a, "label"_a)
        .def("skip", &Border::skip, "row"_a)
        .def("correct", &Border::correct, "row"_a, "label"_a, "observer"_a.none())
        .def("run", &Border::run, "labels"_a, "codes"_a, "numbers"_a, "observer"_a.none())
        .def("watch", &Border::watch, "rows"_a)
        .def("watched", &Border::watched)
        .def("log", &Border::log, "start"_a = 0)
        .def("pending", &Border::pending)
        .def("set_pending", &Border::set_pending, "columns"_a)
        // Why the row at the end of those that wait was asked for, -1 when none waits: the columns
        // of `pending` would cost a fifth of a question.
        .def_prop_ro(
            "last_way",
            [](Border& b) {
                return b.read([](const BorderSearch& s) {
                    return s.pending().empty() ? -1 : static_cast<int>(s.pending().back().reason);
                });
            })
        .def_prop_rw("random_state", &Border::random_state, &Border::set_random_state)
        .def("solution", &Border::solution, "machine"_a)
        .def_prop_ro(
            "machines",
            [](Border& b) { return b.read([](const BorderSearch& s) { return s.machines(); }); })
        .def_prop_ro(
            "labels",
            [](Border& b) { return b.read([](const BorderSearch& s) { return s.log().size(); }); })
        .def_prop_ro(
            "unseen",
            [](Border& b) { return b.read([](const BorderSearch& s) { return s.unseen(); }); })
        .def_prop_ro("recomputing", [](Border& b) {
            return b.read([](const BorderSearch& s) { return s.recomputing(); });
        });
}

}  // namespace rarebit::binding
