#include "member_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rarebit {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::int64_t kMostSteps = 100000;  // of one solve

}  // namespace

MemberSolver::MemberSolver(std::vector<double> y, std::vector<double> cost, double tolerance)
    : y_(std::move(y)),
      cost_(std::move(cost)),
      tolerance_(tolerance),
      m_(static_cast<int>(y_.size())),
      stride_(std::max(64, (m_ + 63) / 64 * 64)) {
    for (int s = 0; s < m_; ++s) {
        lower_.push_back(y_[s] > 0.0 ? 0.0 : -cost_[s]);
        upper_.push_back(y_[s] > 0.0 ? cost_[s] : 0.0);
    }
    values_.assign(static_cast<std::size_t>(m_) * stride_, 0.0f);
    diagonal_.assign(stride_, 0.0f);
    zeros_.assign(stride_, 0.0f);
}

void MemberSolver::set_diagonal(int slot, double value) {
    row(slot)[slot] = diagonal_[slot] = static_cast<float>(value);
}

MemberState MemberSolver::begin(std::vector<double> alpha) const {
    MemberState at;
    at.alpha = std::move(alpha);
    at.open.assign(m_, 1);
    at.gradient.assign(stride_, 0.0f);
    at.up_gate.assign(stride_, -kInfinity);
    at.low_gate.assign(stride_, kInfinity);
    for (int s = 0; s < m_; ++s) set_gates(&at, s);
    return at;
}

void MemberSolver::set_gates(MemberState* at, int slot) const {
    at->up_gate[slot] = at->open[slot] && at->alpha[slot] < upper(slot) ? 0.0f : -kInfinity;
    at->low_gate[slot] = at->open[slot] && at->alpha[slot] > lower(slot) ? 0.0f : kInfinity;
}

void MemberSolver::find_up(MemberState* at) const {
    at->up = loops_.move32(stride_, zeros_.data(), zeros_.data(), 0.0f, at->gradient.data(),
                           at->up_gate.data());
}

double MemberSolver::middle(const MemberState& at) const {
    float up = -kInfinity, low = kInfinity;
    for (int s = 0; s < m_; ++s) {
        up = std::max(up, at.gradient[s] + at.up_gate[s]);
        low = std::min(low, at.gradient[s] + at.low_gate[s]);
    }
    if (up == -kInfinity) return low == kInfinity ? 0.0 : low;
    return low == kInfinity ? up : 0.5 * (static_cast<double>(up) + low);
}

void MemberSolver::move(MemberState* at, int up, int low, double by) {
    const double grain_up = 1e-14 * cost_[up];
    const double grain_low = 1e-14 * cost_[low];
    const double room_up = upper(up) - at->alpha[up], room_low = at->alpha[low] - lower(low);
    at->alpha[up] = room_up - by <= grain_up ? upper(up) : at->alpha[up] + by;
    at->alpha[low] = room_low - by <= grain_low ? lower(low) : at->alpha[low] - by;
    set_gates(at, up);
    set_gates(at, low);
    at->up = loops_.move32(stride_, row(up), row(low), static_cast<float>(by), at->gradient.data(),
                           at->up_gate.data());
    ++steps_;
}

void MemberSolver::solve(MemberState* at) {
    for (std::int64_t step = 0; step < kMostSteps && at->up.index >= 0; ++step) {
        const int up = at->up.index;
        const Partner found =
            loops_.partner32(stride_, row(up), at->gradient.data(), at->low_gate.data(),
                             diagonal_.data(), at->up.value, diagonal_[up]);
        if (found.low.index < 0 ||
            static_cast<double>(at->up.value) - found.low.value <= 0.9 * tolerance_)
            return;
        const int low = found.best < 0 || found.best == up ? found.low.index : found.best;
        const double curvature = std::max(
            static_cast<double>(diagonal_[up]) + diagonal_[low] - 2.0 * row(up)[low], 1e-12);
        const double by = (static_cast<double>(at->gradient[up]) - at->gradient[low]) / curvature;
        move(at, up, low, std::min({by, upper(up) - at->alpha[up], at->alpha[low] - lower(low)}));
    }
}

// Takes the coefficient of a majority row to 0 by the exchanges that cost least, and shuts it.
void MemberSolver::expel(MemberState* at, int slot) {
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
            const double slope =
                (grows ? 1.0 : -1.0) * (static_cast<double>(at->gradient[slot]) - at->gradient[s]);
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

void MemberSolver::remove(MemberState* at, int slot) {
    const bool slid = load_system() && slide(at, slot);
    expel(at, slot);
    if (slid) admit(at);
    find_up(at);
    solve(at);
}

void MemberSolver::reopen(MemberState* at, int slot) {
    at->open[slot] = 1;
    set_gates(at, slot);
    if (load_system()) admit(at);
    find_up(at);
    solve(at);
}

}  // namespace rarebit
