// A machine whose coefficients belong to few rows, the members, with all their kernel values in
// memory. Members leave it and come back, and it goes on from where it was.
//
//   slot       position among the members
//   alpha      signed coefficients, which sum to 0
//   gradient   y - sum of alpha times kernel values, less a constant; where it grows with alpha and
//              is largest, alpha should grow, where it is smallest, shrink
//   gates      0 where a coefficient may grow (up) or shrink (low), else minus or plus infinity
//   free       strictly inside its limits: gradients of free members are equal in the optimum
//
// Free members answer to a change by the solution of a linear system (member_system.cpp), so that a
// member leaves in a few moves of all; what these leave to do is done by steps of pairs.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "aligned.hpp"
#include "bordered_inverse.hpp"
#include "hot_loops.hpp"

namespace rarebit {

struct MemberState {
    std::vector<double> alpha;
    std::vector<char> open;  // members that may have a coefficient
    AlignedVector<float> gradient, up_gate, low_gate;
    Extreme up{0.0f};  // the largest gradient that may grow
};

class MemberSolver {
  public:
    MemberSolver(std::vector<double> y, std::vector<double> cost, double tolerance);

    int members() const { return static_cast<int>(y_.size()); }
    int stride() const { return stride_; }  // entries of a row and of gradients, padding included
    double y(int slot) const { return y_[slot]; }
    const float* row(int slot) const {
        return values_.data() + static_cast<std::size_t>(slot) * stride_;
    }
    // To be filled by the caller; the diagonal is set apart, because it must be exact.
    float* row(int slot) { return values_.data() + static_cast<std::size_t>(slot) * stride_; }
    void set_diagonal(int slot, double value);
    std::int64_t steps() const { return steps_; }

    // All members open, gradients not yet known.
    MemberState begin(std::vector<double> alpha) const;
    // To be called after gradients or gates were changed from outside.
    void find_up(MemberState* at) const;
    // The constant that puts the middle of the gap on the border.
    double middle(const MemberState& at) const;

    // Steps of pairs until the gap is within the tolerance.
    void solve(MemberState* at);
    // Makes the gradients of free members equal and keeps their system for remove() and reopen() of
    // copies of `now`. False where there is none: steps of pairs alone must do then.
    bool make_ready(MemberState* now);
    // The machine without a member, and the machine with it again.
    void remove(MemberState* at, int slot);
    void reopen(MemberState* at, int slot);

  private:
    double lower(int slot) const { return lower_[slot]; }
    double upper(int slot) const { return upper_[slot]; }
    void set_gates(MemberState* at, int slot) const;
    void move(MemberState* at, int up, int low, double by);
    void expel(MemberState* at, int slot);

    void invert_free(const MemberState& now);
    bool load_system();
    bool may_leave(int i) const;
    void leave_system(int i);
    void shift(MemberState* at, int s, double by);
    void follow(MemberState* at);
    double go(MemberState* at, int v, double own, double share, int* blocking);
    bool slide(MemberState* at, int slot);
    double measure_effect(int v);
    std::pair<double, double> level(const MemberState& at) const;
    void make_level(MemberState* at);
    void admit(MemberState* at);
    void settle_slot(MemberState* at, int slot);

    const HotLoops& loops_ = hot_loops();
    const std::vector<double> y_, cost_;
    const double tolerance_;
    const int m_, stride_;
    std::vector<double> lower_, upper_;  // limits of the coefficients
    AlignedVector<float> values_, diagonal_, zeros_;
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
