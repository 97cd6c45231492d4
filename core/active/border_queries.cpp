// Which row to ask for next.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "active/border.hpp"

namespace rarebit {
namespace {

constexpr std::size_t kPerPending = 16;      // close rows looked at for each row not yet answered
constexpr std::int64_t kUnlikeDraw = 20;     // rows of which the least like the labelled is taken
constexpr double kExploreEmptyMargin = 0.5;  // of the queries that find no row inside the margin
constexpr double kExploreRandom = 0.25;      // of the queries away from the border: any row

}  // namespace

Query BorderSearch::ask() {
    Query query;
    if (unseen_.left() == 0) return query;
    Control unwatched;
    learn_rest(unwatched);
    if (options_.search == Search::random)
        query = ask_any(QueryReason::random);
    else if (cold())
        // Rows unlike the known ones reveal other classes sooner, unless those lie among them.
        query = log_.size() + pending_.size() == 0 || random_.uniform() < 0.5
                    ? ask_any(QueryReason::random_start)
                    : ask_unlike(QueryReason::start);
    else if (options_.explore > 0.0 && random_.uniform() < options_.explore)
        query = ask_elsewhere();
    else
        query = ask_border();
    // A margin without rows has little left to teach.
    if (query.reason == QueryReason::border && options_.explore > 0.0 && query.distance >= 1.0 &&
        random_.uniform() < kExploreEmptyMargin) {
        // The rows drawn for the border still tell how full the margin is.
        const int drawn = query.drawn, inside = query.inside;
        query = ask_elsewhere();
        query.drawn += drawn;
        query.inside += inside;
    }
    if (!cold() && query.expected < 0) describe(&query, values_of({query.row}).data());
    take(query.row);
    pending_.push_back(query);
    return query;
}

Query BorderSearch::ask_elsewhere() {
    return random_.uniform() < kExploreRandom ? ask_any(QueryReason::random)
                                              : ask_unlike(QueryReason::explore);
}

Query BorderSearch::ask_any(QueryReason reason) {
    Query query;
    query.reason = reason;
    query.probability = 1.0 / static_cast<double>(unseen_.left());
    query.row = unseen_.draw(1, &random_)[0];
    query.drawn = !cold();  // without a machine there is no margin to look for it in
    return query;
}

// The drawn row that is least like the labelled ones and those waiting for an answer.
Query BorderSearch::ask_unlike(QueryReason reason) {
    Query query;
    query.reason = reason;
    const std::vector<std::int32_t> rows = unseen_.draw(kUnlikeDraw, &random_);
    query.probability = static_cast<double>(rows.size()) / static_cast<double>(unseen_.left());
    std::vector<double> like = likeness(rows, labelled_rows_, labelled_scale_);
    if (!pending_.empty()) {
        const std::vector<double> other = pending_likeness(rows);
        for (std::size_t i = 0; i < like.size(); ++i) like[i] = std::max(like[i], other[i]);
    }
    query.row = rows[std::min_element(like.begin(), like.end()) - like.begin()];
    return query;
}

// What the machines make of the chosen row; `values` are theirs.
void BorderSearch::describe(Query* query, const double* values) const {
    query->distance = INFINITY;
    for (int m = 0; m < machines(); ++m)
        if (std::abs(values[m]) < query->distance) {
            query->distance = std::abs(values[m]);
            query->machine = m;
        }
    query->expected =
        machines() == 1 ? values[0] > 0.0
                        : static_cast<int>(std::max_element(values, values + machines()) - values);
    // A row taken at random is itself a row looked at.
    if (query->reason == QueryReason::random) query->inside += query->distance < 1.0;
}

// Decision values, the machines of a row next to each other.
std::vector<double> BorderSearch::values_of(const std::vector<std::int32_t>& rows) {
    const int count = static_cast<int>(rows.size()), m = machines();
    std::vector<double> sums(count), values(static_cast<std::size_t>(count) * m);
    for (int k = 0; k < m; ++k) {
        const ActiveSet& active = machines_[k]->active();
        std::fill(sums.begin(), sums.end(), 0.0);
        if (m == 1)
            keep_kernel_values(rows, sums.data());
        else
            kernel_.accumulate({&pool_, rows.data(), 0, count}, active.packed_rows(),
                               active.alphas(), 1, sums.data());
        for (int i = 0; i < count; ++i)
            values[static_cast<std::size_t>(i) * m + k] = sums[i] + machines_[k]->bias();
    }
    return values;
}

// The same sums as Kernel::accumulate, keeping the kernel values for the row to be learned next.
void BorderSearch::keep_kernel_values(const std::vector<std::int32_t>& rows, double* sums) {
    const ActiveSet& active = machines_[0]->active();
    const int count = static_cast<int>(rows.size()), columns = active.packed_rows().size();
    kept_rows_ = rows;
    kept_when_ = machines_[0]->rows_seen();
    kept_values_.resize(static_cast<std::size_t>(count) * columns);
    std::vector<float*> out(count);
    for (int i = 0; i < count; ++i)
        out[i] = kept_values_.data() + static_cast<std::size_t>(i) * columns;
    kernel_.compute({&pool_, rows.data(), 0, count}, active.packed_rows(), out.data());
    for (int from = 0; from < columns; from += kTileColumns) {
        const int part = std::min(kTileColumns, columns - from);
        std::vector<double> sum(count, 0.0);
        kernel_.loops().weigh(kept_values_.data() + from, count, part, columns,
                              active.alphas() + from, sum.data());
        for (int i = 0; i < count; ++i) sums[i] += sum[i];
    }
}

// Kernel values of a row with the slots of a machine, with room for one slot more.
const float* BorderSearch::kernel_values(std::int32_t row, const OnlineSolver& machine) {
    const int slots = machine.active().slots();
    values_.assign(slots + 1, 0.0f);
    const auto kept = std::find(kept_rows_.begin(), kept_rows_.end(), row);
    if (machines() == 1 && kept != kept_rows_.end() && kept_when_ == machine.rows_seen()) {
        const std::size_t at = static_cast<std::size_t>(kept - kept_rows_.begin()) * slots;
        std::copy_n(kept_values_.data() + at, slots, values_.data());
        return values_.data();
    }
    float* out = values_.data();
    kernel_.compute({&pool_, &row, 0, 1}, machine.active().packed_rows(), &out);
    return values_.data();
}

// What turns a kernel value of the row into a cosine, times that of the other row.
double BorderSearch::likeness_scale(std::int32_t row) const {
    const double diagonal = kernel_.diagonal(pool_, row);
    return diagonal > 0.0 ? 1.0 / std::sqrt(diagonal) : 0.0;
}

// Largest cosine, in the kernel's space, between each row and the packed rows.
std::vector<double> BorderSearch::likeness(const std::vector<std::int32_t>& rows,
                                           const PackedRows& to,
                                           const std::vector<double>& scale) const {
    const int count = static_cast<int>(rows.size()), columns = static_cast<int>(scale.size());
    std::vector<double> largest(count, -1.0);
    if (columns == 0) return largest;
    AlignedVector<float> block(static_cast<std::size_t>(count) * to.size());
    std::vector<float*> out(count);
    for (int i = 0; i < count; ++i) out[i] = block.data() + static_cast<std::size_t>(i) * to.size();
    kernel_.compute({&pool_, rows.data(), 0, count}, to, out.data());
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < columns; ++j) largest[i] = std::max(largest[i], out[i][j] * scale[j]);
        largest[i] *= likeness_scale(rows[i]);
    }
    return largest;
}

