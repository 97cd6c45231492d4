// Learning on the border: which row of a pool to ask for next, and learning from the answer.
//
// Every answer is one PROCESS and one REPROCESS of an online machine. The next row is the one
// closest to the border among L random unseen ones (pool), among all (full), or any (random); a
// share of the queries looks elsewhere, because the border does not see what lies far from it.
// With more than two classes each has a machine against the rest, and kernel values computed for a
// row serve them all.
//
// Everything but the random numbers follows from the answers in their order: a saved search is
// restored by learning them again.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "active/random.hpp"
#include "active/tracked_scores.hpp"
#include "active/unseen_rows.hpp"
#include "control.hpp"
#include "solver/online.hpp"

namespace rarebit {

enum class Search { pool, full, random };

// Why a row was asked for.
enum class QueryReason : std::int8_t {
    given,        // not asked for: its label was there
    start,        // to find a second class: unlike the rows labelled so far
    border,       // closest to the border
    explore,      // unlike the rows labelled so far
    random,       // any row
    random_start  // to find a second class: any row
};

struct BorderOptions {
    Search search = Search::pool;
    std::int64_t pool_size = 59;
    double explore = 0.0;  // share of queries away from the border; more when that is empty
    std::uint64_t seed = 0;
    double tolerance = 1e-3;
    std::size_t cache_bytes = std::size_t(512) << 20;
};

struct Query {
    std::int32_t row = -1;  // none when all rows were asked for
    QueryReason reason = QueryReason::random;
    double probability = 0.0;  // of this row, given the reason
    int drawn = 0;             // random unseen rows looked at
    int inside = 0;            // of them, inside the margin of a machine
    double distance = 0.0;     // |f| of the row for the machine that it is closest to
    int machine = 0;           // that machine
    int expected = -1;         // the class that the machines expect, -1 when there are none
};

// One learned label: how the row was chosen, and what the machines became by it.
struct Entry {
    Query query;
    int label = 0;
    std::vector<int> support;  // support vectors of each class known then
};

class BorderSearch {
  public:
    BorderSearch(const Kernel& kernel, const Matrix& pool, const BorderOptions& options);

    // Sets the number of classes and their costs, and learns all labels again.
    void set_classes(const std::vector<double>& costs, Control& control);
    int classes() const { return static_cast<int>(costs_.size()); }

    // The next row to ask for. It is not asked for again, whether answered or not.
    Query ask();
    // Learns a label: any row, asked for or not, but each row once.
    void tell(std::int32_t row, int label);
    // Asks and learns until `labels` are known, no row is left, or an answer is a class not known
    // yet: then its row is returned, still to be told; otherwise -1. `answer` gives a row's class
    // number, or -1 for one that is new.
    template <class Answer>
    std::int32_t run(std::size_t labels, Answer answer, Control& control);
    // Sees to it that a row is never asked for.
    void skip(std::int32_t row);
    // Learns another label for a row, and all others again.
    void correct(std::int32_t row, int label, Control& control);
    // Follows the decision values of these rows from now on.
    void watch(std::vector<std::int32_t> rows);
    // Values of the watched rows, machine by machine, as they would be nearer to the optimum: a
    // machine that just learned a row sways.
    std::vector<double> watched();

    std::int64_t unseen() const { return unseen_.left(); }
    // All that was learned, in order.
    const std::vector<Entry>& log() const { return log_; }
    // Asked for and neither told nor skipped.
    const std::vector<Query>& pending() const { return pending_; }
    void set_pending(const std::vector<Query>& pending);
    // Support vectors of each class, over all machines.
    std::vector<int> support_counts() const;
    int machines() const { return static_cast<int>(machines_.size()); }
    const OnlineSolver& machine(int m) const { return *machines_[m]; }
    // Whether full search ran out of memory for its columns.
    bool recomputing() const { return every_row_ && every_row_->recomputing(); }
    Random& random() { return random_; }

  private:
    struct Candidates {
        std::vector<std::int32_t> rows;
        std::vector<double> scores;     // the smaller the better
        std::vector<double> distances;  // |f| for the closest machine
        std::vector<double> values;     // decision values, unless they are sums that were followed
        int inside = 0;
    };
    struct Rated {
        double score, distance;
        std::int32_t row;
        static bool better(const Rated& a, const Rated& b) {
            return a.score != b.score ? a.score < b.score : a.row < b.row;
        }
    };

    bool cold() const { return machines_.empty(); }
    void rebuild(Control& control);
    void learn_rest(Control& control);
    void learn(std::int32_t row, int label);
    void take(std::int32_t row);
    Query settle(std::int32_t row);
    double target(int label, int machine) const;
    Query ask_any(QueryReason reason);
    Query ask_unlike(QueryReason reason);
    Query ask_elsewhere();
    Query ask_border();
    void describe(Query* query, const double* values) const;
    std::vector<double> values_of(const std::vector<std::int32_t>& rows);
    void keep_kernel_values(const std::vector<std::int32_t>& rows, double* sums);
    const float* kernel_values(std::int32_t row, const OnlineSolver& machine);
    Candidates draw_candidates();
    Candidates closest_of_all(std::size_t count) const;
    void follow_machines();
    std::vector<std::int32_t> likely_rows() const;
    Candidates closest_to_one(std::size_t count) const;
    Candidates closest_to_many(std::size_t count) const;
    std::vector<Rated> closest_of_rows(int from, int to, std::size_t count, int* inside) const;
    static Candidates best_of(std::vector<Rated> rated, std::size_t count, int inside);
    void rate(Candidates* candidates, std::size_t at, const double* values) const;
    void keep_apart(Candidates* candidates) const;
    double likeness_scale(std::int32_t row) const;
    std::vector<double> likeness(const std::vector<std::int32_t>& rows, const PackedRows& to,
                                 const std::vector<double>& scale) const;
    std::vector<double> pending_likeness(const std::vector<std::int32_t>& rows) const;

    const Kernel& kernel_;
    const Matrix& pool_;
    BorderOptions options_;
    Random random_;
    UnseenRows unseen_;
    DirectProvider provider_;
    std::vector<double> costs_;
    std::vector<std::unique_ptr<OnlineSolver>> machines_;
    std::vector<Entry> log_;
    std::size_t learned_ = 0;  // entries of the log that the machines have learned
    std::vector<Query> pending_;
    PackedRows labelled_rows_;
    std::vector<double> labelled_scale_;  // 1 / sqrt of their kernel values with themselves
    std::unique_ptr<TrackedScores> every_row_, watched_;
    std::vector<float> values_;  // kernel values of one row with the rows of one machine
    // Kernel values of the rows looked at last, valid until the only machine learns a row.
    std::vector<std::int32_t> kept_rows_;
    AlignedVector<float> kept_values_;
    std::int64_t kept_when_ = 0;
};

template <class Answer>
std::int32_t BorderSearch::run(std::size_t labels, Answer answer, Control& control) {
    Progress progress;
    while (log_.size() < labels) {
        const Query query = ask();
        if (query.row < 0) break;
        const int label = answer(query.row);
        if (label < 0) return query.row;
        tell(query.row, label);
        progress.rows = static_cast<std::int64_t>(log_.size());
        if (control.poll(progress)) break;
    }
    return -1;
}

}  // namespace rarebit
