#include "pruning.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rarebit {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr int kBlockRows = 192;
constexpr std::int64_t kMostSteps = 100000;  // of one trial
constexpr int kMostRefreshes = 4;
constexpr int kMostFree = 256;  // rows inside their boxes up to which their system is inverted

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

struct State {
    std::vector<double> alpha;
    std::vector<char> open;  // members that may have a coefficient
    AlignedVector<float> gradient, up_gate, low_gate;
    Extreme up{0.0f};
};

class Pruner {
  public:
    Pruner(Source& source, const BatchProblem& problem, double minority,
           const BatchOptions& options, Control& control)
        : source_(source),
          problem_(problem),
          minority_(minority),
          options_(options),
          control_(control) {
        const int n = static_cast<int>(problem.rows.size());
        for (int p = 0; p < n; ++p) {
            const bool member =
                problem.cost[p] > 0.0 && (problem.y[p] == minority || problem.start[p] != 0.0);
            (member ? members_ : others_).push_back(p);
        }
        m_ = static_cast<int>(members_.size());
        stride_ = std::max(64, (m_ + 63) / 64 * 64);
        compute_values();
    }

    PrunePath run(bool floating, int most) {
        open_first();
        record(-1);
        std::vector<int> removed;
        while (!control_.poll(progress_)) {
            const int left = static_cast<int>(majority_left().size());
            if (left <= 1 || static_cast<int>(removed.size()) >= most) break;
            const int slot = best_removal();
            if (slot < 0) break;
            close(slot);
            removed.push_back(slot);
            record(members_[slot]);
            if (floating) take_back(&removed);
        }
        PrunePath path;
        path.members = members_;
        path.points = std::move(points_);
        path.trials = trials_;
        path.steps = progress_.steps;
        path.interrupted = control_.stopped();
        return path;
    }

  private:
    void compute_values() {
        std::vector<std::int32_t> ids, rest;
        for (int p : members_) ids.push_back(problem_.rows[p]);
        for (int p : others_) rest.push_back(problem_.rows[p]);
        Operand inside = source_.operand(), outside = source_.operand();
        inside.assign(ids);
        outside.assign(rest);
        values_.assign(static_cast<std::size_t>(m_) * stride_, 0.0f);
        outer_.assign(static_cast<std::size_t>(m_) * rest.size(), 0.0f);
        diagonal_.assign(stride_, 0.0f);
        zeros_.assign(stride_, 0.0f);
        for (int from = 0; from < m_ && !control_.poll(progress_); from += kBlockRows) {
            const int count = std::min(kBlockRows, m_ - from);
            std::vector<float*> own(count), far(count);
            for (int i = 0; i < count; ++i) {
                own[i] = values_.data() + static_cast<std::size_t>(from + i) * stride_;
                far[i] = outer_.data() + static_cast<std::size_t>(from + i) * rest.size();
            }
            source_.compute(ids.data() + from, count, inside, own.data());
            source_.compute(ids.data() + from, count, outside, far.data());
        }
        for (int s = 0; s < m_; ++s) {
            diagonal_[s] = static_cast<float>(source_.diagonal(ids[s]));
            values_[static_cast<std::size_t>(s) * stride_ + s] = diagonal_[s];
        }
    }

    const float* row(int slot) const {
        return values_.data() + static_cast<std::size_t>(slot) * stride_;
    }
    double y(int slot) const { return problem_.y[members_[slot]]; }
    double lower(int slot) const { return y(slot) > 0 ? 0.0 : -problem_.cost[members_[slot]]; }
    double upper(int slot) const { return y(slot) > 0 ? problem_.cost[members_[slot]] : 0.0; }

    void set_gates(State* at, int slot) const {
        at->up_gate[slot] = at->open[slot] && at->alpha[slot] < upper(slot) ? 0.0f : -kInfinity;
        at->low_gate[slot] = at->open[slot] && at->alpha[slot] > lower(slot) ? 0.0f : kInfinity;
    }

