// Rows outside the active set: their gradients, brought up to date when they are looked at.
//
// A row's gradient belongs to the expansion that it was last scored with. To bring it up to date
// only the coefficients that changed since then are applied. How far it can be off meanwhile is
// bounded: |f_now(x) - f_then(x)| <= |w_now - w_then| sqrt(K(x, x)) by Cauchy and Schwarz.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "control.hpp"
#include "kernel/kernel_block_cache.hpp"
#include "kernel/kernel_provider.hpp"

namespace rarebit {

// Coefficients other than 0 by position in the problem, in rising order of position.
using Expansion = std::vector<std::pair<int, double>>;

class InactiveRows {
  public:
    // `rows` and `y` by position; `keep_bytes` for kernel values kept between looks.
    InactiveRows(KernelProvider& provider, const std::vector<std::int32_t>& rows,
                 const std::vector<double>& y, std::size_t keep_bytes);

    // Rows about to be scored for the first time; their kernel values may be kept.
    void meet(const std::vector<int>& positions);
    // Brings gradients up to `now`; they are of no use when the control stopped it.
    void score(const std::vector<int>& positions, const Expansion& now, Control& control,
               const Progress& progress);
    double gradient(int p) const { return gradient_[p]; }
    // How far the gradient may be off; infinite when the row was never scored.
    double uncertainty(int p) const;
    // The weight vector has moved by this much.
    void note_move(double distance) { moved_ += distance; }

    // The row joins the active set, or comes back with the gradient that `now` gives it.
    void leave(int p);
    void come_back(const std::vector<std::pair<int, double>>& gradients, const Expansion& now);

    std::size_t bytes() const { return cache_.bytes(); }
    std::int64_t sweeps() const { return sweeps_; }
    std::int64_t rows_swept() const { return rows_swept_; }

  private:
    void apply(const Expansion& change, const std::vector<int>& positions, Control& control,
               const Progress& progress);
    void apply_plainly(const std::vector<std::int32_t>& columns,
                       const std::vector<double>& coefficients, const std::vector<int>& positions,
                       Control& control, const Progress& progress);
    void apply_keeping(const std::vector<std::int32_t>& columns,
                       const std::vector<double>& coefficients, int set,
                       const std::vector<int>& positions, Control& control,
                       const Progress& progress);
    int remember(const Expansion& now);

    KernelProvider& provider_;
    const std::vector<std::int32_t>& rows_;
    KernelBlockCache cache_;
    std::vector<double> gradient_;
    std::vector<int> version_;           // the expansion that a row was scored with
    std::vector<Expansion> expansions_;  // number 0 is the empty one
    std::vector<double> moved_at_;       // how far the weight vector had moved at each of them
    double moved_ = 0.0;
    std::vector<int> set_, member_;  // where kernel values of a row are kept
    std::vector<int> inactive_of_;   // rows of each set that are still outside
    std::int64_t sweeps_ = 0, rows_swept_ = 0;
};

}  // namespace rarebit
