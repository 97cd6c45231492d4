// The only file of the engine that knows Python. Long calls run without the interpreter's lock.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "anchored.hpp"
#include "batch.hpp"
#include "border.hpp"
#include "dense_dual.hpp"
#include "expansion_store.hpp"
#include "gram.hpp"
#include "neighbour_tree.hpp"
#include "online.hpp"
#include "pruning.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace rarebit;

namespace {

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ids = Vector<std::int32_t>;
using Reals = Vector<double>;
using DenseInput = nb::ndarray<nb::ndim<2>, nb::c_contig, nb::device::cpu, nb::ro>;
using AnyVector = nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu, nb::ro>;

template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T> values, std::vector<std::size_t> shape) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T>(kept->data(), shape.size(), shape.data(), owner);
}
template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T> values) {
    const std::size_t n = values.size();
    return to_numpy(std::move(values), {n});
}

// The caller's rows, held for as long as anything looks at them.
struct Rows {
    Matrix matrix;
    nb::object values, indices, offsets;
};

Rows dense_rows(DenseInput x, nb::object owner) {
    Rows rows;
    if (x.dtype() == nb::dtype<float>())
        rows.matrix.storage = Storage::dense32;
    else if (x.dtype() == nb::dtype<double>())
        rows.matrix.storage = Storage::dense64;
    else
        throw nb::type_error("dense rows must be float32 or float64");
    rows.matrix.rows = static_cast<std::int64_t>(x.shape(0));
    rows.matrix.columns = static_cast<std::int64_t>(x.shape(1));
    rows.matrix.values = x.data();
    rows.values = std::move(owner);
    return rows;
}

Rows csr_rows(nb::object values, nb::object indices, nb::object offsets, std::int64_t columns) {
    const auto v = nb::cast<AnyVector>(values);
    const auto i = nb::cast<AnyVector>(indices);
    const auto o = nb::cast<AnyVector>(offsets);
    Rows rows;
    if (v.dtype() == nb::dtype<float>())
        rows.matrix.storage = Storage::csr32;
    else if (v.dtype() == nb::dtype<double>())
        rows.matrix.storage = Storage::csr64;
    else
        throw nb::type_error("CSR values must be float32 or float64");
    if (i.dtype() != o.dtype()) throw nb::type_error("CSR indices and offsets must share a type");
    if (i.dtype() == nb::dtype<std::int64_t>())
        rows.matrix.wide_indices = true;
    else if (i.dtype() != nb::dtype<std::int32_t>())
        throw nb::type_error("CSR indices must be int32 or int64");
    if (o.shape(0) < 1) throw nb::value_error("CSR offsets must hold one more entry than rows");
    rows.matrix.rows = static_cast<std::int64_t>(o.shape(0)) - 1;
    rows.matrix.columns = columns;
    rows.matrix.values = v.data();
    rows.matrix.indices = i.data();
    rows.matrix.offsets = o.data();
    rows.values = std::move(values);
    rows.indices = std::move(indices);
    rows.offsets = std::move(offsets);
    return rows;
}

KernelSpec make_spec(const std::string& name, double gamma, double coef0, int degree) {
    KernelSpec spec;
    if (name == "linear")
        spec.kind = KernelKind::linear;
    else if (name == "rbf")
        spec.kind = KernelKind::rbf;
    else if (name == "poly")
        spec.kind = KernelKind::poly;
    else if (name == "sigmoid")
        spec.kind = KernelKind::sigmoid;
    else if (name == "precomputed")
        spec.kind = KernelKind::precomputed;
    else
        throw nb::value_error("unknown kernel");
    spec.gamma = gamma;
    spec.coef0 = coef0;
    spec.degree = degree;
    return spec;
}

// Runs long work without the lock. About ten times a second it takes the lock to look for Ctrl-C
// and to call the observer; an exception there ends the work and is raised when it has ended.
template <class Work>
void run_watched(nb::object observer, Work work) {
    std::exception_ptr raised;
    Control control([&](const Progress& p) {
        nb::gil_scoped_acquire lock;
        try {
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            if (!observer.is_none()) observer(p.steps, p.gap, p.rows, p.active);
            return true;
        } catch (...) {
            raised = std::current_exception();
            return false;
        }
    });
    {
        nb::gil_scoped_release unlock;
        work(control);
    }
    if (raised) std::rethrow_exception(raised);
}

void check_ids(const Ids& ids, const Matrix& matrix) {
    for (std::size_t i = 0; i < ids.shape(0); ++i)
        if (ids.data()[i] < 0 || ids.data()[i] >= matrix.rows)
            throw nb::index_error("row number out of range");
}

