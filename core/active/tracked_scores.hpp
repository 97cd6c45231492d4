// Decision values of many rows, kept up to date while a machine learns.
//
// A step of the machine moves few coefficients. The values of n rows follow by adding as many
// kernel columns, n numbers each, instead of computing n times all kernel values anew. A column is
// computed when its row gets a coefficient, together with those of rows likely to be next: reading
// all rows costs more than what is computed from them. Changes are noted and added when somebody
// wants to see the values, one by one in their order, so that the values do not depend on when.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "kernel/row_pool.hpp"
#include "solver/online.hpp"

namespace rarebit {

class TrackedScores {
  public:
    // Rows of `pool` named by `rows`. Columns take at most `bytes`; when those of the machines'
    // rows do not fit, values are computed anew from then on.
    TrackedScores(const Kernel& kernel, const Matrix& pool, std::vector<std::int32_t> rows,
                  std::size_t bytes);

    // Machines are to be followed from now on, all values start at 0.
    void follow(std::vector<const OnlineSolver*> machines);
    // Takes down what the machines have changed, or one of them.
    void note(int machine = -1);
    // Notes that and takes it over. `likely` rows may get their columns computed when some must be
    // computed anyway.
    void update(const std::vector<std::int32_t>& likely, int machine = -1);
    // Nobody wants to know a row's values any more: they become infinite, for good.
    void leave(std::int32_t place);

    int size() const { return static_cast<int>(rows_.size()); }
    const std::vector<std::int32_t>& rows() const { return rows_; }
    // Sums of coefficient times kernel value, without the bias, as of the last update.
    const std::vector<double>& sums(int machine) const { return sums_[machine]; }
    // What the sums of some places will be, about, when what was noted is added.
    std::vector<double> preview(int machine, const std::vector<std::int32_t>& places) const;
    // Whether memory was short and values are computed anew each time.
    bool recomputing() const { return recomputing_; }
    // Whether the next update has to compute columns for what was noted.
    bool lacks_columns() const { return !recomputing_ && !missing().empty(); }
    std::int64_t columns_computed() const { return columns_computed_; }

  private:
    struct Applied {  // what the sums contain of a slot, once what is noted was added
        std::int32_t row = -1;
        double alpha = 0.0;
    };
    struct Change {
        int machine;
        std::int32_t row;
        double by;
    };

    void take_down(int machine);
    std::vector<std::int32_t> missing() const;
    void find_columns(const std::vector<std::int32_t>& likely);
    bool hold_columns(const std::vector<std::int32_t>& rows, std::size_t needed);
    void drop_columns(std::size_t guesses);
    void add_noted();
    void hide_left(int machine);
    void compute_columns(const std::vector<std::int32_t>& rows);
    void recompute(int machine);

    const Kernel& kernel_;
    const Matrix& pool_;
    std::vector<std::int32_t> rows_;
    std::size_t columns_at_once_, most_columns_;
    bool may_pack_;  // whether memory allows for all rows laid out for the hot loops
    std::unique_ptr<PackedRows> packed_;
    std::vector<const OnlineSolver*> machines_;
    std::vector<std::vector<Applied>> applied_;
    std::vector<std::vector<double>> sums_;
    std::vector<Change> noted_;       // what the sums lack of `applied_`
    std::vector<std::int32_t> left_;  // places whose values nobody wants
    std::unique_ptr<RowPool> memory_;
    std::unordered_map<std::int32_t, float*> columns_;
    std::vector<std::int32_t>
        guessed_;                // rows whose columns were computed ahead, the last ones last
    std::size_t tidy_from_ = 0;  // columns from which on it is worth to look for idle ones
    bool recomputing_ = false;
    std::int64_t columns_computed_ = 0;
};

}  // namespace rarebit
