#include "kernel/shared_columns_provider.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace rarebit {
namespace {

constexpr int kPatch = 16;       // columns turned round at a time
constexpr int kRowsAtOnce = 64;  // rows computed before their values are copied across

}  // namespace

SharedColumnsProvider::SharedColumnsProvider(const Kernel& kernel, const Matrix& matrix,
                                             const std::vector<std::int32_t>& shared)
    : kernel_(kernel),
      matrix_(matrix),
      number_(matrix.rows, -1),
      pool_(std::max<std::size_t>(1, shared.size())),
      values_(matrix.rows) {
    for (std::size_t a = 0; a < shared.size(); ++a)
        number_[shared[a]] = static_cast<std::int32_t>(a);
    for (float*& row : values_) row = pool_.take();
    std::vector<std::int32_t> rows(matrix.rows);
    std::iota(rows.begin(), rows.end(), 0);
    PackedRows right(kernel_, matrix_);
    right.assign(shared);
    kernel_.compute({&matrix_, rows.data(), 0, static_cast<int>(matrix.rows)}, right,
                    values_.data());
}

void SharedColumnsProvider::compute(const std::int32_t* rows, int count, const PackedRows& right,
                                    float* const* out) {
    const std::int32_t* columns = right.rows().data();
    const int width = right.size();
    std::vector<int> held_slots, held_numbers, own_slots, numbers;
    std::vector<std::int32_t> own_columns, own_rows;
    std::vector<float*> own_out, shared_out;
    for (int j = 0; j < width; ++j) {
        if (is_shared(columns[j])) {
            held_slots.push_back(j);
            held_numbers.push_back(number_[columns[j]]);
        } else {
            own_slots.push_back(j);
            own_columns.push_back(columns[j]);
        }
    }
    for (int i = 0; i < count; ++i) {
        if (is_shared(rows[i])) {
            numbers.push_back(number_[rows[i]]);
            shared_out.push_back(out[i]);
            continue;
        }
        const float* values = values_[rows[i]];
        for (std::size_t k = 0; k < held_slots.size(); ++k)
            out[i][held_slots[k]] = values[held_numbers[k]];
        own_rows.push_back(rows[i]);
        own_out.push_back(out[i]);
    }
    // The kernel is symmetric: the rows of the columns have the shared values.
    for (int from = 0; from < width; from += kPatch)
        for (std::size_t a = 0; a < numbers.size(); ++a)
            for (int j = from; j < std::min(width, from + kPatch); ++j)
                shared_out[a][j] = values_[columns[j]][numbers[a]];
    compute_own(own_rows, own_out, own_columns, own_slots);
}

// Values between rows that are not shared. Where all of them are columns as well, one value of
// each pair is computed and copied to the other side.
void SharedColumnsProvider::compute_own(const std::vector<std::int32_t>& rows,
                                        const std::vector<float*>& out,
                                        const std::vector<std::int32_t>& columns,
                                        const std::vector<int>& slots) const {
    const int count = static_cast<int>(rows.size()), width = static_cast<int>(columns.size());
    if (count == 0 || width == 0) return;
    std::unordered_map<std::int32_t, int> number;  // of a row among `rows`
    for (int i = 0; i < count; ++i) number.emplace(rows[i], i);
    std::vector<std::pair<int, int>> order;  // number of the column's row, or `count`; the column
    std::vector<int> slot_of(count, -1);
    for (int k = 0; k < width; ++k) {
        const auto found = number.find(columns[k]);
        order.push_back({found == number.end() ? count : found->second, k});
        if (found != number.end()) slot_of[found->second] = slots[k];
    }
    for (int i = 0; i < count; ++i) slot_of[i] = slot_of[number[rows[i]]];
    const bool symmetric = std::find(slot_of.begin(), slot_of.end(), -1) == slot_of.end();
    if (symmetric) std::sort(order.begin(), order.end());
    PackedRows packed(kernel_, matrix_);
    std::vector<float> block(static_cast<std::size_t>(std::min(count, kRowsAtOnce)) * width);
    std::vector<std::int32_t> left;
    std::vector<float*> to;
    int first = 0;  // columns before it belong to rows that are done
    for (int from = 0; from < count; from += kRowsAtOnce) {
        const int part = std::min(kRowsAtOnce, count - from);
        if (symmetric)
            while (first < width && order[first].first < from) ++first;
        for (int k = 0; k < first; ++k) {
            const float* done = out[order[k].first];
            const int slot = slots[order[k].second];
            for (int i = from; i < from + part; ++i) out[i][slot] = done[slot_of[i]];
        }
        if (first == width) continue;
        if (from == 0 || symmetric) {
            left.clear();
            for (int k = first; k < width; ++k) left.push_back(columns[order[k].second]);
            packed.assign(left);
        }
        to.clear();
        for (int i = 0; i < part; ++i)
            to.push_back(block.data() + static_cast<std::size_t>(i) * left.size());
        kernel_.compute({&matrix_, rows.data() + from, 0, part}, packed, to.data());
        for (int i = 0; i < part; ++i)
            for (int k = first; k < width; ++k)
                out[from + i][slots[order[k].second]] = to[i][k - first];
    }
}

void SharedColumnsProvider::accumulate(const std::int32_t* rows, int count, const PackedRows& right,
                                       const double* coefficients, double* out) {
    std::vector<std::int32_t> own_columns, own_rows;
    std::vector<double> own_coefficients, shared_coefficients(pool_.length(), 0.0);
    for (int j = 0; j < right.size(); ++j) {
        if (is_shared(right.row(j))) {
            shared_coefficients[number_[right.row(j)]] += coefficients[j];
        } else {
            own_columns.push_back(right.row(j));
            own_coefficients.push_back(coefficients[j]);
        }
    }
    std::vector<int> positions;
    for (int i = 0; i < count; ++i) {
        double sum = 0.0;
        kernel_.loops().weigh(values_[rows[i]], 1, static_cast<int>(shared_coefficients.size()), 0,
                              shared_coefficients.data(), &sum);
        out[i] += sum;
        if (!is_shared(rows[i])) {
            own_rows.push_back(rows[i]);
            positions.push_back(i);
            continue;
        }
        const std::int32_t shared = number_[rows[i]];
        for (std::size_t j = 0; j < own_columns.size(); ++j)
            out[i] += own_coefficients[j] * static_cast<double>(values_[own_columns[j]][shared]);
    }
    if (own_rows.empty() || own_columns.empty()) return;
    std::vector<double> sums(own_rows.size(), 0.0);
    PackedRows packed(kernel_, matrix_);
    packed.assign(own_columns);
    kernel_.accumulate({&matrix_, own_rows.data(), 0, static_cast<int>(own_rows.size())}, packed,
                       own_coefficients.data(), 1, sums.data());
    for (std::size_t i = 0; i < sums.size(); ++i) out[positions[i]] += sums[i];
}

}  // namespace rarebit
