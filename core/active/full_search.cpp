// Full search: the values of all rows kept up to date, and the closest of them.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "active/border.hpp"
#include "threads.hpp"

namespace rarebit {
namespace {

constexpr int kLeastRows = 64 * kNearRows;  // rows that are worth a thread
constexpr std::size_t kLikely = 64;         // rows of which some get their columns ahead

}  // namespace

// Brings the values of all rows up to date. Columns that must be computed are computed together
// with those of rows that will probably be asked for next.
void BorderSearch::follow_machines() {
    every_row_->update(every_row_->lacks_columns() ? likely_rows() : std::vector<std::int32_t>());
}

// Of the rows that were close to the border those that still are, the closest first.
std::vector<std::int32_t> BorderSearch::likely_rows() const {
    Candidates close = closest_of_all(kLikely);
    const std::size_t count = close.rows.size();
    std::vector<std::vector<double>> sums;
    for (int m = 0; m < machines(); ++m) sums.push_back(every_row_->preview(m, close.rows));
    std::vector<double> values(machines());
    for (std::size_t i = 0; i < count; ++i) {
        for (int m = 0; m < machines(); ++m) values[m] = sums[m][i] + machines_[m]->bias();
        rate(&close, i, values.data());
    }
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return close.scores[a] < close.scores[b];
    });
    std::vector<std::int32_t> likely;
    for (std::size_t i : order) likely.push_back(close.rows[i]);
    return likely;
}

// Of the rows rated, which hold the best `count` at least, the best, best first.
BorderSearch::Candidates BorderSearch::best_of(std::vector<Rated> rated, std::size_t count,
                                               int inside) {
    count = std::min(count, rated.size());
    std::partial_sort(rated.begin(), rated.begin() + count, rated.end(), Rated::better);
    rated.resize(count);
    Candidates best;
    best.inside = inside;
    for (const Rated& row : rated) {
        best.rows.push_back(row.row);
        best.scores.push_back(row.score);
        best.distances.push_back(row.distance);
    }
    return best;
}

// One machine: the rows are measured block by block, and only blocks whose closest row is close
// enough are looked into. Rows seen are infinitely far.
BorderSearch::Candidates BorderSearch::closest_to_one(std::size_t count) const {
    const int rows = static_cast<int>(pool_.rows);
    const double* sums = every_row_->sums(0).data();
    const double bias = machines_[0]->bias();
    std::vector<double> least((rows + kNearRows - 1) / kNearRows);
    const int parts = range_parts(rows, kLeastRows, threads_allowed());
    std::vector<std::int64_t> inside(parts, 0);
    run_ranges(rows, kLeastRows, parts, [&](int part, int from, int to) {
        inside[part] =
            kernel_.loops().nearest(to - from, sums + from, bias, least.data() + from / kNearRows);
    });
    // As many blocks hold a row at least as close as this.
    double limit = INFINITY;
    if (count == 1) {
        limit = *std::min_element(least.begin(), least.end());
    } else if (count < least.size()) {
        std::vector<double> sorted = least;
        std::nth_element(sorted.begin(), sorted.begin() + (count - 1), sorted.end());
        limit = sorted[count - 1];
    }
    std::vector<Rated> rated;
    for (std::size_t block = 0; block < least.size(); ++block) {
        if (!(least[block] <= limit) || least[block] == INFINITY) continue;
        const int from = static_cast<int>(block) * kNearRows;
        for (int row = from; row < std::min(rows, from + kNearRows); ++row) {
            const double distance = std::abs(sums[row] + bias);
            if (distance <= limit && distance < INFINITY)
                rated.push_back({distance, distance, row});
        }
    }
    const std::int64_t all = std::accumulate(inside.begin(), inside.end(), std::int64_t(0));
    return best_of(std::move(rated), count, static_cast<int>(all));
}

// Several machines: the best `count` unseen rows of some, in no order; adds to *inside.
std::vector<BorderSearch::Rated> BorderSearch::closest_of_rows(int from, int to, std::size_t count,
                                                               int* inside) const {
    std::vector<Rated> best;  // a heap with the worst of them on top
    double worst = INFINITY;  // its score once there are enough
    double distances[kNearRows], gains[kNearRows];
    for (int first = from; first < to; first += kNearRows) {
        const int rows = std::min(kNearRows, to - first);
        std::fill_n(distances, rows, INFINITY);
        std::fill_n(gains, rows, 0.0);
        for (int m = 0; m < machines(); ++m) {
            const double* sums = every_row_->sums(m).data() + first;
            const double bias = machines_[m]->bias();
            for (int i = 0; i < rows; ++i) {
                const double distance = std::abs(sums[i] + bias);
                distances[i] = std::min(distances[i], distance);
                const double depth = std::max(0.0, 1.0 - distance);
                gains[i] += depth * depth;
            }
        }
        for (int i = 0; i < rows; ++i) {
            *inside += distances[i] < 1.0;
            const double score = gains[i] == 0.0 ? distances[i] : -gains[i];
            if (!(score < worst)) continue;
            best.push_back({score, distances[i], first + i});
            std::push_heap(best.begin(), best.end(), Rated::better);
            if (best.size() > count) {
                std::pop_heap(best.begin(), best.end(), Rated::better);
                best.pop_back();
            }
            if (best.size() == count) worst = best.front().score;
        }
    }
    return best;
}

BorderSearch::Candidates BorderSearch::closest_to_many(std::size_t count) const {
    const int rows = static_cast<int>(pool_.rows);
    const int parts = range_parts(rows, kLeastRows, threads_allowed());
    std::vector<std::vector<Rated>> found(parts);
    std::vector<int> inside(parts, 0);
    run_ranges(rows, kLeastRows, parts, [&](int part, int from, int to) {
        found[part] = closest_of_rows(from, to, count, &inside[part]);
    });
    std::vector<Rated> rated;
    for (const std::vector<Rated>& some : found)
        rated.insert(rated.end(), some.begin(), some.end());
    return best_of(std::move(rated), count, std::accumulate(inside.begin(), inside.end(), 0));
}

// The best of all unseen rows, best first.
BorderSearch::Candidates BorderSearch::closest_of_all(std::size_t count) const {
    return machines() == 1 ? closest_to_one(count) : closest_to_many(count);
}

}  // namespace rarebit
