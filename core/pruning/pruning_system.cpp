// Moves of all free members at a time.
#include <algorithm>
#include <cmath>

#include "pruning/pruning_solver.hpp"

namespace rarebit {
namespace {

constexpr int kMostFree = 256;  // members whose system is inverted
constexpr int kMostTurns = 24;  // of members that join the free ones or leave them, in one call
// Shares of the tolerance: gradients of free members differ by less, others press by less.
constexpr double kLevelled = 0.05, kPressing = 0.4;
constexpr double kSmallest = 1e-9;  // share of its own value that a member must add to others

}  // namespace

// Members strictly inside their boxes, the free ones, stay there under a small change, so that
// the change of their coefficients solves a linear system, the same for all trials of a round.
void PruningSolver::invert_free(const PruningState& now) {
    free_.clear();
    for (int s = 0; s < m_; ++s)
        if (now.up_gate[s] == 0.0f && now.low_gate[s] == 0.0f) free_.push_back(s);
    const int f = static_cast<int>(free_.size());
    if (f < 3 || f > kMostFree) {
        free_.clear();
        return;
    }
    std::vector<double> a(static_cast<std::size_t>(f) * f);
    for (int i = 0; i < f; ++i) {
        for (int j = 0; j < f; ++j) a[i * f + j] = row(free_[i])[free_[j]];
        a[i * f + i] += 1e-6 * std::max(1e-6f, std::abs(diagonal_[free_[i]]));
    }
    // Only a kernel that is not definite has no inverse; steps alone must do then.
    if (!inverse_.invert(std::move(a), f)) free_.clear();
}

// Makes a copy of the round's system, which the trial may change.
bool PruningSolver::load_system() {
    if (free_.empty()) return false;
    system_ = inverse_;
    members_of_.assign(free_.begin(), free_.end());
    inside_.assign(m_, 0);
    for (int s : free_) inside_[s] = 1;
    const std::size_t most = 1 + free_.size() + BorderedInverse::kMostAppended;
    values_of_.resize(most);
    effect_.resize(most);
    change_.resize(most);
    return true;
}

// The last member cannot: the coefficients must sum to what they summed to.
bool PruningSolver::may_leave(int i) const {
    return system_.pivot(i) * static_cast<double>(diagonal_[members_of_[i]]) > kSmallest;
}

void PruningSolver::leave_system(int i) {
    inside_[members_of_[i]] = 0;
    members_of_[i] = -1;
    system_.remove(i);
}

// Adds to a coefficient; the gradients wait for follow().
void PruningSolver::shift(PruningState* at, int s, double by) {
    double alpha = at->alpha[s] + by;
    const double low = lower(s), high = upper(s), grain = 1e-12 * (high - low);
    const bool inside = high - alpha >= grain && alpha - low >= grain;
    if (!inside) alpha = high - alpha < grain ? high : low;
    at->alpha[s] = alpha;
    // The gates of a free member stay open while it is inside.
    if (!inside || at->up_gate[s] != 0.0f || at->low_gate[s] != 0.0f) set_gates(at, s);
    moved_rows_.push_back(row(s));
    moved_by_.push_back(static_cast<float>(by));
}

void PruningSolver::follow(PruningState* at) {
    loops_.move_rows32(stride_, moved_rows_.data(), moved_by_.data(),
                       static_cast<int>(moved_by_.size()), at->gradient.data());
    moved_rows_.clear();
    moved_by_.clear();
}

// Goes along change_[1 + i] for member i and `own` for slot v until the end or until one of
// them reaches its limit. Returns the share gone; *blocking is that member, or its number
// beyond the members for v, or -1.
double PruningSolver::go(PruningState* at, int v, double own, double share, int* blocking) {
    const int f = system_.members();
    double reach = share;
    *blocking = -1;
    const auto limit = [&](int s, double by, int number) {
        const double room = by > 0.0 ? upper(s) - at->alpha[s] : at->alpha[s] - lower(s);
        if (room >= reach * std::abs(by)) return;
        reach = std::max(0.0, room / std::abs(by));
        *blocking = number;
    };
    for (int i = 0; i < f; ++i)
        if (members_of_[i] >= 0) limit(members_of_[i], change_[1 + i], i);
    if (v >= 0) limit(v, own, f);
    for (int i = 0; i < f; ++i)
        if (members_of_[i] >= 0) shift(at, members_of_[i], reach * change_[1 + i]);
    if (v >= 0) shift(at, v, reach * own);
    return reach;
}

// Moves the coefficient of a slot to 0 with all free members following; one that reaches its
// limit stays there. What this leaves to do is for expel(), admit() and solve(). False, and nothing
// is moved, where the slot cannot be told from other members.
bool PruningSolver::slide(PruningState* at, int slot) {
    const double own = -at->alpha[slot];
    const auto found = std::find(members_of_.begin(), members_of_.end(), slot);
    if (found != members_of_.end()) {
        const int k = static_cast<int>(found - members_of_.begin());
        if (!may_leave(k)) return false;
        // Its own column says how the others answer to it.
        const double by = own / system_.pivot(k);
        for (int i = 0; i <= system_.members(); ++i) change_[i] = by * system_.column(k)[i];
        leave_system(k);
    } else {
        if (!std::isfinite(measure_effect(slot))) return false;
        for (int i = 0; i <= system_.members(); ++i) change_[i] = -own * effect_[i];
    }
    double left = 1.0;
    for (int hits = 0; hits < kMostTurns; ++hits) {
        int blocking = -1;
        left -= go(at, slot, own, left, &blocking);
        if (blocking < 0 || blocking >= system_.members()) break;
        if (!may_leave(blocking)) break;
        // The others take over what the blocking member would have done.
        const double by = change_[1 + blocking] / system_.pivot(blocking);
        const double* column = system_.column(blocking);
        for (int i = 0; i <= system_.members(); ++i) change_[i] -= by * column[i];
        leave_system(blocking);
    }
    follow(at);
    if (std::abs(at->alpha[slot]) <= 1e-9 * cost_[slot]) settle_slot(at, slot);
    return true;
}

// How much the members, and the constant, answer to a unit of slot v.
double PruningSolver::measure_effect(int v) {
    const int f = system_.members();
    values_of_[0] = 1.0;
    for (int i = 0; i < f; ++i)
        values_of_[1 + i] = members_of_[i] < 0 ? 0.0 : row(v)[members_of_[i]];
    system_.apply(values_of_.data(), effect_.data());
    double excess = diagonal_[v];
    for (int i = 0; i <= f; ++i) excess -= values_of_[i] * effect_[i];
    return excess;
}

// Mean gradient of the members, and the largest distance from it.
std::pair<double, double> PruningSolver::level(const PruningState& at) const {
    double sum = 0.0, count = 0.0, apart = 0.0;
    for (int s : members_of_)
        if (s >= 0) sum += at.gradient[s], count += 1.0;
    if (count == 0.0) return {0.0, -1.0};
    for (int s : members_of_)
        if (s >= 0) apart = std::max(apart, std::abs(at.gradient[s] - sum / count));
    return {sum / count, apart};
}

// Makes the gradients of the free members equal, as far as their limits allow.
void PruningSolver::make_level(PruningState* at) {
    for (int turn = 0; turn < kMostTurns; ++turn) {
        const auto [mean, apart] = level(*at);
        if (apart <= kLevelled * tolerance_) return;
        values_of_[0] = 0.0;
        for (int i = 0; i < system_.members(); ++i)
            values_of_[1 + i] = members_of_[i] < 0 ? 0.0 : at->gradient[members_of_[i]] - mean;
        system_.apply(values_of_.data(), change_.data());
        int blocking = -1;
        go(at, -1, 0.0, 1.0, &blocking);
        follow(at);
        if (blocking < 0 || !may_leave(blocking)) return;
        leave_system(blocking);
    }
}

// Lets members that press against their limits, inwards, join the free ones: the one that
// presses most first, until none does. Each takes one move of all instead of many of pairs.
void PruningSolver::admit(PruningState* at) {
    make_level(at);
    double joining = 0.0;  // excess of the member that joined last; the system learns when it must
    for (int turn = 0; turn < kMostTurns; ++turn) {
        const auto [mean, apart] = level(*at);
        if (apart < 0.0) return;
        int v = -1;
        double most = kPressing * tolerance_;
        for (int s = 0; s < m_; ++s) {
            if (inside_[s]) continue;
            const double pressing = at->gradient[s] - mean;
            const float gate = pressing > 0.0 ? at->up_gate[s] : at->low_gate[s];
            if (gate == 0.0f && std::abs(pressing) > most) most = std::abs(pressing), v = s;
        }
        if (v < 0) return;
        if (joining > 0.0) system_.append(effect_.data(), joining);
        joining = 0.0;
        if (system_.full()) return;
        const double excess = measure_effect(v);
        if (!(excess > kSmallest * diagonal_[v])) return;
        const double own = (at->gradient[v] - mean) / excess;
        const int f = system_.members();
        for (int i = 0; i <= f; ++i) change_[i] = -own * effect_[i];
        int blocking = -1;
        go(at, v, own, 1.0, &blocking);
        follow(at);
        if (blocking < 0) {
            joining = excess;
            members_of_.push_back(v);
            inside_[v] = 1;
        } else if (blocking < f) {
            if (!may_leave(blocking)) return;
            leave_system(blocking);
        }
        ++steps_;
    }
}

// Rounding may leave a coefficient a hair from 0; the first free member takes the hair.
void PruningSolver::settle_slot(PruningState* at, int slot) {
    const double hair = at->alpha[slot];
    if (hair == 0.0) return;
    for (int s : members_of_) {
        if (s < 0 || s == slot) continue;
        const double moved = at->alpha[s] + hair;
        if (moved <= lower(s) || moved >= upper(s)) continue;
        at->alpha[s] = moved;
        at->alpha[slot] = 0.0;
        return;
    }
}

bool PruningSolver::make_ready(PruningState* now) {
    invert_free(*now);
    if (!load_system()) return false;
    make_level(now);
    return true;
}

}  // namespace rarebit
