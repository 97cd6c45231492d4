#include "solver/linear.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace rarebit {
namespace {

constexpr std::size_t kLeastRows = 1500;  // fewer are solved by pairs as fast
constexpr std::int64_t kMostInteriorColumns = 512;
constexpr double kMostRounding = 0.1;  // share of the tolerance by which rounded rows may move w

}  // namespace

LinearMethod choose_linear(const Kernel& kernel, const Matrix& matrix, std::size_t rows,
                           const BatchOptions& options) {
    if (kernel.spec().kind != KernelKind::linear || options.most_steps >= 0 || rows < kLeastRows)
        return LinearMethod::none;
    if (LinearRows::bytes(matrix, rows) > options.cache_bytes) return LinearMethod::none;
    return matrix.columns <= kMostInteriorColumns ? LinearMethod::interior : LinearMethod::descent;
}

bool measure_linear(const LinearProblem& problem, LinearPoint* point) {
    const LinearRows& rows = problem.rows;
    const int n = rows.rows();
    std::vector<double>& a = point->a;
    double sums[2] = {0.0, 0.0};  // of the two sides, and of what is strictly inside its limits
    for (int i = 0; i < n; ++i) sums[problem.y[i] > 0] += a[i];
    // The side that has too much gives back, the other one takes, in shares of what each row can:
    // rows inside their limits first, because those at a limit are meant to be there.
    for (int round = 0; round < 2; ++round) {
        const double surplus = std::abs(sums[1] - sums[0]);
        const bool heavy = sums[1] > sums[0];
        if (surplus <= 1e-13 * (sums[0] + sums[1])) break;
        const auto moves = [&](int i) {
            return round == 1 || (a[i] > 0.0 && a[i] < problem.cost[i]);
        };
        const auto leeway = [&](int i) {
            return (problem.y[i] > 0) == heavy ? -a[i] : problem.cost[i] - a[i];
        };
        double most = 0.0;
        for (int i = 0; i < n; ++i)
            if (moves(i)) most += std::abs(leeway(i));
        if (most <= 0.0) continue;
        const double share = std::min(1.0, surplus / most);
        for (int i = 0; i < n; ++i)
            if (moves(i)) a[i] += share * leeway(i);
        sums[0] = sums[1] = 0.0;
        for (int i = 0; i < n; ++i) sums[problem.y[i] > 0] += a[i];
    }
    point->w.assign(rows.columns(), 0.0);
    for (int i = 0; i < n; ++i)
        if (a[i] != 0.0) rows.add(i, problem.y[i] * a[i], point->w.data());
    const double infinity = std::numeric_limits<double>::infinity();
    point->up = -infinity, point->low = infinity;
    for (int i = 0; i < n; ++i) {
        const double gradient = problem.y[i] - rows.dot(i, point->w.data());
        const bool positive = problem.y[i] > 0;
        if (positive ? a[i] < problem.cost[i] : a[i] > 0.0)
            point->up = std::max(point->up, gradient);
        if (positive ? a[i] > 0.0 : a[i] < problem.cost[i])
            point->low = std::min(point->low, gradient);
    }
    point->has_pair = point->up > -infinity && point->low < infinity;
    return std::abs(sums[1] - sums[0]) <= 1e-9 * (sums[0] + sums[1]) + 1e-300;
}

Solution solve_linear(KernelProvider& provider, const BatchProblem& problem,
                      const BatchOptions& options, LinearMethod method, Control& control) {
    std::vector<std::int32_t> ids;
    std::vector<int> positions;
    std::vector<double> y, cost;
    for (std::size_t p = 0; p < problem.rows.size(); ++p) {
        if (problem.cost[p] <= 0.0) continue;
        positions.push_back(static_cast<int>(p));
        ids.push_back(problem.rows[p]);
        y.push_back(problem.y[p]);
        cost.push_back(problem.cost[p]);
    }
    std::optional<LinearRows> rows(std::in_place, provider.kernel(), provider.matrix(), ids);
    const double most_cost = cost.empty() ? 0.0 : *std::max_element(cost.begin(), cost.end());
    if (rows->rounding(most_cost) > kMostRounding * options.tolerance &&
        2 * LinearRows::bytes(provider.matrix(), ids.size()) <= options.cache_bytes)
        rows.emplace(provider.kernel(), provider.matrix(), ids, true);
    const LinearProblem linear{*rows, std::move(y), std::move(cost), options.tolerance};
    LinearPoint point = method == LinearMethod::interior ? solve_interior(linear, control)
                                                         : solve_descent(linear, control);
    const bool balanced = measure_linear(linear, &point);
    Solution solution;
    solution.rows = problem.rows;
    solution.alpha.assign(problem.rows.size(), 0.0);
    for (std::size_t i = 0; i < positions.size(); ++i)
        solution.alpha[positions[i]] = linear.y[i] * point.a[i];
    solution.steps = point.steps;
    solution.interrupted = control.stopped();
    if (!balanced || !(point.gap() <= options.tolerance)) {
        if (control.stopped()) return solution;
        BatchProblem rest = problem;
        if (balanced) rest.start = solution.alpha;
        solution = solve_batch(provider, rest, options, control);
        solution.steps += point.steps;
        return solution;
    }
    for (double value : point.w) solution.objective -= 0.5 * value * value;
    for (double a : point.a) solution.objective += a;
    solution.gap = point.gap();
    if (point.has_pair)
        solution.bias = 0.5 * (point.up + point.low);
    else
        solution.bias = std::isfinite(point.up)    ? point.up
                        : std::isfinite(point.low) ? point.low
                                                   : 0.0;
    // The kernel's values are of rows less the centre.
    const std::vector<double>& centre = provider.kernel().centre();
    if (!rows->centred())
        for (std::size_t k = 0; k < centre.size(); ++k) solution.bias += point.w[k] * centre[k];
    solution.converged = true;
    return solution;
}

}  // namespace rarebit