struct Solved {
    BatchSolution solution;
};

Solved solve(Source& source, std::optional<Ids> ids, Reals y, Reals cost,
             std::optional<Reals> start, double tolerance, std::int64_t max_steps,
             std::size_t cache_bytes, nb::object observer) {
    BatchProblem problem;
    const std::size_t n = y.shape(0);
    if (cost.shape(0) != n || (start && start->shape(0) != n) || (ids && ids->shape(0) != n))
        throw nb::value_error("ids, y, cost and start must have one entry a row");
    if (!ids && n != static_cast<std::size_t>(source.matrix().rows))
        throw nb::value_error("y must have one entry a row");
    if (ids) check_ids(*ids, source.matrix());
    problem.rows.resize(n);
    for (std::size_t i = 0; i < n; ++i)
        problem.rows[i] = ids ? ids->data()[i] : static_cast<std::int32_t>(i);
    problem.y.assign(y.data(), y.data() + n);
    problem.cost.assign(cost.data(), cost.data() + n);
    if (start) problem.start.assign(start->data(), start->data() + n);
    const BatchOptions options{tolerance, max_steps, cache_bytes};
    Solved solved;
    run_watched(observer, [&](Control& control) {
        solved.solution = solve_batch(source, problem, options, control);
    });
    return solved;
}

// Machine m has the entries offsets[m] .. offsets[m + 1] of ids, y, cost, margins and alpha.
nb::dict solve_many(Source& source, Ids ids, Vector<std::int64_t> offsets, Reals y, Reals cost,
                    std::optional<Reals> margins, std::optional<Reals> start, double tolerance,
                    std::int64_t max_steps, std::size_t cache_bytes, nb::object observer) {
    const std::size_t entries = ids.shape(0);
    if (y.shape(0) != entries || cost.shape(0) != entries ||
        (margins && margins->shape(0) != entries) || (start && start->shape(0) != entries))
        throw nb::value_error("ids, y, cost, margins and start must have one entry a row");
    const std::size_t count = offsets.shape(0);
    if (count < 1 || offsets.data()[0] != 0 ||
        offsets.data()[count - 1] != static_cast<std::int64_t>(entries) ||
        !std::is_sorted(offsets.data(), offsets.data() + count))
        throw nb::value_error("offsets must rise from 0 to the number of entries");
    check_ids(ids, source.matrix());
    const BatchOptions options{tolerance, max_steps, cache_bytes};
    std::vector<double> alpha(entries), bias, gap, objective;
    std::vector<std::int64_t> steps;
    std::vector<std::uint8_t> converged;
    run_watched(observer, [&](Control& control) {
        DenseDual dense(source);
        for (std::size_t m = 0; m + 1 < count && !control.stopped(); ++m) {
            const std::int64_t from = offsets.data()[m], to = offsets.data()[m + 1];
            BatchProblem problem;
            problem.rows.assign(ids.data() + from, ids.data() + to);
            problem.y.assign(y.data() + from, y.data() + to);
            problem.cost.assign(cost.data() + from, cost.data() + to);
            if (start) problem.start.assign(start->data() + from, start->data() + to);
            std::vector<double> guesses;
            if (margins) guesses.assign(margins->data() + from, margins->data() + to);
            const BatchSolution solution = DenseDual::takes(problem.rows.size(), options)
                                               ? dense.solve(problem, guesses, options, control)
                                               : solve_batch(source, problem, options, control);
            std::copy(solution.alpha.begin(), solution.alpha.end(), alpha.begin() + from);
            bias.push_back(solution.bias);
            gap.push_back(solution.gap);
            objective.push_back(solution.objective);
            steps.push_back(solution.steps);
            converged.push_back(solution.converged);
        }
    });
    nb::dict solved;
    solved["alpha"] = to_numpy(std::move(alpha));
    solved["bias"] = to_numpy(std::move(bias));
    solved["gap"] = to_numpy(std::move(gap));
    solved["objective"] = to_numpy(std::move(objective));
    solved["steps"] = to_numpy(std::move(steps));
    solved["converged"] = to_numpy(std::move(converged));
    return solved;
}

