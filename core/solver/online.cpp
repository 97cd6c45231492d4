#include "solver/online.hpp"

#include <algorithm>
#include <limits>

namespace rarebit {
namespace {

constexpr int kBlock = 256;  // incoming rows whose kernel values are computed together
// Steps of FINISHING on the most violating pair. Where costs are huge and classes overlap they gain
// next to nothing each; partners chosen by what a step gains then end what these would not.
constexpr std::int64_t kPatience = 1 << 20;

}  // namespace

OnlineSolver::OnlineSolver(DirectProvider& provider, double tolerance, std::size_t cache_bytes,
                           Keep keep, Drop drop)
    : provider_(provider),
      tolerance_(tolerance),
      active_(provider, cache_bytes),
      keep_(std::move(keep)),
      drop_(std::move(drop)) {}

double OnlineSolver::objective() const {
    double total = 0.0;
    for (int s = 0; s < active_.slots(); ++s)
        if (active_.open(s)) total += 0.5 * active_.alpha(s) * (active_.y(s) + active_.gradient(s));
    return total;
}

Solution OnlineSolver::solution() const {
    Solution now;
    for (int slot = 0; slot < active_.slots(); ++slot) {
        if (!active_.open(slot) || active_.alpha(slot) == 0.0) continue;
        now.rows.push_back(active_.row(slot));
        now.alpha.push_back(active_.alpha(slot));
    }
    now.bias = bias();
    now.gap = active_.gap();
    now.objective = objective();
    now.steps = active_.steps();
    now.converged = now.gap <= tolerance_;
    return now;
}

void OnlineSolver::restore(const Matrix& from, const OnlineState& state) {
    std::vector<ActiveRow> kept = state.rows;
    for (ActiveRow& row : kept) {
        row.row = keep_(from, row.row);
        if (row.tag >= 0) known_.insert(row.tag);
    }
    active_.restore(kept, state.slots, state.closed);
    for (std::int32_t slot : state.idle) note_idle(slot);
    seen_ = state.seen;
}

OnlineState OnlineSolver::state() const {
    OnlineState state;
    for (int s = 0; s < active_.slots(); ++s) {
        if (!active_.open(s)) continue;
        state.slots.push_back(s);
        state.rows.push_back({active_.row(s), active_.tag(s), active_.y(s), active_.cost(s),
                              active_.alpha(s), active_.gradient(s)});
    }
    state.closed.assign(active_.closed_slots().begin(), active_.closed_slots().end());
    // Slots that stopped being idle are forgotten, as the next look at the list would do.
    for (int slot : idle_)
        if (active_.open(slot) && active_.alpha(slot) == 0.0) state.idle.push_back(slot);
    state.seen = seen_;
    return state;
}

void OnlineSolver::process(const RowBlock& rows, const std::int32_t* tags, const double* y,
                           const double* cost, Control& control) {
    for (int from = 0; from < rows.count;) {
        const int part = std::min(
            {kBlock, rows.count - from,
             provider_.kernel().rows_between_polls(*rows.matrix, active_.slots() + kBlock)});
        process_block(rows.part(from, part), tags + from, y + from, cost + from);
        from += part;
        progress_.rows = seen_;
        progress_.steps = active_.steps();
        progress_.gap = active_.gap();
        progress_.active = active_.size();
        if (control.poll(progress_)) return;
    }
}

void OnlineSolver::process_block(const RowBlock& rows, const std::int32_t* tags, const double* y,
                                 const double* cost) {
    const int count = rows.count;
    // Values with the rows kept now by one product; room for those that this block will add.
    const int width = active_.slots() + count;
    AlignedVector<float> values(static_cast<std::size_t>(count) * width, 0.0f);
    std::vector<float*> out(count);
    for (int i = 0; i < count; ++i) out[i] = values.data() + static_cast<std::size_t>(i) * width;
    provider_.kernel().compute(rows, active_.packed_rows(), out.data());
    // And among the incoming rows themselves.
    AlignedVector<float> mutual(static_cast<std::size_t>(count) * count);
    std::vector<float*> mutual_rows(count);
    for (int i = 0; i < count; ++i)
        mutual_rows[i] = mutual.data() + static_cast<std::size_t>(i) * count;
    PackedRows incoming(provider_.kernel(), *rows.matrix);
    std::vector<std::int32_t> ids(count);
    for (int i = 0; i < count; ++i) ids[i] = static_cast<std::int32_t>(rows[i]);
    incoming.assign(ids);
    provider_.kernel().compute(rows, incoming, mutual_rows.data());

    for (int i = 0; i < count; ++i) {
        const int slot = process_known(*rows.matrix, rows[i], tags[i], y[i], cost[i], out[i]);
        if (slot < 0) continue;
        for (int later = i + 1; later < count; ++later) out[later][slot] = mutual_rows[later][i];
    }
}

int OnlineSolver::process_known(const Matrix& from, std::int64_t row, std::int32_t tag, double y,
                                double cost, const float* values) {
    ++seen_;
    if (tag >= 0 && known_.count(tag) > 0) {
        reprocess();
        return -1;
    }
    double sum = 0.0;
    hot_loops().weigh(values, 1, active_.slots(), active_.slots(), active_.alphas(), &sum);
    const double gradient = y - sum;
    const bool positive = y > 0;
    const int opposite = !active_.has_pair() ? -1
                         : positive          ? active_.low_slot()
                                             : active_.up_slot();
    const bool cannot_violate = active_.has_pair() && (positive ? gradient < active_.low_value()
                                                                : gradient > active_.up_value());
    int slot = -1;
    if (!cannot_violate && cost > 0.0) {
        const std::int32_t kept = keep_(from, row);
        slot = active_.insert_known({kept, tag, y, cost, 0.0, gradient}, values);
        if (tag >= 0) known_.insert(tag);
        if (opposite >= 0)
            active_.step(positive ? slot : opposite, positive ? opposite : slot);
        else
            active_.find_extremes();
        note_idle(slot);
        if (opposite >= 0) note_idle(opposite);
    }
    reprocess();
    return slot;
}

void OnlineSolver::note_idle(int slot) {
    if (static_cast<std::size_t>(slot) >= is_idle_.size()) is_idle_.resize(2 * slot + 64, 0);
    if (active_.alpha(slot) != 0.0 || is_idle_[slot]) return;
    is_idle_[slot] = 1;
    idle_.push_back(slot);
}

void OnlineSolver::reprocess() {
    if (active_.has_pair() && active_.gap() >= tolerance_) {
        const int up = active_.up_slot(), low = active_.low_slot();
        active_.step_extremes();
        note_idle(up);
        note_idle(low);
    }
    drop_idle();
}

void OnlineSolver::drop_idle() {
    if (idle_.empty() || !active_.has_pair()) return;
    const double up_value = active_.up_value(), low_value = active_.low_value();
    bool extremes_left = false;
    std::size_t kept = 0;
    for (int slot : idle_) {
        is_idle_[slot] = 0;
        if (active_.alpha(slot) != 0.0) continue;
        const bool safe = active_.y(slot) > 0 ? active_.gradient(slot) <= low_value
                                              : active_.gradient(slot) >= up_value;
        if (!safe) {
            is_idle_[slot] = 1;
            idle_[kept++] = slot;
            continue;
        }
        extremes_left |= slot == active_.up_slot() || slot == active_.low_slot();
        known_.erase(active_.tag(slot));
        drop_(active_.row(slot));
        active_.remove(slot);
    }
    idle_.resize(kept);
    if (extremes_left) active_.find_extremes();
}

bool OnlineSolver::finish(std::int64_t most_steps, Control& control) {
    const std::int64_t last =
        most_steps < 0 ? std::numeric_limits<std::int64_t>::max() : active_.steps() + most_steps;
    const std::int64_t patience = active_.steps() + kPatience;
    // Also ends when rounding leaves no pair to step on.
    while (active_.has_pair() && active_.gap() > tolerance_) {
        if (active_.steps() >= last) return false;
        if (active_.steps() >= patience) {
            active_.solve(tolerance_, last - active_.steps(), control, &progress_);
            for (int slot = 0; slot < active_.slots(); ++slot)
                if (active_.open(slot)) note_idle(slot);
            if (active_.gap() > tolerance_) return false;
            break;
        }
        reprocess();
        if (active_.steps() % 256 == 0) {
            progress_.steps = active_.steps();
            progress_.gap = active_.gap();
            progress_.active = active_.size();
            if (control.poll(progress_) || active_.at_standstill()) return false;
        }
    }
    drop_idle();
    if (!active_.drifted(tolerance_)) return true;
    active_.refresh_gradients();  // the gap is then the true one
    return active_.gap() <= tolerance_;
}

void OnlineSolver::look_ahead(std::int64_t steps, const std::function<void()>& look) {
    const ActiveSet::Position position = active_.position();
    Control unwatched;
    Progress progress;
    active_.solve(tolerance_, steps, unwatched, &progress);
    look();
    active_.go_back(position);
}

}  // namespace rarebit