    void open_first() {
        now_.alpha.resize(m_);
        now_.open.assign(m_, 1);
        now_.gradient.assign(stride_, 0.0f);
        now_.up_gate.assign(stride_, -kInfinity);
        now_.low_gate.assign(stride_, kInfinity);
        exact_.assign(stride_, 0.0);
        outer_sums_.assign(others_.size(), 0.0);
        for (int s = 0; s < m_; ++s) {
            now_.alpha[s] = problem_.start[members_[s]];
            set_gates(&now_, s);
        }
        settle();
    }

    std::vector<int> majority_left() const {
        std::vector<int> slots;
        for (int s = 0; s < m_; ++s)
            if (now_.open[s] && y(s) != minority_) slots.push_back(s);
        return slots;
    }

    // Gradients of the current machine in float64, and steps until they agree with the tolerance.
    void settle() {
        for (int round = 0;; ++round) {
            std::fill(exact_.begin(), exact_.end(), 0.0);
            std::fill(outer_sums_.begin(), outer_sums_.end(), 0.0);
            for (int s = 0; s < m_; ++s) {
                if (now_.alpha[s] == 0.0) continue;
                loops_.add_row(m_, row(s), now_.alpha[s], exact_.data());
                loops_.add_row(static_cast<int>(others_.size()),
                               outer_.data() + static_cast<std::size_t>(s) * others_.size(),
                               now_.alpha[s], outer_sums_.data());
            }
            double up = -std::numeric_limits<double>::infinity(), low = -up;
            for (int s = 0; s < m_; ++s) {
                exact_[s] = y(s) - exact_[s];
                if (now_.up_gate[s] == 0.0f) up = std::max(up, exact_[s]);
                if (now_.low_gate[s] == 0.0f) low = std::min(low, exact_[s]);
            }
            origin_ = std::isfinite(up) && std::isfinite(low) ? 0.5 * (up + low) : 0.0;
            now_.up = {-kInfinity};
            for (int s = 0; s < m_; ++s) {
                now_.gradient[s] = static_cast<float>(exact_[s] - origin_);
                if (now_.gradient[s] + now_.up_gate[s] > now_.up.value)
                    now_.up = {now_.gradient[s], s};
            }
            if (!(up - low > options_.tolerance) || round == kMostRefreshes) return;
            solve(&now_);
        }
    }

    void move(State* at, int up, int low, double by) {
        const double grain_up = 1e-14 * problem_.cost[members_[up]];
        const double grain_low = 1e-14 * problem_.cost[members_[low]];
        const double room_up = upper(up) - at->alpha[up], room_low = at->alpha[low] - lower(low);
        at->alpha[up] = room_up - by <= grain_up ? upper(up) : at->alpha[up] + by;
        at->alpha[low] = room_low - by <= grain_low ? lower(low) : at->alpha[low] - by;
        set_gates(at, up);
        set_gates(at, low);
        at->up = loops_.move32(stride_, row(up), row(low), static_cast<float>(by),
                               at->gradient.data(), at->up_gate.data());
        ++progress_.steps;
    }

    void solve(State* at) {
        for (std::int64_t step = 0; step < kMostSteps && at->up.index >= 0; ++step) {
            const int up = at->up.index;
            const Partner found =
                loops_.partner32(stride_, row(up), at->gradient.data(), at->low_gate.data(),
                                 diagonal_.data(), at->up.value, diagonal_[up]);
            if (found.low.index < 0 ||
                static_cast<double>(at->up.value) - found.low.value <= 0.9 * options_.tolerance)
                return;
            const int low = found.best < 0 || found.best == up ? found.low.index : found.best;
            const double curvature = std::max(
                static_cast<double>(diagonal_[up]) + diagonal_[low] - 2.0 * row(up)[low], 1e-12);
            const double by =
                (static_cast<double>(at->gradient[up]) - at->gradient[low]) / curvature;
            move(at, up, low,
                 std::min({by, upper(up) - at->alpha[up], at->alpha[low] - lower(low)}));
        }
    }

