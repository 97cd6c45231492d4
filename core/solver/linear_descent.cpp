// Linear machines of many columns by dual coordinate descent.
//
// With the bias b as multiplier of sum_i y_i a_i = 0, augmented by rho / 2 times its square,
//
//   G_i = y_i (<w, x_i> + b) - 1,   b = b0 + rho sum_j y_j a_j,   a_i <- a_i - G_i / (|x_i|^2 +
//   rho)
//
// within [0, c_i]. b0 takes over b when the imbalance is what is left to do; at the end the sum is
// 0 and b is the bias of the machine without a penalty on it. Rows that stay at a limit are left
// out of the rounds until the others are solved. (C.-J. Hsieh et al., "A dual coordinate descent
// method for large-scale linear SVM", ICML 2008, without the bias.)
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "solver/linear.hpp"

namespace rarebit {
namespace {

constexpr int kMostRounds = 2000;
constexpr int kRowsPerPoll = 4096;
// rho as a share of the mean |x_i|^2. It slows every step down; too small, b0 moves too often.
constexpr double kPenalty = 0.1;
// Imbalance that is left to measure_linear, as a share of the tolerance: what it moves to balance
// the coefficients must not bring the gap above the tolerance again.
constexpr double kImbalance = 0.01;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

LinearPoint solve_descent(const LinearProblem& problem, Control& control) {
    const LinearRows& rows = problem.rows;
    const int n = rows.rows();
    const std::vector<double>&y = problem.y, &cost = problem.cost;
    LinearPoint point;
    std::vector<double>& a = point.a;
    a.assign(n, 0.0);
    std::vector<double> w(rows.columns(), 0.0);
    double rho = 0.0;
    for (int i = 0; i < n; ++i) rho += kPenalty * rows.squared_norm(i) / n;
    rho = std::max(rho, 1e-12);
    double b0 = 0.0, sum = 0.0;
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    int active = n;
    double last_high = kInfinity, last_low = -kInfinity;  // extremes of the round before
    double aim = problem.tolerance;
    std::uint64_t state = 0x9e3779b97f4a7c15ull;
    Progress progress;
    for (int round = 0; round < kMostRounds; ++round) {
        for (int i = active; i > 1; --i) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            std::swap(order[i - 1], order[state % static_cast<std::uint64_t>(i)]);
        }
        double high = -kInfinity, low = kInfinity;
        for (int k = 0; k < active; ++k) {
            const int i = order[k];
            const double b = b0 + rho * sum;
            const double g = y[i] * (rows.dot(i, w.data()) + b) - 1.0;
            double projected = g;
            if (a[i] <= 0.0) {
                if (g > last_high) {
                    std::swap(order[k--], order[--active]);
                    continue;
                }
                projected = std::min(g, 0.0);
            } else if (a[i] >= cost[i]) {
                if (g < last_low) {
                    std::swap(order[k--], order[--active]);
                    continue;
                }
                projected = std::max(g, 0.0);
            }
            high = std::max(high, projected);
            low = std::min(low, projected);
            if (std::abs(projected) > 1e-12) {
                const double before = a[i];
                a[i] = std::min(std::max(before - g / (rows.squared_norm(i) + rho), 0.0), cost[i]);
                const double by = y[i] * (a[i] - before);
                rows.add(i, by, w.data());
                sum += by;
            }
            if (k % kRowsPerPoll == kRowsPerPoll - 1 && control.poll(progress)) return point;
        }
        point.steps = round + 1;
        progress.steps = round + 1;
        progress.rows = n;
        progress.active = active;
        progress.gap = high - low;
        if (control.poll(progress)) return point;
        const double imbalance = rho * std::abs(sum);
        if (high - low <= aim) {
            if (active < n || imbalance > kImbalance * aim) {
                // All rows again, and the bias takes over what the imbalance pays for.
                if (active == n || imbalance > kImbalance * aim) b0 += rho * sum;
                active = n;
                last_high = kInfinity, last_low = -kInfinity;
                continue;
            }
            LinearPoint now;
            now.a = a;
            now.steps = point.steps;
            if (measure_linear(problem, &now) && now.gap() <= problem.tolerance) return now;
            aim *= 0.5;
            continue;
        }
        // The imbalance is what is left to do.
        if (imbalance > 0.5 * (high - low)) b0 += rho * sum;
        last_high = high > 0.0 ? high : kInfinity;
        last_low = low < 0.0 ? low : -kInfinity;
    }
    return point;
}

}  // namespace rarebit
