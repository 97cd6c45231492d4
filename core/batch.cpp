#include "batch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "kept_values.hpp"

namespace rarebit {
namespace {

constexpr int kFirstPortion = 1024;  // rows solved together before any is scored
constexpr double kGrowth = 1.0;      // the next portion, as a share of the rows seen
constexpr double kLooseGap = 0.3;    // gap at which an early machine is good enough
constexpr int kSetRows = 4096;       // rows whose kept values share a column list

// The state of one solve. Positions p number the rows of the problem.
class BatchSolver {
  public:
    BatchSolver(Source& source, const BatchProblem& problem, const BatchOptions& options,
                Control& control)
        : source_(source),
          problem_(problem),
          options_(options),
          control_(control),
          n_(static_cast<int>(problem.rows.size())),
          active_(source, options.cache_bytes),
          kept_(source, options.cache_bytes / 2),
          gradient_(problem.y),
          version_(n_, 0),
          inside_(n_, 0),
          set_(n_, -1),
          member_(n_, -1),
          snapshots_(1),
          drift_(1, 0.0) {}

    BatchSolution run() {
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
            if (active_.size() > 0) open_sets(arriving);
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
    using Snapshot = std::vector<std::pair<int, double>>;  // position, coefficient

    bool finished() const {
        return control_.stopped() ||
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
            if (4.0 * wanted * wanted <= static_cast<double>(options_.cache_bytes - kept_.bytes()))
                active_.reserve(static_cast<int>(std::min<double>(wanted, n_)));
        }
        size_before_ = now;
        seen_before_ = static_cast<double>(seen);
    }

    void insert_start() {
        Snapshot start;
        for (int p = 0; p < n_; ++p) {
            const double lower = problem_.y[p] > 0 ? 0.0 : -problem_.cost[p];
            const double upper = problem_.y[p] > 0 ? problem_.cost[p] : 0.0;
            const double alpha = std::min(std::max(problem_.start[p], lower), upper);
            if (alpha != 0.0) start.push_back({p, alpha});
        }
        balance(&start);
        std::vector<int> positions;
        for (const auto& [p, alpha] : start) positions.push_back(p);
        apply(start, positions);
        std::vector<ActiveRow> rows;
        for (const auto& [p, alpha] : start)
            rows.push_back(
                {problem_.rows[p], p, problem_.y[p], problem_.cost[p], alpha, gradient_[p]});
        for (int p : positions) inside_[p] = 1;
        active_.insert(rows, true);
        // Rows outside were not scored with this start: version 0 is the empty machine.
    }

    // Clipping to new boxes may leave a sum other than 0; the larger side is scaled down.
    static void balance(Snapshot* start) {
        double sums[2] = {0.0, 0.0};
        for (const auto& [p, alpha] : *start) sums[alpha > 0] += std::abs(alpha);
        const double least = std::min(sums[0], sums[1]);
        if (least <= 0.0) {
            start->clear();
            return;
        }
        for (auto& [p, alpha] : *start) alpha *= least / sums[alpha > 0];
    }

    // gradient[p] -= sum_j change_j K(p, j) for these positions.
    void apply(const Snapshot& change, const std::vector<int>& positions) {
        if (change.empty() || positions.empty()) return;
        std::vector<std::int32_t> columns;
        std::vector<double> coefficients;
        for (const auto& [p, value] : change) {
            columns.push_back(problem_.rows[p]);
            coefficients.push_back(value);
        }
        std::map<int, std::vector<int>> by_set;
        for (int p : positions) by_set[set_[p]].push_back(p);
        for (const auto& [set, members] : by_set) {
            if (set < 0)
                apply_plainly(columns, coefficients, members);
            else
                apply_keeping(columns, coefficients, set, members);
            if (control_.stopped()) return;
        }
    }