// A path of machines, each without one more of the majority's support vectors of `alpha`.
nb::dict prune_path(Source& source, Reals y, Reals cost, Reals alpha, double minority,
                    bool floating, int most, double tolerance, nb::object observer) {
    const std::size_t n = y.shape(0);
    if (cost.shape(0) != n || alpha.shape(0) != n ||
        n != static_cast<std::size_t>(source.matrix().rows))
        throw nb::value_error("y, cost and alpha must have one entry a row");
    BatchProblem problem;
    for (std::size_t i = 0; i < n; ++i) problem.rows.push_back(static_cast<std::int32_t>(i));
    problem.y.assign(y.data(), y.data() + n);
    problem.cost.assign(cost.data(), cost.data() + n);
    problem.start.assign(alpha.data(), alpha.data() + n);
    BatchOptions options;
    options.tolerance = tolerance;
    PrunePath path;
    run_watched(observer, [&](Control& control) {
        path = prune(source, problem, minority, floating, most, options, control);
    });
    const std::size_t points = path.points.size(), members = path.members.size();
    std::vector<double> alphas, bias, right, wrong;
    std::vector<std::int32_t> removed;
    for (const PrunePoint& point : path.points) {
        alphas.insert(alphas.end(), point.alpha.begin(), point.alpha.end());
        bias.push_back(point.bias);
        right.push_back(point.minority_right);
        wrong.push_back(point.majority_wrong);
        removed.push_back(point.removed);
    }
    nb::dict result;
    result["members"] =
        to_numpy(std::vector<std::int32_t>(path.members.begin(), path.members.end()));
    result["alpha"] = to_numpy(std::move(alphas), {points, members});
    result["bias"] = to_numpy(std::move(bias));
    result["minority_right"] = to_numpy(std::move(right));
    result["majority_wrong"] = to_numpy(std::move(wrong));
    result["removed"] = to_numpy(std::move(removed));
    result["trials"] = path.trials;
    result["steps"] = path.steps;
    return result;
}

nb::ndarray<nb::numpy, double> decide(
    const Kernel& kernel, const Rows& left, const Rows& right, Ids columns,
    nb::ndarray<const double, nb::ndim<2>, nb::c_contig> coefficients, nb::object observer) {
    const int machines = static_cast<int>(coefficients.shape(0));
    const std::int64_t n = left.matrix.rows;
    if (coefficients.shape(1) != columns.shape(0))
        throw nb::value_error("coefficients must have one column a kept row");
    std::vector<double> out(static_cast<std::size_t>(n) * machines, 0.0);
    const std::vector<std::int32_t> ids(columns.data(), columns.data() + columns.shape(0));
    run_watched(observer, [&](Control& control) {
        Operand operand(kernel, right.matrix);
        operand.assign(ids);
        constexpr std::int64_t rows_at_once = 1536;
        for (std::int64_t from = 0; from < n; from += rows_at_once) {
            const int count = static_cast<int>(std::min(rows_at_once, n - from));
            kernel.accumulate({&left.matrix, nullptr, from, count}, operand, coefficients.data(),
                              machines, out.data() + from * machines);
            if (control.poll({0, 0.0, from + count, 0})) return;
        }
    });
    return to_numpy(std::move(out),
                    {static_cast<std::size_t>(n), static_cast<std::size_t>(machines)});
}

nb::ndarray<nb::numpy, float> block_of(Source& source, Ids rows, Ids columns) {
    check_ids(rows, source.matrix());
    check_ids(columns, source.matrix());
    std::vector<float> out(rows.shape(0) * columns.shape(0));
    std::vector<float*> pointers;
    for (std::size_t i = 0; i < rows.shape(0); ++i)
        pointers.push_back(out.data() + i * columns.shape(0));
    Operand right = source.operand();
    right.assign(std::vector<std::int32_t>(columns.data(), columns.data() + columns.shape(0)));
    {
        nb::gil_scoped_release unlock;
        source.compute(rows.data(), static_cast<int>(rows.shape(0)), right, pointers.data());
    }
    return to_numpy(std::move(out), {rows.shape(0), columns.shape(0)});
}

// An online machine with the rows that it keeps.
class Machine {
  public:
    Machine(const Kernel& kernel, const Rows& like, double tolerance, std::size_t cache_bytes)
        : store_(like.matrix),
          external_(kernel.spec().kind == KernelKind::precomputed),
          source_(kernel, external_ ? like.matrix : store_.matrix()),
          solver_(
              source_, tolerance, cache_bytes,
              [this](const Matrix& from, std::int64_t row) {
                  return external_ ? static_cast<std::int32_t>(row) : store_.add(from, row);
              },
              [this](std::int32_t row) {
                  if (!external_) store_.remove(row);
              }) {}

