// The inverse of a symmetric matrix bordered by ones,
//
//   ( 0  1' )
//   ( 1  A  )
//
// which says how coefficients that sum to a constant follow a change while their gradients stay
// equal. Entry 0 belongs to the border, entry 1 + i to member i. Members come and go in quadratic
// time.
#pragma once

#include <vector>

#include "simd/hot_loops.hpp"

namespace rarebit {

class BorderedInverse {
  public:
    // `a` holds A row by row. False, and empty, where A is not positive definite.
    bool invert(std::vector<double> a, int members);

    // Members ever there; removed ones keep their place, with zeros.
    int members() const { return members_; }
    double pivot(int member) const { return row(1 + member)[1 + member]; }
    const double* column(int member) const { return row(1 + member); }

    // out = inverse * in; both have 1 + members() entries.
    void apply(const double* in, double* out) const;
    // A removed member has coefficient 0 in all that follows.
    void remove(int member);
    // Adds a member at the end: `effect` is apply() of its values, bordered by 1, and `excess` its
    // own value less the product of both. At most kMostAppended.
    void append(const double* effect, double excess);
    bool full() const { return 1 + members_ >= stride_; }

    static constexpr int kMostAppended = 16;

  private:
    double* row(int i) { return values_.data() + static_cast<std::size_t>(i) * stride_; }
    const double* row(int i) const {
        return values_.data() + static_cast<std::size_t>(i) * stride_;
    }

    const HotLoops* loops_ = &hot_loops();  // a pointer, so that copies can be assigned
    int members_ = 0, stride_ = 0;
    std::vector<double> values_;
};

}  // namespace rarebit
