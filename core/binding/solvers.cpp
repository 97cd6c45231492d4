// Exact machines, and paths of pruned ones.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "binding/arrays.hpp"
#include "binding/parts.hpp"
#include "binding/watched.hpp"
#include "pruning/pruning.hpp"
#include "solver/input_checks.hpp"
#include "solver/solve_many.hpp"

using namespace nanobind::literals;

namespace rarebit::binding {
namespace {

std::vector<std::int32_t> all_rows(std::int64_t rows) {
    std::vector<std::int32_t> ids(rows);
    std::iota(ids.begin(), ids.end(), 0);
    return ids;
}

Solution solve(KernelProvider& provider, std::optional<Ids> ids, Reals y, Reals cost,
               std::optional<Reals> start, double tolerance, std::int64_t max_steps,
               std::size_t cache_bytes, nb::object observer, int threads) {
    const std::size_t n = y.shape(0);
    const std::int64_t rows = provider.matrix().rows;
    if (cost.shape(0) != n || (start && start->shape(0) != n) || (ids && ids->shape(0) != n))
        throw nb::value_error("ids, y, cost and start must have one entry per row");
    if (!ids && n != static_cast<std::size_t>(rows))
        throw nb::value_error("y must have one entry per row");
    if (ids) check_ids(*ids, rows);
    check_targets(y.data(), cost.data(), n);
    if (start) check_finite(start->data(), n, "start");
    const BatchProblem problem{ids ? copied(*ids) : all_rows(rows), copied(y), copied(cost),
                               start ? copied(*start) : std::vector<double>()};
    const BatchOptions options{tolerance, max_steps, cache_bytes};
    Solution solution;
    run_watched(observer, threads, [&](Control& control) {
        solution = solve_exactly(provider, problem, options, control);
    });
    return solution;
}

// Machine m has the entries offsets[m] .. offsets[m + 1] of ids, y, cost, margins and start.
std::vector<Solution> solve_parts(KernelProvider& provider, Ids ids, Vector<std::int64_t> offsets,
                                  Reals y, Reals cost, std::optional<Reals> margins,
                                  std::optional<Reals> start, double tolerance,
                                  std::int64_t max_steps, std::size_t cache_bytes,
                                  nb::object observer, int threads) {
    const std::size_t entries = ids.shape(0);
    if (y.shape(0) != entries || cost.shape(0) != entries ||
        (margins && margins->shape(0) != entries) || (start && start->shape(0) != entries))
        throw nb::value_error("ids, y, cost, margins and start must have one entry per row");
    const std::size_t count = offsets.shape(0);
    if (count < 1 || offsets.data()[0] != 0 ||
        offsets.data()[count - 1] != static_cast<std::int64_t>(entries) ||
        !std::is_sorted(offsets.data(), offsets.data() + count))
        throw nb::value_error("offsets must rise from 0 to the number of entries");
    check_ids(ids, provider.matrix().rows);
    check_targets(y.data(), cost.data(), entries);
    if (start) check_finite(start->data(), entries, "start");
    if (margins) check_finite(margins->data(), entries, "margins");
    std::vector<Subproblem> problems(count - 1);
    for (std::size_t m = 0; m + 1 < count; ++m) {
        const std::int64_t from = offsets.data()[m], to = offsets.data()[m + 1];
        BatchProblem& problem = problems[m].problem;
        problem.rows.assign(ids.data() + from, ids.data() + to);
        problem.y.assign(y.data() + from, y.data() + to);
        problem.cost.assign(cost.data() + from, cost.data() + to);
        if (start) problem.start.assign(start->data() + from, start->data() + to);
        if (margins) problems[m].margins.assign(margins->data() + from, margins->data() + to);
    }
    const BatchOptions options{tolerance, max_steps, cache_bytes};
    std::vector<Solution> solutions;
    run_watched(observer, threads, [&](Control& control) {
        solutions = solve_many(provider, problems, options, control);
    });
    return solutions;
}

// A path of machines, each without one more of the majority's support vectors of `alpha`.
PrunePath prune_path(KernelProvider& provider, Reals y, Reals cost, Reals alpha, double minority,
                     bool floating, int most, double tolerance, nb::object observer, int threads) {
    const std::size_t n = y.shape(0);
    const std::int64_t rows = provider.matrix().rows;
    if (cost.shape(0) != n || alpha.shape(0) != n || n != static_cast<std::size_t>(rows))
        throw nb::value_error("y, cost and alpha must have one entry per row");
    check_targets(y.data(), cost.data(), n);
    check_finite(alpha.data(), n, "alpha");
    const BatchProblem problem{all_rows(rows), copied(y), copied(cost), copied(alpha)};
    BatchOptions options;
    options.tolerance = tolerance;
    PrunePath path;
    run_watched(observer, threads, [&](Control& control) {
        path = prune(provider, problem, minority, floating, most, options, control);
    });
    return path;
}

// One entry per point of a path.
template <class T, class Read>
nb::ndarray<nb::numpy, T> column_of(const PrunePath& path, Read read) {
    std::vector<T> column;
    for (const PrunePoint& point : path.points) column.push_back(read(point));
    return to_numpy(std::move(column));
}

}  // namespace

void bind_solvers(nb::module_& m) {
    nb::class_<Solution>(m, "Solution", "A machine as a solver leaves it.")
        .def_prop_ro(
            "rows", [](const Solution& s) { return to_numpy(std::vector<std::int32_t>(s.rows)); },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "alpha", [](const Solution& s) { return to_numpy(std::vector<double>(s.alpha)); },
            nb::rv_policy::automatic)
        .def_ro("bias", &Solution::bias)
        .def_ro("gap", &Solution::gap)
        .def_ro("objective", &Solution::objective)
        .def_ro("steps", &Solution::steps)
        .def_ro("sweeps", &Solution::sweeps)
        .def_ro("rows_swept", &Solution::rows_swept)
        .def_ro("converged", &Solution::converged);

    nb::class_<PrunePath>(m, "PrunePath", "Machines with ever fewer support vectors.")
        .def_prop_ro("machines",
                     [](const PrunePath& path) {
                         std::vector<Solution> machines;
                         for (const PrunePoint& point : path.points)
                             machines.push_back(point.machine);
                         return machines;
                     })
        .def_prop_ro(
            "removed",
            [](const PrunePath& path) {
                return column_of<std::int32_t>(path, [](const PrunePoint& p) { return p.removed; });
            },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "minority_right",
            [](const PrunePath& path) {
                return column_of<double>(path,
                                         [](const PrunePoint& p) { return p.minority_right; });
            },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "majority_wrong",
            [](const PrunePath& path) {
                return column_of<double>(path,
                                         [](const PrunePoint& p) { return p.majority_wrong; });
            },
            nb::rv_policy::automatic)
        .def_ro("trials", &PrunePath::trials)
        .def_ro("steps", &PrunePath::steps);

    m.def("solve", &solve, "provider"_a, "ids"_a.none(), "y"_a, "cost"_a, "start"_a.none(),
          "tolerance"_a, "max_steps"_a, "cache_bytes"_a, "observer"_a.none(), "threads"_a = 1);
    m.def("solve_many", &solve_parts, "provider"_a, "ids"_a, "offsets"_a, "y"_a, "cost"_a,
          "margins"_a.none(), "start"_a.none(), "tolerance"_a, "max_steps"_a, "cache_bytes"_a,
          "observer"_a.none(), "threads"_a = 1);
    m.def("prune_path", &prune_path, "provider"_a, "y"_a, "cost"_a, "alpha"_a, "minority"_a,
          "floating"_a, "most"_a, "tolerance"_a, "observer"_a.none(), "threads"_a = 1);
}

}  // namespace rarebit::binding