    void process(const Rows& rows, Ids order, Ids tags, Reals y, Reals cost, nb::object observer) {
        const std::size_t n = order.shape(0);
        if (tags.shape(0) != n || y.shape(0) != n || cost.shape(0) != n)
            throw nb::value_error("order, tags, y and cost must have one entry a row");
        check_ids(order, rows.matrix);
        run_watched(observer, [&](Control& control) {
            solver_.process({&rows.matrix, order.data(), 0, static_cast<int>(n)}, tags.data(),
                            y.data(), cost.data(), control);
        });
    }
    bool finish(std::int64_t max_steps, nb::object observer) {
        bool done = false;
        run_watched(observer, [&](Control& control) { done = solver_.finish(max_steps, control); });
        return done;
    }
    // Row i of `rows` belongs to the i-th entry of the state's arrays.
    void restore(const Rows& rows, nb::dict saved) {
        const auto reals = [&](const char* name) { return nb::cast<Reals>(saved[name]); };
        const auto ints = [&](const char* name) {
            const auto values = nb::cast<Ids>(saved[name]);
            return std::vector<std::int32_t>(values.data(), values.data() + values.shape(0));
        };
        const Reals y = reals("y"), cost = reals("cost"), alpha = reals("alpha"),
                    gradient = reals("gradient");
        const std::vector<std::int32_t> tags = ints("tags");
        OnlineState state;
        state.slots = ints("slots");
        state.closed = ints("closed");
        state.idle = ints("idle");
        state.seen = nb::cast<std::int64_t>(saved["seen"]);
        for (std::size_t i = 0; i < tags.size(); ++i)
            state.rows.push_back({static_cast<std::int32_t>(external_ ? tags[i] : i), tags[i],
                                  y.data()[i], cost.data()[i], alpha.data()[i],
                                  gradient.data()[i]});
        nb::gil_scoped_release unlock;
        solver_.restore(rows.matrix, state);
    }
    // Everything needed to go on exactly: one entry a kept row, and the slots.
    nb::dict state() const {
        OnlineState state = solver_.state();
        std::vector<std::int32_t> tags, rows;
        std::vector<double> y, cost, alpha, gradient;
        for (const ActiveRow& row : state.rows) {
            rows.push_back(row.row);
            tags.push_back(row.tag);
            y.push_back(row.y);
            cost.push_back(row.cost);
            alpha.push_back(row.alpha);
            gradient.push_back(row.gradient);
        }
        nb::dict saved;
        if (!external_) add_rows(rows, &saved);
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
    const OnlineSolver& solver() const { return solver_; }
    std::int64_t garbage() const { return store_.garbage(); }

  private:
    void add_rows(const std::vector<std::int32_t>& rows, nb::dict* state) const {
        const Matrix& matrix = store_.matrix();
        if (!matrix.sparse()) {
            std::vector<double> values;
            values.reserve(rows.size() * matrix.columns);
            for (std::int32_t row : rows)
                for (std::int64_t k = 0; k < matrix.columns; ++k)
                    values.push_back(matrix.dense_value(row, k));
            (*state)["rows"] = to_numpy(std::move(values),
                                        {rows.size(), static_cast<std::size_t>(matrix.columns)});
            return;
        }
        std::vector<double> values;
        std::vector<std::int64_t> columns, offsets = {0};
        SparseRow<double> entries;
        for (std::int32_t row : rows) {
            entries.read(matrix, row);
            values.insert(values.end(), entries.values.begin(), entries.values.end());
            columns.insert(columns.end(), entries.columns.begin(), entries.columns.end());
            offsets.push_back(static_cast<std::int64_t>(columns.size()));
        }
        (*state)["values"] = to_numpy(std::move(values));
        (*state)["indices"] = to_numpy(std::move(columns));
        (*state)["offsets"] = to_numpy(std::move(offsets));
    }

    ExpansionStore store_;
    bool external_;
    DirectSource source_;
    OnlineSolver solver_;
};

// A search on the border of a pool, in rows and class numbers.
class Border {
  public:
    Border(const Kernel& kernel, const Rows& pool, const std::string& search,
           std::int64_t pool_size, double explore, std::uint64_t seed, double tolerance,
           std::size_t cache_bytes)
        : rows_(pool.matrix.rows),
          search_(kernel, pool.matrix,
                  options(search, pool_size, explore, seed, tolerance, cache_bytes)) {}

