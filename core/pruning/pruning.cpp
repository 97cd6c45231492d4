#include "pruning/pruning.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pruning/pruning_solver.hpp"
#include "threads.hpp"

namespace rarebit {
namespace {

constexpr int kBlockRows = 192;
constexpr int kMostRefreshes = 4;
constexpr int kTrialsPerPoll = 64;        // per thread between two looks at the control
constexpr double kLeastTolerance = 1e-6;  // float32 gradients of trials say nothing below it

// What a machine is worth, the better the larger.
struct Worth {
    double right = 0.0, wrong = 0.0, slack = 0.0;

    bool beats(const Worth& other) const {
        // right / wrong > other.right / other.wrong, with a ratio of infinity for no error.
        const double own = right * other.wrong, theirs = other.right * wrong;
        if (own != theirs) return own > theirs;
        if (right != other.right) return right > other.right;
        return slack < other.slack;
    }
};

class Pruner {
  public:
    Pruner(KernelProvider& provider, const BatchProblem& problem, double minority,
           const BatchOptions& options, Control& control)
        : provider_(provider),
          problem_(problem),
          minority_(minority),
          tolerance_(std::max(options.tolerance, kLeastTolerance)),
          control_(control),
          members_(rows_that_are(problem, minority, true)),
          others_(rows_that_are(problem, minority, false)),
          m_(static_cast<int>(members_.size())),
          solver_(of_members(problem.y), of_members(problem.cost), tolerance_) {
        for (int p : others_) outer_y_.push_back(problem.y[p]);
        for (double side : problem.y) ++(side == minority ? n_minority_ : n_majority_);
        compute_values();
    }

    PrunePath run(bool floating, int most) {
        open_first();
        record(-1);
        std::vector<int> removed;
        while (!stopped()) {
            const int left = static_cast<int>(majority_left().size());
            if (left <= 1 || static_cast<int>(removed.size()) >= most) break;
            const int slot = best_removal();
            if (slot < 0) break;
            solver_.remove(&now_, slot);
            settle();
            removed.push_back(slot);
            record(members_[slot]);
            if (floating) take_back(&removed);
        }
        PrunePath path;
        path.members = members_;
        path.points = std::move(points_);
        path.trials = trials_;
        path.steps = solver_.steps();
        path.interrupted = control_.stopped();
        return path;
    }

  private:
    static std::vector<int> rows_that_are(const BatchProblem& problem, double minority,
                                          bool members) {
        std::vector<int> rows;
        for (int p = 0; p < static_cast<int>(problem.rows.size()); ++p) {
            const bool member =
                problem.cost[p] > 0.0 && (problem.y[p] == minority || problem.start[p] != 0.0);
            if (member == members) rows.push_back(p);
        }
        return rows;
    }
    std::vector<double> of_members(const std::vector<double>& values) const {
        std::vector<double> own;
        for (int p : members_) own.push_back(values[p]);
        return own;
    }

    void compute_values() {
        std::vector<std::int32_t> ids, rest;
        for (int p : members_) ids.push_back(problem_.rows[p]);
        for (int p : others_) rest.push_back(problem_.rows[p]);
        PackedRows inside = provider_.packed_rows(), outside = provider_.packed_rows();
        inside.assign(ids);
        outside.assign(rest);
        outer_.assign(static_cast<std::size_t>(m_) * rest.size(), 0.0f);
        for (int from = 0; from < m_ && !stopped(); from += kBlockRows) {
            const int count = std::min(kBlockRows, m_ - from);
            std::vector<float*> own(count), far(count);
            for (int i = 0; i < count; ++i) {
                own[i] = solver_.row(from + i);
                far[i] = outer_row(from + i);
            }
            provider_.compute(ids.data() + from, count, inside, own.data());
            provider_.compute(ids.data() + from, count, outside, far.data());
        }
        for (int s = 0; s < m_; ++s) solver_.set_diagonal(s, provider_.diagonal(ids[s]));
    }

    double y(int slot) const { return solver_.y(slot); }
    float* outer_row(int slot) {
        return outer_.data() + static_cast<std::size_t>(slot) * others_.size();
    }

    bool stopped() {
        progress_.steps = solver_.steps();
        return control_.poll(progress_);
    }

