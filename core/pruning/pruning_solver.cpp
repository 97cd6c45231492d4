#include "pruning/pruning_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rarebit {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::int64_t kMostSteps = 100000;  // of one solve

}  // namespace

PruningSolver::PruningSolver(std::vector<double> y, std::vector<double> cost, double tolerance)
    : y_(std::move(y)),
      cost_(std::move(cost)),
      tolerance_(tolerance),
      m_(static_cast<int>(y_.size())),
      stride_(std::max(64, (m_ + 63) / 64 * 64)) {
    for (int s = 0; s < m_; ++s) boxes_.push_back(Box(y_[s], cost_[s]));
    values_ = std::make_shared<AlignedVector<float>>(static_cast<std::size_t>(m_) * stride_, 0.0f);
    diagonal_.assign(stride_, 0.0f);
    zeros_.assign(stride_, 0.0f);
}

void PruningSolver::set_diagonal(int slot, double value) {
    row(slot)[slot] = diagonal_[slot] = static_cast<float>(value);
}

PruningState PruningSolver::begin(std::vector<double> alpha) const {
    PruningState at;
    at.alpha = std::move(alpha);
    at.open.assign(m_, 1);
    at.gradient.assign(stride_, 0.0f);
    at.up_gate.assign(stride_, -kInfinity);
    at.low_gate.assign(stride_, kInfinity);
    for (int s = 0; s < m_; ++s) set_gates(&at, s);
    return at;
}

void PruningSolver::set_gates(PruningState* at, int slot) const {
    at->up_gate[slot] =
        at->open[slot] && boxes_[slot].may_grow(at->alpha[slot]) ? 0.0f : -kInfinity;
    at->low_gate[slot] =
        at->open[slot] && boxes_[slot].may_shrink(at->alpha[slot]) ? 0.0f : kInfinity;
}

void PruningSolver::find_up(PruningState* at) const {
    at->up = loops_.move32(stride_, zeros_.data(), zeros_.data(), 0.0f, at->gradient.data(),
                           at->up_gate.data());
}

double PruningSolver::middle(const PruningState& at) const {
    float up = -kInfinity, low = kInfinity;
    for (int s = 0; s < m_; ++s) {
        up = std::max(up, at.gradient[s] + at.up_gate[s]);
        low = std::min(low, at.gradient[s] + at.low_gate[s]);
    }
    if (up == -kInfinity) return low == kInfinity ? 0.0 : low;
    return low == kInfinity ? up : 0.5 * (static_cast<double>(up) + low);
}

void PruningSolver::move(PruningState* at, int up, int low, double by) {
    move_pair(by, boxes_[up], boxes_[low], &at->alpha[up], &at->alpha[low]);
    set_gates(at, up);
    set_gates(at, low);
    at->up = loops_.move32(stride_, row(up), row(low), static_cast<float>(by), at->gradient.data(),
                           at->up_gate.data());
    ++steps_;
}

void PruningSolver::solve(PruningState* at) {
    for (std::int64_t step = 0; step < kMostSteps && at->up.index >= 0; ++step) {
        const int up = at->up.index;
        const Partner found =
            loops_.partner32(stride_, row(up), at->gradient.data(), at->low_gate.data(),
                             diagonal_.data(), at->up.value, diagonal_[up]);
        if (found.low.index < 0 ||
            static_cast<double>(at->up.value) - found.low.value <= 0.9 * tolerance_)
            return;
        const int low = found.best < 0 || found.best == up ? found.low.index : found.best;
        const double slope = static_cast<double>(at->gradient[up]) - at->gradient[low];
        move(at, up, low,
             pair_step_size(slope, diagonal_[up], diagonal_[low], row(up)[low],
                            upper(up) - at->alpha[up], at->alpha[low] - lower(low)));
    }
}

// Takes the coefficient of a majority row to 0 by the exchanges that cost least, and shuts it.
void PruningSolver::expel(PruningState* at, int slot) {
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

void PruningSolver::remove(PruningState* at, int slot) {
    const bool slid = load_system() && slide(at, slot);
    expel(at, slot);
    if (slid) admit(at);
    find_up(at);
    solve(at);
}

void PruningSolver::reopen(PruningState* at, int slot) {
    at->open[slot] = 1;
    set_gates(at, slot);
    if (load_system()) admit(at);
    find_up(at);
    solve(at);
}

}  // namespace rarebit
