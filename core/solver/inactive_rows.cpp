#include "solver/inactive_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace rarebit {
namespace {

constexpr int kSetRows = 4096;  // rows whose kept values share a column list

Expansion difference(const Expansion& now, const Expansion& before) {
    Expansion change;
    std::size_t i = 0, j = 0;
    while (i < now.size() || j < before.size()) {
        if (j == before.size() || (i < now.size() && now[i].first < before[j].first)) {
            change.push_back(now[i++]);
        } else if (i == now.size() || before[j].first < now[i].first) {
            change.push_back({before[j].first, -before[j].second});
            ++j;
        } else {
            const double by = now[i].second - before[j].second;
            if (by != 0.0) change.push_back({now[i].first, by});
            ++i, ++j;
        }
    }
    return change;
}

}  // namespace

InactiveRows::InactiveRows(KernelProvider& provider, const std::vector<std::int32_t>& rows,
                           const std::vector<double>& y, std::size_t keep_bytes)
    : provider_(provider),
      rows_(rows),
      cache_(provider, keep_bytes),
      gradient_(y),
      version_(rows.size(), 0),
      expansions_(1),
      moved_at_(1, 0.0),
      set_(rows.size(), -1),
      member_(rows.size(), -1) {}

void InactiveRows::meet(const std::vector<int>& positions) {
    if (!cache_.worthwhile()) return;
    for (std::size_t from = 0; from < positions.size(); from += kSetRows) {
        const std::size_t to = std::min(positions.size(), from + kSetRows);
        const int set = cache_.open(static_cast<int>(to - from));
        inactive_of_.push_back(static_cast<int>(to - from));
        for (std::size_t i = from; i < to; ++i) {
            set_[positions[i]] = set;
            member_[positions[i]] = static_cast<int>(i - from);
        }
    }
}

void InactiveRows::leave(int p) {
    if (set_[p] >= 0) --inactive_of_[set_[p]];
    set_[p] = -1;
}

int InactiveRows::remember(const Expansion& now) {
    expansions_.push_back(now);
    moved_at_.push_back(moved_);
    return static_cast<int>(expansions_.size()) - 1;
}

void InactiveRows::come_back(const std::vector<std::pair<int, double>>& gradients,
                             const Expansion& now) {
    const int version = remember(now);
    for (const auto& [p, gradient] : gradients) {
        gradient_[p] = gradient;
        version_[p] = version;
    }
}

double InactiveRows::uncertainty(int p) const {
    // Without a positive definite kernel there is no such bound.
    const KernelSpec& spec = provider_.kernel().spec();
    const bool definite = spec.kind == KernelKind::rbf || spec.kind == KernelKind::linear ||
                          (spec.kind == KernelKind::poly && spec.coef0 >= 0.0);
    if (version_[p] == 0 || !definite) return std::numeric_limits<double>::infinity();
    return (moved_ - moved_at_[version_[p]]) *
           std::sqrt(std::max(0.0, provider_.diagonal(rows_[p])));
}

void InactiveRows::score(const std::vector<int>& positions, const Expansion& now, Control& control,
                         const Progress& progress) {
    if (positions.empty()) return;
    std::map<int, std::vector<int>> by_version;
    for (int p : positions) by_version[version_[p]].push_back(p);
    for (const auto& [version, members] : by_version) {
        apply(difference(now, expansions_[version]), members, control, progress);
        if (control.stopped()) return;
    }
    const int latest = remember(now);
    for (int p : positions) version_[p] = latest;
    ++sweeps_;
    rows_swept_ += static_cast<std::int64_t>(positions.size());
}

// gradient[p] -= sum_j change_j K(p, j) for these positions.
void InactiveRows::apply(const Expansion& change, const std::vector<int>& positions,
                         Control& control, const Progress& progress) {
    if (change.empty() || positions.empty()) return;
    std::vector<std::int32_t> columns;
    std::vector<double> coefficients;
    for (const auto& [p, value] : change) {
        columns.push_back(rows_[p]);
        coefficients.push_back(value);
    }
    std::map<int, std::vector<int>> by_set;
    for (int p : positions) by_set[set_[p]].push_back(p);
    for (const auto& [set, members] : by_set) {
        if (set < 0)
            apply_plainly(columns, coefficients, members, control, progress);
        else
            apply_keeping(columns, coefficients, set, members, control, progress);
        if (control.stopped()) return;
    }
}

void InactiveRows::apply_plainly(const std::vector<std::int32_t>& columns,
                                 const std::vector<double>& coefficients,
                                 const std::vector<int>& positions, Control& control,
                                 const Progress& progress) {
    PackedRows right = provider_.packed_rows();
    right.assign(columns);
    std::vector<std::int32_t> left;
    std::vector<double> sums;
    const std::size_t at_once =
        provider_.kernel().rows_between_polls(provider_.matrix(), right.size());
    for (std::size_t from = 0; from < positions.size(); from += at_once) {
        const std::size_t to = std::min(positions.size(), from + at_once);
        left.clear();
        for (std::size_t i = from; i < to; ++i) left.push_back(rows_[positions[i]]);
        sums.assign(left.size(), 0.0);
        provider_.accumulate(left.data(), static_cast<int>(left.size()), right, coefficients.data(),
                             sums.data());
        for (std::size_t i = from; i < to; ++i) gradient_[positions[i]] -= sums[i - from];
        if (control.poll(progress)) return;
    }
}

void InactiveRows::apply_keeping(const std::vector<std::int32_t>& columns,
                                 const std::vector<double>& coefficients, int set,
                                 const std::vector<int>& positions, Control& control,
                                 const Progress& progress) {
    std::vector<int> members;
    std::vector<std::int32_t> left;
    for (int p : positions) {
        members.push_back(member_[p]);
        left.push_back(rows_[p]);
    }
    std::vector<double> sums(positions.size(), 0.0);
    const bool whole = static_cast<int>(positions.size()) == inactive_of_[set];
    cache_.accumulate(
        set, members, left, columns, coefficients, whole, [&] { return control.poll(progress); },
        sums.data());
    for (std::size_t i = 0; i < positions.size(); ++i) gradient_[positions[i]] -= sums[i];
}

}  // namespace rarebit