    void open_first() {
        now_ = solver_.begin(of_members(problem_.start));
        exact_.assign(solver_.stride(), 0.0);
        outer_sums_.assign(others_.size(), 0.0);
        settle();
    }

    std::vector<int> majority_left() const {
        std::vector<int> slots;
        for (int s = 0; s < m_; ++s)
            if (now_.open[s] && y(s) != minority_) slots.push_back(s);
        return slots;
    }

    // Gradients of the current machine in float64; returns how far it is from optimal.
    double refresh() {
        std::fill(exact_.begin(), exact_.end(), 0.0);
        std::fill(outer_sums_.begin(), outer_sums_.end(), 0.0);
        std::vector<const float*> inner, outer;
        std::vector<double> alpha;
        for (int s = 0; s < m_; ++s) {
            if (now_.alpha[s] == 0.0) continue;
            inner.push_back(solver_.row(s));
            outer.push_back(outer_row(s));
            alpha.push_back(now_.alpha[s]);
        }
        const int n = static_cast<int>(alpha.size());
        loops_.add_rows(m_, inner.data(), alpha.data(), n, exact_.data());
        loops_.add_rows(static_cast<int>(others_.size()), outer.data(), alpha.data(), n,
                        outer_sums_.data());
        double up = -std::numeric_limits<double>::infinity(), low = -up;
        for (int s = 0; s < m_; ++s) {
            exact_[s] = y(s) - exact_[s];
            if (now_.up_gate[s] == 0.0f) up = std::max(up, exact_[s]);
            if (now_.low_gate[s] == 0.0f) low = std::min(low, exact_[s]);
        }
        origin_ = std::isfinite(up) && std::isfinite(low) ? 0.5 * (up + low) : 0.0;
        for (int s = 0; s < m_; ++s) now_.gradient[s] = static_cast<float>(exact_[s] - origin_);
        solver_.find_up(&now_);
        return up - low;
    }

    // Takes steps until exact gradients agree with the tolerance. Those of free members are then
    // made equal, so that trials begin there and what was left is not solved anew in each.
    void settle() {
        bool levelled = false;
        for (int round = 0;; ++round) {
            if (refresh() > tolerance_ && round < kMostRefreshes) {
                solver_.solve(&now_);
                continue;
            }
            if (levelled || !solver_.make_ready(&now_)) return;
            levelled = true;
        }
    }

    // What one thread tries machines with.
    struct Trial {
        PruningState at;
        AlignedVector<double> sums;
        std::vector<const float*> rows;
        std::vector<double> changes;
    };

    // Judges the machine on all rows of the problem.
    Worth judge(const PruningState& at, Trial* scratch) {
        const double bias = solver_.middle(at);
        scratch->sums = outer_sums_;
        scratch->rows.clear();
        scratch->changes.clear();
        for (int s = 0; s < m_; ++s) {
            if (at.alpha[s] == now_.alpha[s]) continue;
            scratch->rows.push_back(outer_row(s));
            scratch->changes.push_back(at.alpha[s] - now_.alpha[s]);
        }
        loops_.add_rows(static_cast<int>(others_.size()), scratch->rows.data(),
                        scratch->changes.data(), static_cast<int>(scratch->changes.size()),
                        scratch->sums.data());
        int right = 0, wrong = 0;
        double slack = 0.0;
        const auto count = [&](double side, double decision) {
            const bool own = side == minority_, correct = (decision > 0.0) == (side > 0.0);
            slack += std::max(0.0, 1.0 - side * decision);
            right += own & correct;
            wrong += !(own | correct);
        };
        for (int s = 0; s < m_; ++s) count(y(s), y(s) - at.gradient[s] + bias);
        for (std::size_t i = 0; i < others_.size(); ++i)
            count(outer_y_[i], scratch->sums[i] + bias + origin_);
        Worth worth;
        worth.right = n_minority_ > 0 ? static_cast<double>(right) / n_minority_ : 0.0;
        worth.wrong = n_majority_ > 0 ? static_cast<double>(wrong) / n_majority_ : 0.0;
        worth.slack = slack / std::max(1, n_minority_ + n_majority_);
        return worth;
    }