std::vector<double> BorderSearch::pending_likeness(const std::vector<std::int32_t>& rows) const {
    PackedRows pending(kernel_, pool_);
    std::vector<double> scale;
    for (const Query& query : pending_) {
        pending.assign(static_cast<int>(scale.size()), query.row);
        scale.push_back(likeness_scale(query.row));
    }
    return likeness(rows, pending, scale);
}

// One machine: the closest row is the best. Several: the row that lies deep inside the margins of
// many, because its label moves them all.
void BorderSearch::rate(Candidates* candidates, std::size_t at, const double* values) const {
    double nearest = INFINITY, gain = 0.0;
    for (int m = 0; m < machines(); ++m) {
        const double distance = std::abs(values[m]);
        nearest = std::min(nearest, distance);
        const double depth = std::max(0.0, 1.0 - distance);
        gain += depth * depth;
    }
    candidates->distances[at] = nearest;
    candidates->inside += nearest < 1.0;
    candidates->scores[at] = machines() == 1 || gain == 0.0 ? nearest : -gain;
}

BorderSearch::Candidates BorderSearch::draw_candidates() {
    Candidates drawn;
    drawn.rows = unseen_.draw(options_.pool_size, &random_);
    drawn.values = values_of(drawn.rows);
    const std::vector<double>& values = drawn.values;
    const std::size_t count = drawn.rows.size();
    drawn.scores.resize(count);
    drawn.distances.resize(count);
    for (std::size_t i = 0; i < count; ++i) rate(&drawn, i, &values[i * machines()]);
    return drawn;
}

// Rows near one that waits for its answer will soon be settled by it: once that row stands on its
// margin, a row of likeness s moves by about s in a direction not known yet.
void BorderSearch::keep_apart(Candidates* candidates) const {
    const std::vector<double> like = pending_likeness(candidates->rows);
    const double usual =
        std::accumulate(like.begin(), like.end(), 0.0) / static_cast<double>(like.size());
    for (std::size_t i = 0; i < like.size(); ++i) {
        const double shared = usual < 1.0 ? std::max(0.0, (like[i] - usual) / (1.0 - usual)) : 1.0;
        double& score = candidates->scores[i];
        score = score < 0.0 ? score * (1.0 - shared) * (1.0 - shared) : std::max(score, shared);
    }
}

Query BorderSearch::ask_border() {
    const bool full = options_.search == Search::full;
    if (full) follow_machines();
    Candidates candidates =
        full ? closest_of_all(1 + kPerPending * pending_.size()) : draw_candidates();
    // Values that are no finite numbers rate no row.
    if (candidates.rows.empty()) return ask_any(QueryReason::border);
    const std::vector<double>& scores = candidates.scores;
    if (!pending_.empty()) keep_apart(&candidates);
    const std::size_t best = std::min_element(scores.begin(), scores.end()) - scores.begin();
    Query query;
    query.reason = QueryReason::border;
    query.row = candidates.rows[best];
    query.drawn =
        static_cast<int>(full ? unseen_.left() : static_cast<std::int64_t>(candidates.rows.size()));
    query.probability = static_cast<double>(query.drawn) / static_cast<double>(unseen_.left());
    query.inside = candidates.inside;
    query.distance = candidates.distances[best];
    if (!full) describe(&query, &candidates.values[best * machines()]);
    return query;
}

}  // namespace rarebit
