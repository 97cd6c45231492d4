// The online solver (LASVM): rows are met one by one, each with one step for itself and one for the
// rows kept so far.
//
// PROCESS(x): a row that cannot form a violating pair with the kept rows is passed over; another is
//   kept and takes one step against the opposite extreme. The tolerance here is 0.
// REPROCESS: one step on the most violating pair unless the gap is below the tolerance; then rows
//   whose coefficient is 0 and that cannot violate are dropped.
// FINISHING: REPROCESS until the gap is within the tolerance.
//
// Two habits are those of the program that introduced the method, not of its published listing:
// PROCESS does not ask for a tolerance-violating pair, and REPROCESS drops rows even when no pair
// is violating.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_set>
#include <vector>

#include "control.hpp"
#include "kernel/kernel_provider.hpp"
#include "solver/active_set.hpp"
#include "solver/solution.hpp"

namespace rarebit {

// Everything that a machine needs to continue exactly as it would have: rows, and the slots they
// are in, because equal gradients are told apart by slot.
struct OnlineState {
    std::vector<ActiveRow> rows;
    std::vector<std::int32_t> slots, closed, idle;
    std::int64_t seen = 0;
};

class OnlineSolver {
  public:
    // Makes a kept row available in the provider's matrix and returns its number there.
    using Keep = std::function<std::int32_t(const Matrix& from, std::int64_t row)>;
    using Drop = std::function<void(std::int32_t row)>;

    // Incoming rows are not the provider's, so their values must be computed: a gram will not do.
    OnlineSolver(DirectProvider& provider, double tolerance, std::size_t cache_bytes, Keep keep,
                 Drop drop);

    // PROCESS and REPROCESS for each row in order. A row whose tag is already kept only triggers
    // REPROCESS; negative tags are never taken for known.
    void process(const RowBlock& rows, const std::int32_t* tags, const double* y,
                 const double* cost, Control& control);
    // The same for one row whose kernel values with all slots are known. `values` has room for one
    // slot more. Returns the slot that the row got, -1 when it was passed over or already kept.
    int process_known(const Matrix& from, std::int64_t row, std::int32_t tag, double y, double cost,
                      const float* values);
    // Returns false when `most_steps` did not suffice.
    bool finish(std::int64_t most_steps, Control& control);
    // Shows `look` the machine as it would be after at most `steps` more steps, and goes back. What
    // the machine learns later does not depend on who looked.
    void look_ahead(std::int64_t steps, const std::function<void()>& look);
    // The rows of a saved state are numbered in `from`.
    void restore(const Matrix& from, const OnlineState& state);
    OnlineState state() const;

    const ActiveSet& active() const { return active_; }
    double bias() const { return active_.bias(); }
    double objective() const;
    // The machine as it is now; rows without a coefficient are left out.
    Solution solution() const;
    std::int64_t rows_seen() const { return seen_; }

  private:
    void process_block(const RowBlock& rows, const std::int32_t* tags, const double* y,
                       const double* cost);
    void reprocess();
    void drop_idle();
    void note_idle(int slot);

    DirectProvider& provider_;
    double tolerance_;
    ActiveSet active_;
    Keep keep_;
    Drop drop_;
    std::vector<int> idle_;                   // slots whose coefficient is or was 0
    std::vector<char> is_idle_;               // which slots are among them
    std::unordered_set<std::int32_t> known_;  // tags of the rows kept
    std::int64_t seen_ = 0;
    Progress progress_;
};

}  // namespace rarebit