    void set_classes(Reals costs, nb::object observer) {
        const std::vector<double> values(costs.data(), costs.data() + costs.shape(0));
        run_watched(observer, [&](Control& control) { search_.set_classes(values, control); });
    }
    std::int32_t ask() {
        nb::gil_scoped_release unlock;
        return search_.ask().row;
    }
    void tell(std::int32_t row, int label) {
        check(row, label);
        nb::gil_scoped_release unlock;
        search_.tell(row, label);
    }
    void skip(std::int32_t row) {
        check(row, 0);
        search_.skip(row);
    }
    void correct(std::int32_t row, int label, nb::object observer) {
        check(row, label);
        run_watched(observer, [&](Control& control) { search_.correct(row, label, control); });
    }
    // `codes` has an entry a row, `numbers` the class number of each code, -1 where unknown. No
    // entry of a row is read before the row is asked for.
    std::int32_t run(std::size_t labels, Ids codes, Ids numbers, nb::object observer) {
        if (static_cast<std::int64_t>(codes.shape(0)) != rows_)
            throw nb::value_error("codes must have one entry a row");
        std::int32_t stranger = -1;
        run_watched(observer, [&](Control& control) {
            stranger = search_.run(
                labels, [&](std::int32_t row) { return numbers.data()[codes.data()[row]]; },
                control);
        });
        return stranger;
    }
    void watch(Ids rows) {
        nb::gil_scoped_release unlock;
        search_.watch(std::vector<std::int32_t>(rows.data(), rows.data() + rows.shape(0)));
    }
    nb::ndarray<nb::numpy, double> watched() {
        std::vector<double> values;
        {
            nb::gil_scoped_release unlock;
            values = search_.watched();
        }
        const std::size_t m = static_cast<std::size_t>(search_.machines());
        const std::size_t n = m ? values.size() / m : 0;
        return to_numpy(std::move(values), {m, n});
    }
    // Columns of the log from entry `from` on.
    nb::dict log(std::size_t from) const {
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
    nb::dict pending() const { return query_columns(search_.pending()); }
    void set_pending(nb::dict columns) {
        const auto rows = nb::cast<Ids>(columns["row"]), ways = nb::cast<Ids>(columns["way"]),
                   drawn = nb::cast<Ids>(columns["drawn"]),
                   inside = nb::cast<Ids>(columns["inside"]),
                   machines = nb::cast<Ids>(columns["machine"]),
                   expected = nb::cast<Ids>(columns["expected"]);
        const auto probability = nb::cast<Reals>(columns["probability"]),
                   distance = nb::cast<Reals>(columns["distance"]);
        std::vector<Query> pending;
        for (std::size_t i = 0; i < rows.shape(0); ++i) {
            check(rows.data()[i], 0);
            pending.push_back({rows.data()[i], static_cast<Way>(ways.data()[i]),
                               probability.data()[i], drawn.data()[i], inside.data()[i],
                               distance.data()[i], machines.data()[i], expected.data()[i]});
        }
        search_.set_pending(pending);
    }
    std::vector<std::uint64_t> random_state() {
        const Random::State& state = search_.random().state();
        return {state.begin(), state.end()};
    }
    void set_random_state(const std::vector<std::uint64_t>& words) {
        Random::State state;
        if (words.size() != state.size()) throw nb::value_error("a state has four words");
        std::copy(words.begin(), words.end(), state.begin());
        search_.random() = Random(state);
    }
    // Rows and coefficients of a machine.
    nb::tuple expansion(int machine) const {
        const ActiveSet& active = search_.machine(machine).active();
        std::vector<std::int32_t> rows;
        std::vector<double> alpha;
        for (int slot = 0; slot < active.slots(); ++slot) {
            if (!active.open(slot) || active.alpha(slot) == 0.0) continue;
            rows.push_back(active.row(slot));
            alpha.push_back(active.alpha(slot));
        }
        return nb::make_tuple(to_numpy(std::move(rows)), to_numpy(std::move(alpha)),
                              search_.machine(machine).bias());
    }
    const BorderSearch& search() const { return search_; }

  private:
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
        return made;
    }
    static nb::dict query_columns(const std::vector<Query>& queries) {
        std::vector<std::int32_t> rows, ways, drawn, inside, machines, expected;
        std::vector<double> probability, distance;
        for (const Query& query : queries) {
            rows.push_back(query.row);
            ways.push_back(static_cast<std::int32_t>(query.way));
            drawn.push_back(query.drawn);
            inside.push_back(query.inside);
            machines.push_back(query.machine);
            expected.push_back(query.expected);
            probability.push_back(query.probability);
            distance.push_back(query.distance);
        }
        nb::dict columns;
        columns["row"] = to_numpy(std::move(rows));
        columns["way"] = to_numpy(std::move(ways));
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

    std::int64_t rows_;
    BorderSearch search_;
};

// Points of a pool by distance. Arrays have one entry a point unless they say otherwise.
template <class Real>
class Neighbours {
  public:
    // Columns are read as (half a value - half_low) * factor.
    Neighbours(nb::ndarray<const Real, nb::ndim<2>, nb::c_contig, nb::device::cpu> rows,
               std::optional<Reals> half_low, std::optional<Reals> factor)
        : tree_([&] {
              if (half_low.has_value() != factor.has_value())
                  throw nb::value_error("half_low and factor go together");
              if (factor &&
                  (factor->shape(0) != rows.shape(1) || half_low->shape(0) != rows.shape(1)))
                  throw nb::value_error("half_low and factor must have one entry a column");
              nb::gil_scoped_release unlock;
              return NeighbourTree<Real>({rows.data(), static_cast<std::int64_t>(rows.shape(0)),
                                          static_cast<std::int64_t>(rows.shape(1)),
                                          half_low ? half_low->data() : nullptr,
                                          factor ? factor->data() : nullptr});
          }()) {}

