#include "solver/batch.hpp"

#include <algorithm>
#include <cmath>

#include "solver/inactive_rows.hpp"

namespace rarebit {
namespace {

constexpr int kFirstPortion = 1024;  // rows solved together before any is scored
constexpr double kGrowth = 1.0;      // the next portion, as a share of the rows seen
constexpr double kLooseGap = 0.3;    // gap at which an early machine is good enough

// The state of one solve. Positions p number the rows of the problem.
class BatchSolver {
  public:
    BatchSolver(KernelProvider& provider, const BatchProblem& problem, const BatchOptions& options,
                Control& control)
        : problem_(problem),
          options_(options),
          control_(control),
          n_(static_cast<int>(problem.rows.size())),
          active_(provider, options.cache_bytes),
          inactive_(provider, problem.rows, problem.y, options.cache_bytes / 2),
          inside_(n_, 0) {}

    Solution run() {
        const std::vector<int> order = arrival_order();
        std::size_t seen = 0;
        if (!problem_.start.empty()) insert_start();
        while (seen < order.size() && !finished()) {
            const std::size_t portion =
                seen == 0 ? kFirstPortion : static_cast<std::size_t>(kGrowth * seen) + 1;
            const std::size_t to = std::min(order.size(), seen + portion);
            progress_.rows = static_cast<std::int64_t>(to);
            std::vector<int> arriving;
            for (std::size_t i = seen; i < to; ++i)
                if (!inside_[order[i]]) arriving.push_back(order[i]);
            seen = to;
            const bool last = seen == order.size();
            if (active_.size() > 0) inactive_.meet(arriving);
            admit(arriving, std::max(options_.tolerance, kLooseGap));
            solve(last ? options_.tolerance : std::max(options_.tolerance, kLooseGap));
            if (last) break;
            retire();
            make_room(seen, order.size());
        }
        bool clean = false;
        while (!clean && !finished()) {
            std::vector<int> outside;
            for (int p : order)
                if (!inside_[p] && may_violate(p)) outside.push_back(p);
            clean = !admit(outside, options_.tolerance);
            if (!clean) solve(options_.tolerance);
        }
        return result(clean);
    }

  private:
    bool finished() const {
        return control_.stopped() || stuck_ ||
               (options_.most_steps >= 0 && active_.steps() >= options_.most_steps);
    }

    // Both classes spread evenly, in an order that does not follow the file's.
    std::vector<int> arrival_order() const {
        std::vector<int> classes[2];
        for (int p = 0; p < n_; ++p)
            if (problem_.cost[p] > 0.0) classes[problem_.y[p] > 0].push_back(p);
        std::uint64_t state = 0x9e3779b97f4a7c15ull;
        for (std::vector<int>& rows : classes)
            for (std::size_t i = rows.size(); i > 1; --i) {
                state ^= state << 13, state ^= state >> 7, state ^= state << 17;
                std::swap(rows[i - 1], rows[state % i]);
            }
        std::vector<int> order;
        order.reserve(classes[0].size() + classes[1].size());
        std::size_t taken[2] = {0, 0};
        while (taken[0] < classes[0].size() || taken[1] < classes[1].size()) {
            const bool second = taken[0] == classes[0].size() ||
                                (taken[1] < classes[1].size() &&
                                 taken[1] * classes[0].size() <= taken[0] * classes[1].size());
            order.push_back(classes[second][taken[second]++]);
        }
        return order;
    }

    // Gives the active set the width it will probably need, so that its rows are not moved about at
    // every portion: it grows like a power of the rows seen.
    void make_room(std::size_t seen, std::size_t all) {
        const double now = std::max(1, active_.size());
        if (size_before_ > 0.0) {
            const double power = std::log(now / size_before_) / std::log(seen / seen_before_);
            const double growth =
                std::pow(static_cast<double>(all) / seen, std::min(1.0, std::max(0.3, power)));
            const double wanted = 1.25 * now * growth;
            if (4.0 * wanted * wanted <=
                static_cast<double>(options_.cache_bytes - inactive_.bytes()))
                active_.reserve(static_cast<int>(std::min<double>(wanted, n_)));
        }
        size_before_ = now;
        seen_before_ = static_cast<double>(seen);
    }

    void insert_start() {
        std::vector<double> alphas = problem_.start;
        clip_and_balance(problem_, &alphas);
        Expansion start;
        for (int p = 0; p < n_; ++p)
            if (alphas[p] != 0.0) start.push_back({p, alphas[p]});
        std::vector<int> positions;
        for (const auto& [p, alpha] : start) positions.push_back(p);
        inactive_.score(positions, start, control_, progress_);
        std::vector<ActiveRow> rows;
        for (const auto& [p, alpha] : start)
            rows.push_back({problem_.rows[p], p, problem_.y[p], problem_.cost[p], alpha,
                            inactive_.gradient(p)});
        for (int p : positions) inside_[p] = 1;
        active_.insert(rows, true, control_, progress_);
    }

    Expansion current() const {
        Expansion now;
        for (int slot = 0; slot < active_.slots(); ++slot)
            if (active_.open(slot) && active_.alpha(slot) != 0.0)
                now.push_back({active_.tag(slot), active_.alpha(slot)});
        std::sort(now.begin(), now.end());
        return now;
    }