    // Takes the coefficient of a majority row to 0 by the exchanges that cost least, and shuts it.
    void expel(State* at, int slot) {
        const bool grows = at->alpha[slot] < 0.0;  // towards 0
        at->open[slot] = 0;
        while (at->alpha[slot] != 0.0) {
            const double left = std::abs(at->alpha[slot]);
            int partner = -1;
            double best = -std::numeric_limits<double>::infinity(), amount = 0.0;
            for (int s = 0; s < m_; ++s) {
                if (s == slot || !at->open[s]) continue;
                const double room = grows ? at->alpha[s] - lower(s) : upper(s) - at->alpha[s];
                if (room <= 0.0) continue;
                const double by = std::min(left, room);
                const double slope = (grows ? 1.0 : -1.0) *
                                     (static_cast<double>(at->gradient[slot]) - at->gradient[s]);
                const double curvature =
                    static_cast<double>(diagonal_[slot]) + diagonal_[s] - 2.0 * row(slot)[s];
                const double gain = (slope - 0.5 * by * curvature) * by / left;
                if (gain > best) best = gain, partner = s, amount = by;
            }
            if (partner < 0) break;
            if (grows)
                move(at, slot, partner, amount);
            else
                move(at, partner, slot, amount);
        }
        set_gates(at, slot);
    }

    // The constant that puts the middle of the gap on the border, counted from the origin.
    double middle(const State& at) const {
        float up = -kInfinity, low = kInfinity;
        for (int s = 0; s < m_; ++s) {
            up = std::max(up, at.gradient[s] + at.up_gate[s]);
            low = std::min(low, at.gradient[s] + at.low_gate[s]);
        }
        if (up == -kInfinity) return low == kInfinity ? 0.0 : low;
        return low == kInfinity ? up : 0.5 * (static_cast<double>(up) + low);
    }

    // Judges the machine on all rows of the problem.
    Worth judge(const State& at) {
        const double bias = middle(at);
        outer_trial_ = outer_sums_;
        for (int s = 0; s < m_; ++s)
            if (at.alpha[s] != now_.alpha[s])
                loops_.add_row(static_cast<int>(others_.size()),
                               outer_.data() + static_cast<std::size_t>(s) * others_.size(),
                               at.alpha[s] - now_.alpha[s], outer_trial_.data());
        double right = 0.0, wrong = 0.0, slack = 0.0, rare = 0.0, rest = 0.0;
        const auto count = [&](double side, double decision) {
            const bool positive = decision > 0.0;
            slack += std::max(0.0, 1.0 - side * decision);
            if (side == minority_) {
                rare += 1.0;
                right += positive == (side > 0.0);
            } else {
                rest += 1.0;
                wrong += positive != (side > 0.0);
            }
        };
        for (int s = 0; s < m_; ++s) count(y(s), y(s) - at.gradient[s] + bias);
        for (std::size_t i = 0; i < others_.size(); ++i)
            count(problem_.y[others_[i]], outer_trial_[i] + bias + origin_);
        Worth worth;
        worth.right = rare > 0.0 ? right / rare : 0.0;
        worth.wrong = rest > 0.0 ? wrong / rest : 0.0;
        worth.slack = slack / std::max(1.0, rare + rest);
        return worth;
    }

    // Members strictly inside their boxes stay there under a small change, so that the change of
    // their coefficients solves a linear system, the same for all trials of a round. With A the
    // kernel values among them, inverse_ is A^-1 less its part that would change the sum, and
    // carry_ what they take over of a change elsewhere.
    void invert_free() {
        free_.clear();
        for (int s = 0; s < m_; ++s)
            if (now_.up_gate[s] == 0.0f && now_.low_gate[s] == 0.0f) free_.push_back(s);
        const int f = static_cast<int>(free_.size());
        if (f > kMostFree) free_.clear();
        if (free_.empty()) return;
        std::vector<double> a(static_cast<std::size_t>(f) * f);
        inverse_.assign(static_cast<std::size_t>(f) * f, 0.0);
        for (int i = 0; i < f; ++i) {
            for (int j = 0; j < f; ++j) a[i * f + j] = row(free_[i])[free_[j]];
            a[i * f + i] += 1e-6 * std::max(1e-6f, std::abs(diagonal_[free_[i]]));
            inverse_[i * f + i] = 1.0;
        }
        for (int p = 0; p < f; ++p) {
            const double pivot = a[p * f + p];
            // Only a kernel that is not definite gets here; steps alone must do then.
            if (!(pivot > 1e-12)) {
                free_.clear();
                return;
            }
            for (int j = 0; j < f; ++j) a[p * f + j] /= pivot, inverse_[p * f + j] /= pivot;
            for (int i = 0; i < f; ++i) {
                const double by = a[i * f + p];
                if (i == p || by == 0.0) continue;
                for (int j = 0; j < f; ++j) {
                    a[i * f + j] -= by * a[p * f + j];
                    inverse_[i * f + j] -= by * inverse_[p * f + j];
                }
            }
        }
        carry_.assign(f, 0.0);
        double total = 0.0;
        for (int i = 0; i < f; ++i)
            for (int j = 0; j < f; ++j) carry_[i] += inverse_[i * f + j];
        for (double c : carry_) total += c;
        for (int i = 0; i < f; ++i)
            for (int j = 0; j < f; ++j) inverse_[i * f + j] -= carry_[i] * carry_[j] / total;
        for (double& c : carry_) c /= total;
    }