    static void bind(nb::module_& m, const char* name) {
        nb::class_<Neighbours>(m, name, "Distinct rows of a pool, their distances and counts.")
            .def(nb::init<nb::ndarray<const Real, nb::ndim<2>, nb::c_contig, nb::device::cpu>,
                          std::optional<Reals>, std::optional<Reals>>(),
                 "rows"_a.noconvert(), "half_low"_a = nb::none(), "factor"_a = nb::none())
            .def_prop_ro("n_points", [](const Neighbours& k) { return k.tree_.points(); })
            .def_prop_ro("point_of_row", &Neighbours::point_of_row, nb::rv_policy::automatic)
            .def("within", &Neighbours::within, "point"_a, "limit"_a)
            .def("distances_from", &Neighbours::distances_from, "point"_a)
            .def("kth_points", &Neighbours::kth_points, "ks"_a, "most_leaves"_a)
            .def("count_within", &Neighbours::count_within, "limits"_a)
            .def("smallest_radii", &Neighbours::smallest_radii, "ks"_a)
            .def("steepest", &Neighbours::steepest, "counts"_a, "limit"_a, "open"_a);
    }

    nb::ndarray<nb::numpy, std::int32_t> point_of_row() const {
        return to_numpy(std::vector<std::int32_t>(tree_.point_of_row()));
    }
    nb::ndarray<nb::numpy, std::int32_t> within(std::int32_t point, double limit) const {
        check_point(point);
        return to_numpy(tree_.within(point, limit));
    }
    nb::ndarray<nb::numpy, double> distances_from(std::int32_t point) const {
        check_point(point);
        std::vector<double> out(n());
        {
            nb::gil_scoped_release unlock;
            tree_.distances_from(point, out.data());
        }
        return to_numpy(std::move(out));
    }
    nb::ndarray<nb::numpy, double> kth_points(const std::vector<std::int64_t>& ks,
                                              int most_leaves) const {
        if (!std::is_sorted(ks.begin(), ks.end()))
            throw nb::value_error("ks must be in rising order");
        if (!ks.empty() && (ks.front() < 1 || ks.back() > tree_.points()))
            throw nb::value_error("each k must be between 1 and the points");
        std::vector<double> out(ks.size() * n());
        run_watched(nb::none(), [&](Control& control) {
            tree_.kth_points(ks, most_leaves, out.data(), control);
        });
        return to_numpy(std::move(out), {ks.size(), n()});
    }
    nb::ndarray<nb::numpy, std::int32_t> count_within(Reals limits) const {
        std::vector<std::int32_t> out(limits.shape(0) * n());
        run_watched(nb::none(), [&](Control& control) {
            tree_.count_within(limits.data(), static_cast<int>(limits.shape(0)), out.data(),
                               control);
        });
        return to_numpy(std::move(out), {limits.shape(0), n()});
    }
    nb::tuple smallest_radii(const std::vector<std::int64_t>& ks) const {
        for (std::int64_t k : ks) check_k(k);
        std::vector<std::int32_t> counts(ks.size() * n());
        std::vector<double> limits;
        run_watched(nb::none(), [&](Control& control) {
            limits = tree_.smallest_radii(ks, counts.data(), control);
        });
        return nb::make_tuple(to_numpy(std::move(limits)),
                              to_numpy(std::move(counts), {ks.size(), n()}));
    }
    nb::tuple steepest(Ids counts, double limit, Vector<std::uint8_t> open) const {
        if (counts.shape(0) != n() || open.shape(0) != n())
            throw nb::value_error("counts and open must have one entry a point");
        DensityPeak peak;
        {
            nb::gil_scoped_release unlock;
            peak = tree_.steepest(counts.data(), limit, open.data());
        }
        return nb::make_tuple(peak.point, peak.score);
    }