    void apply_plainly(const std::vector<std::int32_t>& columns,
                       const std::vector<double>& coefficients, const std::vector<int>& positions) {
        Operand right = source_.operand();
        right.assign(columns);
        std::vector<std::int32_t> left;
        std::vector<double> sums;
        const std::size_t at_once =
            source_.kernel().rows_between_polls(source_.matrix(), right.size());
        for (std::size_t from = 0; from < positions.size(); from += at_once) {
            const std::size_t to = std::min(positions.size(), from + at_once);
            left.clear();
            for (std::size_t i = from; i < to; ++i) left.push_back(problem_.rows[positions[i]]);
            sums.assign(left.size(), 0.0);
            source_.accumulate(left.data(), static_cast<int>(left.size()), right,
                               coefficients.data(), sums.data());
            for (std::size_t i = from; i < to; ++i) gradient_[positions[i]] -= sums[i - from];
            if (control_.poll(progress_)) return;
        }
    }

    void apply_keeping(const std::vector<std::int32_t>& columns,
                       const std::vector<double>& coefficients, int set,
                       const std::vector<int>& positions) {
        std::vector<int> members;
        std::vector<std::int32_t> left;
        for (int p : positions) {
            members.push_back(member_[p]);
            left.push_back(problem_.rows[p]);
        }
        std::vector<double> sums(positions.size(), 0.0);
        const bool whole = static_cast<int>(positions.size()) == outside_of_[set];
        kept_.accumulate(
            set, members, left, columns, coefficients, whole,
            [&] { return control_.poll(progress_); }, sums.data());
        for (std::size_t i = 0; i < positions.size(); ++i) gradient_[positions[i]] -= sums[i];
    }

    // Rows met for the first time form sets whose kernel values may be kept.
    void open_sets(const std::vector<int>& positions) {
        if (!kept_.worthwhile()) return;
        for (std::size_t from = 0; from < positions.size(); from += kSetRows) {
            const std::size_t to = std::min(positions.size(), from + kSetRows);
            const int set = kept_.open(static_cast<int>(to - from));
            outside_of_.push_back(static_cast<int>(to - from));
            for (std::size_t i = from; i < to; ++i) {
                set_[positions[i]] = set;
                member_[positions[i]] = static_cast<int>(i - from);
            }
        }
    }

    void leave_set(int p) {
        if (set_[p] >= 0) --outside_of_[set_[p]];
        set_[p] = -1;
    }

    Snapshot current() const {
        Snapshot now;
        for (int slot = 0; slot < active_.slots(); ++slot)
            if (active_.open(slot) && active_.alpha(slot) != 0.0)
                now.push_back({active_.tag(slot), active_.alpha(slot)});
        std::sort(now.begin(), now.end());
        return now;
    }

    static Snapshot difference(const Snapshot& now, const Snapshot& before) {
        Snapshot change;
        std::size_t i = 0, j = 0;
        while (i < now.size() || j < before.size()) {
            if (j == before.size() || (i < now.size() && now[i].first < before[j].first)) {
                change.push_back(now[i++]);
            } else if (i == now.size() || before[j].first < now[i].first) {
                change.push_back({before[j].first, -before[j].second});
                ++j;
            } else {
                const double by = now[i].second - before[j].second;
                if (by != 0.0) change.push_back({now[i].first, by});
                ++i, ++j;
            }
        }
        return change;
    }

    // Brings gradients of these rows up to the machine of now.
    void score(const std::vector<int>& positions) {
        if (positions.empty()) return;
        const Snapshot now = current();
        const int latest = static_cast<int>(snapshots_.size());
        std::vector<std::vector<int>> by_version(latest);
        for (int p : positions) by_version[version_[p]].push_back(p);
        for (int v = 0; v < latest; ++v) {
            if (by_version[v].empty()) continue;
            apply(difference(now, snapshots_[v]), by_version[v]);
            if (control_.stopped()) return;
        }
        snapshots_.push_back(now);
        drift_.push_back(total_drift_);
        for (int p : positions) version_[p] = latest;
        ++sweeps_;
        rows_swept_ += static_cast<std::int64_t>(positions.size());
    }

    bool violates(double y, double gradient, double margin) const {
        if (!active_.has_pair()) return true;
        return y > 0 ? gradient - active_.low_value() > margin
                     : active_.up_value() - gradient > margin;
    }