    // Takes member b out of the system: its coefficient stays where it is.
    void fix(int b) {
        const int f = static_cast<int>(free_.size());
        const double pivot = system_[b * f + b];
        for (int i = 0; i < f; ++i)
            change_[i] -= i == b ? 0.0 : system_[i * f + b] * change_[b] / pivot;
        for (int i = 0; i < f; ++i) {
            const double by = system_[i * f + b] / pivot;
            if (i == b || by == 0.0) continue;
            for (int j = 0; j < f; ++j) system_[i * f + j] -= by * system_[b * f + j];
        }
        for (int i = 0; i < f; ++i) system_[i * f + b] = system_[b * f + i] = 0.0;
        change_[b] = 0.0;
    }

    // Moves the coefficient of a slot to 0 with all free members following; one that reaches its
    // limit stays there. What this leaves to do is for expel() and solve().
    void slide(State* at, int slot) {
        const int f = static_cast<int>(free_.size());
        if (f < 3) return;
        system_ = inverse_;
        change_.assign(f, 0.0);
        moved_.assign(f, 0.0);
        const double own = -at->alpha[slot];
        const auto found = std::find(free_.begin(), free_.end(), slot);
        if (found != free_.end()) {
            const int k = static_cast<int>(found - free_.begin());
            if (!(system_[k * f + k] > 1e-9)) return;
            change_[k] = -own;  // fixing it at 0 undoes its coefficient
            fix(k);
        } else {
            for (int j = 0; j < f; ++j) {
                const double by = own * static_cast<double>(row(slot)[free_[j]]);
                for (int i = 0; i < f; ++i) change_[i] -= inverse_[j * f + i] * by;
            }
            for (int i = 0; i < f; ++i) change_[i] -= own * carry_[i];
        }
        double left = 1.0;
        for (int hits = 0; hits < f - 2; ++hits) {
            double reach = left;
            int blocking = -1;
            for (int i = 0; i < f; ++i) {
                const int s = free_[i];
                if (change_[i] == 0.0) continue;
                const double room =
                    (change_[i] > 0.0 ? upper(s) : lower(s)) - at->alpha[s] - moved_[i];
                if (room / change_[i] < reach)
                    reach = std::max(0.0, room / change_[i]), blocking = i;
            }
            for (int i = 0; i < f; ++i) moved_[i] += reach * change_[i];
            left -= reach;
            if (blocking < 0 || !(system_[blocking * f + blocking] > 1e-9)) break;
            fix(blocking);
        }
        double sum = 0.0;
        for (int i = 0; i < f; ++i) {
            if (moved_[i] == 0.0) continue;
            const int s = free_[i];
            const double before = at->alpha[s];
            at->alpha[s] = std::min(upper(s), std::max(lower(s), before + moved_[i]));
            if (upper(s) - at->alpha[s] < 1e-12 * (upper(s) - lower(s))) at->alpha[s] = upper(s);
            if (at->alpha[s] - lower(s) < 1e-12 * (upper(s) - lower(s))) at->alpha[s] = lower(s);
            const double by = at->alpha[s] - before;
            sum += by;
            set_gates(at, s);
            loops_.move32(stride_, row(s), zeros_.data(), static_cast<float>(by),
                          at->gradient.data(), at->up_gate.data());
        }
        // The slot takes what keeps the sum at 0.
        at->alpha[slot] -= sum;
        set_gates(at, slot);
        at->up = loops_.move32(stride_, row(slot), zeros_.data(), static_cast<float>(-sum),
                               at->gradient.data(), at->up_gate.data());
        if (std::abs(at->alpha[slot]) <= 1e-9 * problem_.cost[members_[slot]])
            settle_slot(at, slot);
    }

