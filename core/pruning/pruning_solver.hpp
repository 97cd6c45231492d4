// A machine whose coefficients belong to few rows, the members, with all their kernel values in
// memory. Members leave it and come back, and it continues from where it was.
//
//   slot       position among the members
//   alpha      signed coefficients, which sum to 0
//   gradient   y - sum of alpha times kernel values, less a constant; where it grows with alpha and
//              is largest, alpha should grow, where it is smallest, shrink
//   gates      0 where a coefficient may grow (up) or shrink (low), else minus or plus infinity
//   free       strictly inside its limits: gradients of free members are equal in the optimum
//
// Free members answer to a change by the solution of a linear system (pruning_system.cpp), so that
// a member leaves in a few moves of all; what these leave to do is done by steps of pairs.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "pruning/bordered_inverse.hpp"
#include "simd/aligned.hpp"
#include "simd/hot_loops.hpp"
#include "solver/pair_step.hpp"

namespace rarebit {

struct PruningState {
    std::vector<double> alpha;
    std::vector<char> open;  // members that may have a coefficient
    AlignedVector<float> gradient, up_gate, low_gate;
    Extreme up{0.0f};  // the largest gradient that may grow
};

class PruningSolver {
  public:
    PruningSolver(std::vector<double> y, std::vector<double> cost, double tolerance);

    int members() const { return static_cast<int>(y_.size()); }
    int stride() const { return stride_; }  // entries of a row and of gradients, padding included
    double y(int slot) const { return y_[slot]; }
    const float* row(int slot) const {
        return values_->data() + static_cast<std::size_t>(slot) * stride_;
    }
    // To be filled by the caller; the diagonal is set apart, because it must be exact.
    float* row(int slot) { return values_->data() + static_cast<std::size_t>(slot) * stride_; }
    void set_diagonal(int slot, double value);
    std::int64_t steps() const { return steps_; }
    // Counts the steps that a copy of this solver took.
    void add_steps(std::int64_t steps) { steps_ += steps; }

    // All members open, gradients not yet known.
    PruningState begin(std::vector<double> alpha) const;
    // To be called after gradients or gates were changed from outside.
    void find_up(PruningState* at) const;
    // The constant that puts the middle of the gap on the border.
    double middle(const PruningState& at) const;

    // Steps of pairs until the gap is within the tolerance.
    void solve(PruningState* at);
    // Makes the gradients of free members equal and keeps their system for remove() and reopen() of
    // copies of `now`. False where there is none: steps of pairs alone must do then.
    bool make_ready(PruningState* now);
    // The machine without a member, and the machine with it again.
    void remove(PruningState* at, int slot);
    void reopen(PruningState* at, int slot);

  private:
    double lower(int slot) const { return boxes_[slot].lower; }
    double upper(int slot) const { return boxes_[slot].upper; }
    void set_gates(PruningState* at, int slot) const;
    void move(PruningState* at, int up, int low, double by);
    void expel(PruningState* at, int slot);

    void invert_free(const PruningState& now);
    bool load_system();
    bool may_leave(int i) const;
    void leave_system(int i);
    void shift(PruningState* at, int s, double by);
    void follow(PruningState* at);
    double go(PruningState* at, int v, double own, double share, int* blocking);
    bool slide(PruningState* at, int slot);
    double measure_effect(int v);
    std::pair<double, double> level(const PruningState& at) const;
    void make_level(PruningState* at);
    void admit(PruningState* at);
    void settle_slot(PruningState* at, int slot);

    const HotLoops& loops_ = hot_loops();
    const std::vector<double> y_, cost_;
    const double tolerance_;
    const int m_, stride_;
    std::vector<Box> boxes_;                        // limits of the coefficients
    std::shared_ptr<AlignedVector<float>> values_;  // copies of a solver share them
    AlignedVector<float> diagonal_, zeros_;
    std::int64_t steps_ = 0;

    std::vector<int> free_;        // slots of the system that make_ready() keeps
    std::vector<int> members_of_;  // of the system at work; -1 for one that has left
    std::vector<char> inside_;     // whether a slot is in the system at work
    BorderedInverse inverse_, system_;
    std::vector<double> values_of_, effect_, change_;
    std::vector<const float*> moved_rows_;  // shifts that the gradients have not followed yet
    std::vector<float> moved_by_;
};

}  // namespace rarebit