    bool violates(double y, double gradient, double margin) const {
        if (!active_.has_pair()) return true;
        // Half the margin on either side of the middle: two rows outside then keep it as well.
        const double slack = std::max(0.0, margin - active_.gap()) / 2;
        return y > 0 ? gradient - active_.low_value() > margin - slack
                     : active_.up_value() - gradient > margin - slack;
    }

    // Could this row outside violate, given how far the machine has moved since it was scored?
    bool may_violate(int p) const {
        const double y = problem_.y[p], off = inactive_.uncertainty(p);
        return violates(y, inactive_.gradient(p) + (y > 0 ? off : -off), options_.tolerance);
    }

    // Scores the rows and takes the violating ones into the active set; false when there are none.
    bool admit(const std::vector<int>& positions, double margin) {
        inactive_.score(positions, current(), control_, progress_);
        if (control_.stopped()) return false;
        std::vector<ActiveRow> rows;
        for (int p : positions) {
            if (!violates(problem_.y[p], inactive_.gradient(p), margin)) continue;
            rows.push_back(
                {problem_.rows[p], p, problem_.y[p], problem_.cost[p], 0.0, inactive_.gradient(p)});
            inside_[p] = 1;
            inactive_.leave(p);
        }
        if (rows.empty()) return false;
        const bool first = active_.size() == 0;
        active_.set_cache(options_.cache_bytes - inactive_.bytes());
        active_.insert(rows, !first, control_, progress_);
        return true;
    }

    void solve(double tolerance) {
        const int slots = active_.slots();
        std::vector<double> alpha(slots), gradient(slots);
        for (int s = 0; s < slots; ++s)
            alpha[s] = active_.alpha(s), gradient[s] = active_.gradient(s);
        const std::int64_t left =
            options_.most_steps < 0
                ? -1
                : std::max<std::int64_t>(0, options_.most_steps - active_.steps());
        active_.solve(tolerance, left, control_, &progress_);
        // With steps left, only a standstill ends before the gap is closed.
        stuck_ = active_.gap() > tolerance && left != 0;
        double squared = 0.0;  // |w_after - w_before|^2
        for (int s = 0; s < slots; ++s)
            squared += (active_.alpha(s) - alpha[s]) * (gradient[s] - active_.gradient(s));
        inactive_.note_move(std::sqrt(std::max(0.0, squared)));
    }

    // Rows of the active set that carry nothing and do not violate go back outside.
    void retire() {
        std::vector<int> leaving;
        for (int s = 0; s < active_.slots(); ++s)
            if (active_.open(s) && active_.alpha(s) == 0.0 &&
                !violates(active_.y(s), active_.gradient(s), 0.0))
                leaving.push_back(s);
        if (leaving.empty()) return;
        std::vector<std::pair<int, double>> gradients;
        for (int s : leaving) gradients.push_back({active_.tag(s), active_.gradient(s)});
        inactive_.come_back(gradients, current());
        for (int s : leaving) {
            inside_[active_.tag(s)] = 0;
            active_.remove(s);
        }
        active_.find_extremes();
    }

    Solution result(bool clean) {
        if (active_.drifted(options_.tolerance) && !control_.stopped())
            active_.refresh_gradients();  // the gap is then the true one
        Solution solution;
        solution.rows = problem_.rows;
        solution.alpha.assign(n_, 0.0);
        for (int s = 0; s < active_.slots(); ++s) {
            if (!active_.open(s)) continue;
            solution.alpha[active_.tag(s)] = active_.alpha(s);
            solution.objective += 0.5 * active_.alpha(s) * (active_.y(s) + active_.gradient(s));
        }
        solution.bias = active_.bias();
        solution.gap = active_.gap();
        solution.steps = active_.steps();
        solution.sweeps = inactive_.sweeps();
        solution.rows_swept = inactive_.rows_swept();
        solution.interrupted = control_.stopped();
        solution.converged = clean && solution.gap <= options_.tolerance;
        return solution;
    }

    const BatchProblem& problem_;
    const BatchOptions& options_;
    Control& control_;
    const int n_;
    ActiveSet active_;
    InactiveRows inactive_;
    std::vector<char> inside_;                      // which positions are in the active set
    bool stuck_ = false;                            // rounding leaves a gap that no step closes
    double size_before_ = 0.0, seen_before_ = 1.0;  // of the active set at the last portion
    Progress progress_;
};

}  // namespace

void clip_and_balance(const BatchProblem& problem, std::vector<double>* alphas) {
    double sums[2] = {0.0, 0.0};
    for (std::size_t p = 0; p < alphas->size(); ++p) {
        const double lower = problem.y[p] > 0 ? 0.0 : -problem.cost[p];
        const double upper = problem.y[p] > 0 ? problem.cost[p] : 0.0;
        double& alpha = (*alphas)[p];
        alpha = std::min(std::max(alpha, lower), upper);
        sums[alpha > 0] += std::abs(alpha);
    }
    // Sums that differ by rounding are equal: scaling would move rows off their limits.
    if (std::abs(sums[0] - sums[1]) <= 1e-12 * (sums[0] + sums[1])) return;
    const double least = std::min(sums[0], sums[1]);
    for (double& alpha : *alphas) alpha *= least > 0.0 ? least / sums[alpha > 0] : 0.0;
}

Solution solve_batch(KernelProvider& provider, const BatchProblem& problem,
                     const BatchOptions& options, Control& control) {
    return BatchSolver(provider, problem, options, control).run();
}

}  // namespace rarebit