    // Could this row outside violate, given how far the machine has moved since it was scored?
    // |f_now(x) - f_then(x)| <= |w_now - w_then| sqrt(K(x, x)) by Cauchy and Schwarz.
    bool may_violate(int p) const {
        if (source_.kernel().spec().kind == KernelKind::sigmoid || version_[p] == 0) return true;
        const double moved = (total_drift_ - drift_[version_[p]]) *
                             std::sqrt(std::max(0.0, source_.diagonal(problem_.rows[p])));
        const double y = problem_.y[p];
        return violates(y, gradient_[p] + (y > 0 ? moved : -moved), options_.tolerance);
    }

    // Scores the rows and takes the violating ones into the active set; false when there are none.
    bool admit(const std::vector<int>& positions, double margin) {
        score(positions);
        if (control_.stopped()) return false;
        std::vector<ActiveRow> rows;
        for (int p : positions) {
            if (!violates(problem_.y[p], gradient_[p], margin)) continue;
            rows.push_back(
                {problem_.rows[p], p, problem_.y[p], problem_.cost[p], 0.0, gradient_[p]});
            inside_[p] = 1;
            leave_set(p);
        }
        if (rows.empty()) return false;
        const bool first = active_.size() == 0;
        active_.set_cache(options_.cache_bytes - kept_.bytes());
        active_.insert(rows, !first);
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
        double squared = 0.0;  // |w_after - w_before|^2
        for (int s = 0; s < slots; ++s)
            squared += (active_.alpha(s) - alpha[s]) * (gradient[s] - active_.gradient(s));
        total_drift_ += std::sqrt(std::max(0.0, squared));
    }

    // Rows of the active set that carry nothing and do not violate go back outside.
    void retire() {
        std::vector<int> leaving;
        for (int s = 0; s < active_.slots(); ++s)
            if (active_.open(s) && active_.alpha(s) == 0.0 &&
                !violates(active_.y(s), active_.gradient(s), 0.0))
                leaving.push_back(s);
        if (leaving.empty()) return;
        const int latest = static_cast<int>(snapshots_.size());
        snapshots_.push_back(current());
        drift_.push_back(total_drift_);
        for (int s : leaving) {
            const int p = active_.tag(s);
            gradient_[p] = active_.gradient(s);
            version_[p] = latest;
            inside_[p] = 0;
            active_.remove(s);
        }
        active_.find_extremes();
    }

    BatchSolution result(bool clean) {
        BatchSolution solution;
        solution.alpha.assign(n_, 0.0);
        for (int s = 0; s < active_.slots(); ++s) {
            if (!active_.open(s)) continue;
            solution.alpha[active_.tag(s)] = active_.alpha(s);
            solution.objective += 0.5 * active_.alpha(s) * (active_.y(s) + active_.gradient(s));
        }
        if (active_.has_pair()) solution.bias = 0.5 * (active_.up_value() + active_.low_value());
        solution.gap = active_.gap();
        solution.steps = active_.steps();
        solution.sweeps = sweeps_;
        solution.rows_swept = rows_swept_;
        solution.interrupted = control_.stopped();
        solution.converged = clean && solution.gap <= options_.tolerance;
        return solution;
    }

    Source& source_;
    const BatchProblem& problem_;
    const BatchOptions& options_;
    Control& control_;
    const int n_;
    ActiveSet active_;
    KeptValues kept_;
    std::vector<double> gradient_;  // of rows outside, at their version
    std::vector<int> version_;      // the snapshot that a row outside was scored with
    std::vector<char> inside_;
    std::vector<int> set_, member_;    // where kernel values of a row outside are kept
    std::vector<int> outside_of_;      // rows of each set that are still outside
    std::vector<Snapshot> snapshots_;  // machines; number 0 is the empty one
    std::vector<double> drift_;        // how far the weight vector had moved at each of them
    double total_drift_ = 0.0;
    double size_before_ = 0.0, seen_before_ = 1.0;  // of the active set at the last portion
    std::int64_t sweeps_ = 0, rows_swept_ = 0;
    Progress progress_;
};

}  // namespace

BatchSolution solve_batch(Source& source, const BatchProblem& problem, const BatchOptions& options,
                          Control& control) {
    return BatchSolver(source, problem, options, control).run();
}

}  // namespace rarebit