    int best_removal() {
        const std::vector<int> slots = majority_left();
        std::vector<Worth> worths(slots.size());
        Trial first;
        const Worth unchanged = judge(now_, &first);
        // Every thread tries its share with a solver and a state of its own.
        const int threads = threads_allowed();
        const int chunk = kTrialsPerPoll * threads, count = static_cast<int>(slots.size());
        std::vector<PruningSolver> solvers(threads > 1 ? threads : 0, solver_);
        std::vector<Trial> trials(threads);
        for (int from = 0; from < count; from += chunk) {
            const int part = std::min(chunk, count - from);
            run_ranges(part, 1, threads, [&](int number, int begin, int end) {
                PruningSolver& solver = threads > 1 ? solvers[number] : solver_;
                Trial& trial = trials[number];
                for (int i = from + begin; i < from + end; ++i) {
                    // Without a coefficient its absence changes nothing.
                    worths[i] = unchanged;
                    if (now_.alpha[slots[i]] == 0.0) continue;
                    trial.at = now_;
                    solver.remove(&trial.at, slots[i]);
                    worths[i] = judge(trial.at, &trial);
                }
            });
            trials_ += part;
            if (part == chunk && stopped()) return -1;
        }
        const std::int64_t before = solver_.steps();
        for (const PruningSolver& solver : solvers) solver_.add_steps(solver.steps() - before);
        int best = -1;
        for (int i = 0; i < count; ++i)
            if (best < 0 || worths[i].beats(worths[best])) best = i;
        return best < 0 ? -1 : slots[best];
    }

    void take_back(std::vector<int>* removed) {
        while (removed->size() >= 2 && !stopped()) {
            const Worth& record_of = worths_[removed->size() - 1];
            int best = -1;
            Worth best_worth;
            for (std::size_t i = 0; i + 1 < removed->size(); ++i) {
                trial_.at = now_;
                solver_.reopen(&trial_.at, (*removed)[i]);
                const Worth worth = judge(trial_.at, &trial_);
                ++trials_;
                if (best < 0 || worth.beats(best_worth))
                    best = static_cast<int>(i), best_worth = worth;
            }
            if (best < 0 || !clearly_beats(best_worth, record_of)) return;
            solver_.reopen(&now_, (*removed)[best]);
            removed->erase(removed->begin() + best);
            settle();
            points_.resize(removed->size());
            worths_.resize(removed->size());
            record(-1);
        }
    }

    // Better by J itself: differences of slack would let members come and go for ever.
    static bool clearly_beats(const Worth& a, const Worth& b) {
        return a.right * b.wrong > b.right * a.wrong ||
               (a.right * b.wrong == b.right * a.wrong && a.right > b.right);
    }

    void record(int removed) {
        const Worth worth = judge(now_, &trial_);
        PrunePoint point;
        point.removed = removed;
        for (int p : members_) point.machine.rows.push_back(problem_.rows[p]);
        point.machine.alpha = now_.alpha;
        point.machine.bias = solver_.middle(now_) + origin_;
        point.minority_right = worth.right;
        point.majority_wrong = worth.wrong;
        point.slack = worth.slack;
        points_.push_back(std::move(point));
        worths_.push_back(worth);
    }

    KernelProvider& provider_;
    const BatchProblem& problem_;
    const double minority_, tolerance_;
    Control& control_;
    const HotLoops& loops_ = hot_loops();
    const std::vector<int> members_, others_;  // positions in the problem
    const int m_;
    PruningSolver solver_;
    AlignedVector<float> outer_;  // kernel values of members and others
    std::vector<double> outer_y_;
    int n_minority_ = 0, n_majority_ = 0;
    AlignedVector<double> exact_, outer_sums_;
    double origin_ = 0.0;
    PruningState now_;
    Trial trial_;
    std::vector<PrunePoint> points_;
    std::vector<Worth> worths_;
    std::int64_t trials_ = 0;
    Progress progress_;
};

}  // namespace

PrunePath prune(KernelProvider& provider, const BatchProblem& problem, double minority,
                bool floating, int most, const BatchOptions& options, Control& control) {
    return Pruner(provider, problem, minority, options, control).run(floating, most);
}

}  // namespace rarebit