  private:
    std::size_t n() const { return static_cast<std::size_t>(tree_.points()); }
    void check_point(std::int32_t point) const {
        if (point < 0 || point >= tree_.points()) throw nb::index_error("point out of range");
    }
    void check_k(std::int64_t k) const {
        if (k < 1 || k > tree_.rows()) throw nb::value_error("k must be between 1 and the rows");
    }
    NeighbourTree<Real> tree_;
};

}  // namespace

NB_MODULE(_core, m) {
    m.doc() = "Compiled engine of rarebit: kernel blocks, shared gram, batch and online solver.";
    m.def(
        "instruction_set", [] { return std::string(hot_loops().name); },
        "Name of the instruction set that the hot loops use.");

    m.def(
        "use_gemm",
        [](std::size_t sgemm, std::size_t dgemm) {
            use_gemm(reinterpret_cast<Gemm<float>>(sgemm), reinterpret_cast<Gemm<double>>(dgemm));
        },
        "sgemm"_a, "dgemm"_a, "Addresses of Fortran GEMMs with 32-bit integers; 0 for built-in.");

    nb::class_<Rows>(m, "Rows", "Read-only view of a dense or CSR matrix.")
        .def_static(
            "dense", [](nb::object x) { return dense_rows(nb::cast<DenseInput>(x), x); },
            "values"_a)
        .def_static("csr", &csr_rows, "values"_a, "indices"_a, "offsets"_a, "columns"_a)
        .def_prop_ro("shape",
                     [](const Rows& r) { return nb::make_tuple(r.matrix.rows, r.matrix.columns); });

    nb::class_<Kernel>(m, "Kernel", "A kernel fitted to the scale of its training rows.")
        .def(
            "__init__",
            [](Kernel* self, const std::string& name, double gamma, double coef0, int degree,
               const Rows& rows) {
                const KernelSpec spec = make_spec(name, gamma, coef0, degree);
                nb::gil_scoped_release unlock;
                new (self) Kernel(spec, rows.matrix);
            },
            "name"_a, "gamma"_a, "coef0"_a, "degree"_a, "rows"_a)
        .def(
            "__init__",
            [](Kernel* self, const std::string& name, double gamma, double coef0, int degree,
               Reals centre, bool wide) {
                new (self) Kernel(
                    make_spec(name, gamma, coef0, degree),
                    std::vector<double>(centre.data(), centre.data() + centre.shape(0)), wide);
            },
            "name"_a, "gamma"_a, "coef0"_a, "degree"_a, "centre"_a, "wide"_a)
        .def_prop_ro(
            "centre", [](const Kernel& k) { return to_numpy(std::vector<double>(k.centre())); },
            nb::rv_policy::automatic)
        .def_prop_ro("wide", &Kernel::wide)
        .def(
            "needs_wide",
            [](const Kernel& k, const Rows& rows) {
                nb::gil_scoped_release unlock;
                return k.needs_wide(rows.matrix);
            },
            "rows"_a)
        .def_prop_ro("values_computed", &Kernel::values_computed)
        .def_prop_ro("seconds", [](const Kernel& k) { return 1e-9 * k.nanoseconds(); });

    nb::class_<Source>(m, "Source", "Where kernel values between training rows come from.")
        .def("block", &block_of, "rows"_a, "columns"_a);
    nb::class_<DirectSource, Source>(m, "Direct", "Computes kernel values each time.")
        .def(
            "__init__",
            [](DirectSource* self, const Kernel& kernel, const Rows& rows) {
                new (self) DirectSource(kernel, rows.matrix);
            },
            "kernel"_a, "rows"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>());
    nb::class_<AnchoredSource, Source>(m, "Anchored", "Computes values with some rows once.")
        .def(
            "__init__",
            [](AnchoredSource* self, const Kernel& kernel, const Rows& rows, Ids anchors) {
                check_ids(anchors, rows.matrix);
                const std::vector<std::int32_t> ids(anchors.data(),
                                                    anchors.data() + anchors.shape(0));
                nb::gil_scoped_release unlock;
                new (self) AnchoredSource(kernel, rows.matrix, ids);
            },
            "kernel"_a, "rows"_a, "anchors"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>());
    nb::class_<Gram, Source>(m, "Gram", "Computes kernel rows once and shares them.")
        .def(
            "__init__",
            [](Gram* self, const Kernel& kernel, const Rows& rows, std::size_t budget) {
                new (self) Gram(kernel, rows.matrix, budget);
            },
            "kernel"_a, "rows"_a, "budget_bytes"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
        .def("fill", &Gram::fill, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("values_computed", &Gram::values_computed)
        .def_prop_ro("values_reused", &Gram::values_reused)
        .def_prop_ro("rows_held", &Gram::rows_held)
        .def_prop_ro("rows_affordable", &Gram::rows_affordable);

    nb::class_<Solved>(m, "Solution", "Result of the batch solver.")
        .def_prop_ro(
            "alpha",
            [](const Solved& s) { return to_numpy(std::vector<double>(s.solution.alpha)); },
            nb::rv_policy::automatic)
        .def_prop_ro("bias", [](const Solved& s) { return s.solution.bias; })
        .def_prop_ro("gap", [](const Solved& s) { return s.solution.gap; })
        .def_prop_ro("objective", [](const Solved& s) { return s.solution.objective; })
        .def_prop_ro("steps", [](const Solved& s) { return s.solution.steps; })
        .def_prop_ro("sweeps", [](const Solved& s) { return s.solution.sweeps; })
        .def_prop_ro("rows_swept", [](const Solved& s) { return s.solution.rows_swept; })
        .def_prop_ro("converged", [](const Solved& s) { return s.solution.converged; });

    m.def("solve", &solve, "source"_a, "ids"_a.none(), "y"_a, "cost"_a, "start"_a.none(),
          "tolerance"_a, "max_steps"_a, "cache_bytes"_a, "observer"_a.none());
    m.def("solve_many", &solve_many, "source"_a, "ids"_a, "offsets"_a, "y"_a, "cost"_a,
          "margins"_a.none(), "start"_a.none(), "tolerance"_a, "max_steps"_a, "cache_bytes"_a,
          "observer"_a.none());
    m.def("prune_path", &prune_path, "source"_a, "y"_a, "cost"_a, "alpha"_a, "minority"_a,
          "floating"_a, "most"_a, "tolerance"_a, "observer"_a.none());
    m.def("decide", &decide, "kernel"_a, "left"_a, "right"_a, "columns"_a, "coefficients"_a,
          "observer"_a.none());

    nb::class_<Machine>(m, "Machine", "Online solver with the rows that it keeps.")
        .def(nb::init<const Kernel&, const Rows&, double, std::size_t>(), "kernel"_a, "like"_a,
             "tolerance"_a, "cache_bytes"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
        .def("process", &Machine::process, "rows"_a, "order"_a, "tags"_a, "y"_a, "cost"_a,
             "observer"_a.none())
        .def("finish", &Machine::finish, "max_steps"_a, "observer"_a.none())
        .def("restore", &Machine::restore, "rows"_a, "state"_a)
        .def("state", &Machine::state)
        .def_prop_ro("bias", [](const Machine& k) { return k.solver().bias(); })
        .def_prop_ro("objective", [](const Machine& k) { return k.solver().objective(); })
        .def_prop_ro("gap", [](const Machine& k) { return k.solver().active().gap(); })
        .def_prop_ro("steps", [](const Machine& k) { return k.solver().active().steps(); })
        .def_prop_ro("rows_seen", [](const Machine& k) { return k.solver().rows_seen(); })
        .def_prop_ro("size", [](const Machine& k) { return k.solver().active().size(); })
        .def_prop_ro("garbage", &Machine::garbage);

    nb::class_<Border>(m, "Border", "Asks for rows of a pool and learns their labels.")
        .def(nb::init<const Kernel&, const Rows&, const std::string&, std::int64_t, double,
                      std::uint64_t, double, std::size_t>(),
             "kernel"_a, "pool"_a, "search"_a, "pool_size"_a, "explore"_a, "seed"_a, "tolerance"_a,
             "cache_bytes"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
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
        .def_prop_rw("random_state", &Border::random_state, &Border::set_random_state)
        .def("expansion", &Border::expansion, "machine"_a)
        .def_prop_ro("machines", [](const Border& b) { return b.search().machines(); })
        .def_prop_ro("labels", [](const Border& b) { return b.search().log().size(); })
        .def_prop_ro("unseen", [](const Border& b) { return b.search().unseen(); })
        .def_prop_ro("recomputing", [](const Border& b) { return b.search().recomputing(); });

    Neighbours<double>::bind(m, "Neighbours");
    Neighbours<float>::bind(m, "SingleNeighbours");
}
