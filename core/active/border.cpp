#include "active/border.hpp"

#include <algorithm>
#include <numeric>

namespace rarebit {
namespace {

constexpr std::size_t kWatchBytes = std::size_t(256) << 20;
constexpr std::int64_t kLookAhead = 2;  // steps per kept row before watched values are read

}  // namespace

BorderSearch::BorderSearch(const Kernel& kernel, const Matrix& pool, const BorderOptions& options)
    : kernel_(kernel),
      pool_(pool),
      options_(options),
      random_(options.seed),
      unseen_(pool.rows),
      provider_(kernel, pool),
      labelled_rows_(kernel, pool) {}

double BorderSearch::target(int label, int machine) const {
    return label == (classes() == 2 ? 1 : machine) ? 1.0 : -1.0;
}

void BorderSearch::set_classes(const std::vector<double>& costs, Control& control) {
    costs_ = costs;
    rebuild(control);
}

void BorderSearch::rebuild(Control& control) {
    machines_.clear();
    kept_rows_.clear();
    const int count = classes() < 2 ? 0 : classes() == 2 ? 1 : classes();
    for (int m = 0; m < count; ++m)
        machines_.push_back(std::make_unique<OnlineSolver>(
            provider_, options_.tolerance, options_.cache_bytes / count,
            [](const Matrix&, std::int64_t row) { return static_cast<std::int32_t>(row); },
            [](std::int32_t) {}));
    std::vector<const OnlineSolver*> followed;
    for (const auto& machine : machines_) followed.push_back(machine.get());
    if (count > 0 && options_.search == Search::full && !every_row_) {
        std::vector<std::int32_t> all(pool_.rows);
        std::iota(all.begin(), all.end(), 0);
        every_row_ =
            std::make_unique<TrackedScores>(kernel_, pool_, std::move(all), options_.cache_bytes);
        for (std::int32_t row = 0; row < pool_.rows; ++row)
            if (!unseen_.unseen(row)) every_row_->leave(row);
    }
    if (every_row_) every_row_->follow(followed);
    if (watched_) watched_->follow(followed);
    learned_ = 0;
    learn_rest(control);
}

// Learns what the log holds and the machines have not met: all of it after a rebuild, and what is
// left of that when somebody stopped it.
void BorderSearch::learn_rest(Control& control) {
    Progress progress;
    while (learned_ < log_.size()) {
        learn(log_[learned_].query.row, log_[learned_].label);
        progress.rows = static_cast<std::int64_t>(++learned_);
        if (control.poll(progress)) return;
    }
}

// No row is asked for twice; full search forgets the values of those that were.
void BorderSearch::take(std::int32_t row) {
    if (!unseen_.unseen(row)) return;
    unseen_.take(row);
    if (every_row_) every_row_->leave(row);
}

// A row's query when it was asked for, and what stands for one otherwise.
Query BorderSearch::settle(std::int32_t row) {
    take(row);
    const auto asked = std::find_if(pending_.begin(), pending_.end(),
                                    [&](const Query& query) { return query.row == row; });
    Query query;
    query.row = row;
    query.reason = QueryReason::given;
    if (asked == pending_.end()) return query;
    query = *asked;
    pending_.erase(asked);
    return query;
}

void BorderSearch::tell(std::int32_t row, int label) {
    Control unwatched;
    learn_rest(unwatched);
    Entry entry;
    entry.query = settle(row);
    entry.label = label;
    labelled_rows_.assign(static_cast<int>(log_.size()), row);
    labelled_scale_.push_back(likeness_scale(row));
    learn(row, label);
    entry.support = support_counts();
    log_.push_back(std::move(entry));
    ++learned_;
}

void BorderSearch::learn(std::int32_t row, int label) {
    for (std::size_t m = 0; m < machines_.size(); ++m) {
        OnlineSolver& machine = *machines_[m];
        machine.process_known(pool_, row, row, target(label, static_cast<int>(m)), costs_[label],
                              kernel_values(row, machine));
    }
    if (every_row_) every_row_->note();
}

void BorderSearch::skip(std::int32_t row) { settle(row); }

void BorderSearch::set_pending(const std::vector<Query>& pending) {
    pending_ = pending;
    for (const Query& query : pending_) take(query.row);
}

void BorderSearch::correct(std::int32_t row, int label, Control& control) {
    for (Entry& entry : log_)
        if (entry.query.row == row) entry.label = label;
    rebuild(control);
}

void BorderSearch::watch(std::vector<std::int32_t> rows) {
    watched_ = std::make_unique<TrackedScores>(kernel_, pool_, std::move(rows), kWatchBytes);
    std::vector<const OnlineSolver*> followed;
    for (const auto& machine : machines_) followed.push_back(machine.get());
    watched_->follow(followed);
}

std::vector<double> BorderSearch::watched() {
    std::vector<double> values;
    if (!watched_) return values;
    Control unwatched;
    learn_rest(unwatched);
    for (int m = 0; m < machines(); ++m) {
        OnlineSolver& machine = *machines_[m];
        machine.look_ahead(kLookAhead * machine.active().size(), [&] {
            watched_->update({}, m);
            for (double sum : watched_->sums(m)) values.push_back(sum + machine.bias());
        });
    }
    return values;
}

std::vector<int> BorderSearch::support_counts() const {
    std::vector<int> counts(std::max(classes(), 1), 0);
    if (machines_.size() == 1) {
        const ActiveSet& active = machines_[0]->active();
        for (int slot = 0; slot < active.slots(); ++slot)
            if (active.open(slot) && active.alpha(slot) != 0.0) ++counts[active.y(slot) > 0];
        return counts;
    }
    std::vector<std::int32_t> rows;
    for (const auto& machine : machines_) {
        const ActiveSet& active = machine->active();
        for (int slot = 0; slot < active.slots(); ++slot)
            if (active.open(slot) && active.alpha(slot) != 0.0) rows.push_back(active.row(slot));
    }
    std::sort(rows.begin(), rows.end());
    for (const Entry& entry : log_)
        counts[entry.label] += std::binary_search(rows.begin(), rows.end(), entry.query.row);
    return counts;
}

}  // namespace rarebit