    // Rounding may leave a coefficient a hair from 0; the first free member takes the hair.
    void settle_slot(State* at, int slot) {
        const double hair = at->alpha[slot];
        if (hair == 0.0) return;
        for (int s : free_) {
            const double moved = at->alpha[s] + hair;
            if (s == slot || moved <= lower(s) || moved >= upper(s)) continue;
            at->alpha[s] = moved;
            at->alpha[slot] = 0.0;
            return;
        }
    }

    int best_removal() {
        invert_free();
        int best = -1;
        Worth best_worth, unchanged;
        bool judged = false;
        for (int slot : majority_left()) {
            Worth worth;
            if (now_.alpha[slot] == 0.0) {
                // Without a coefficient its absence changes nothing.
                if (!judged) unchanged = judge(now_), judged = true;
                worth = unchanged;
            } else {
                trial_ = now_;
                slide(&trial_, slot);
                expel(&trial_, slot);
                solve(&trial_);
                worth = judge(trial_);
            }
            ++trials_;
            if (best < 0 || worth.beats(best_worth)) best = slot, best_worth = worth;
            if (trials_ % 64 == 0 && control_.poll(progress_)) return -1;
        }
        return best;
    }

    void close(int slot) {
        expel(&now_, slot);
        solve(&now_);
        settle();
    }

    void reopen(State* at, int slot) {
        at->open[slot] = 1;
        set_gates(at, slot);
        const float* none = row(slot);
        at->up = loops_.move32(stride_, none, none, 0.0f, at->gradient.data(), at->up_gate.data());
        solve(at);
    }

    void take_back(std::vector<int>* removed) {
        while (removed->size() >= 2 && !control_.poll(progress_)) {
            const Worth& record_of = worths_[removed->size() - 1];
            int best = -1;
            Worth best_worth;
            for (std::size_t i = 0; i + 1 < removed->size(); ++i) {
                trial_ = now_;
                reopen(&trial_, (*removed)[i]);
                const Worth worth = judge(trial_);
                ++trials_;
                if (best < 0 || worth.beats(best_worth))
                    best = static_cast<int>(i), best_worth = worth;
            }
            if (best < 0 || !clearly_beats(best_worth, record_of)) return;
            reopen(&now_, (*removed)[best]);
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
        const Worth worth = judge(now_);
        PrunePoint point;
        point.removed = removed;
        point.alpha = now_.alpha;
        point.bias = middle(now_) + origin_;
        point.minority_right = worth.right;
        point.majority_wrong = worth.wrong;
        point.slack = worth.slack;
        points_.push_back(std::move(point));
        worths_.push_back(worth);
    }

    Source& source_;
    const BatchProblem& problem_;
    const double minority_;
    const BatchOptions& options_;
    Control& control_;
    const HotLoops& loops_ = hot_loops();
    std::vector<int> members_, others_;
    int m_ = 0, stride_ = 0;
    AlignedVector<float> values_, outer_, diagonal_;
    AlignedVector<double> exact_, outer_sums_, outer_trial_;
    double origin_ = 0.0;
    State now_, trial_;
    std::vector<int> free_;
    std::vector<double> inverse_, carry_, system_, change_, moved_;
    AlignedVector<float> zeros_;
    std::vector<PrunePoint> points_;
    std::vector<Worth> worths_;
    std::int64_t trials_ = 0;
    Progress progress_;
};

}  // namespace

PrunePath prune(Source& source, const BatchProblem& problem, double minority, bool floating,
                int most, const BatchOptions& options, Control& control) {
    return Pruner(source, problem, minority, options, control).run(floating, most);
}

}  // namespace rarebit
