#include "solver/input_checks.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <unordered_set>

namespace rarebit {
namespace {

[[noreturn]] void refuse(const std::string& sentence) { throw std::invalid_argument(sentence); }

void check_centre(const Kernel& kernel, const Matrix& matrix) {
    const std::size_t centre = kernel.centre().size();
    if (!matrix.sparse() && centre != 0 && centre != static_cast<std::size_t>(matrix.columns))
        refuse("The kernel was fitted to " + std::to_string(centre) +
               " columns, but the rows have " + std::to_string(matrix.columns) +
               ": use rows of the same columns.");
    check_finite(kernel.centre().data(), centre, "centre");
}

void check_slots(const std::vector<std::int32_t>& slots, std::vector<char>* taken) {
    for (std::int32_t slot : slots) {
        if (slot < 0 || static_cast<std::size_t>(slot) >= taken->size() || (*taken)[slot])
            refuse("The slots of a saved SVM must each be named once, got slot " +
                   std::to_string(slot) + " again or out of range: the state is damaged.");
        (*taken)[slot] = 1;
    }
}

}  // namespace

void check_training(const Kernel& kernel, const Matrix& matrix) {
    if (kernel.spec().kind != KernelKind::precomputed) {
        check_centre(kernel, matrix);
    } else if (matrix.sparse() || matrix.columns < matrix.rows) {
        refuse("A precomputed kernel must be a dense matrix with a column for each of its " +
               std::to_string(matrix.rows) + " rows, got " + std::to_string(matrix.columns) +
               " columns.");
    }
}

void check_pairing(const Kernel& kernel, const Matrix& left, const Matrix& right,
                   const std::int32_t* ids, std::size_t count) {
    const bool lookup = kernel.spec().kind == KernelKind::precomputed;
    if (lookup && left.sparse()) refuse("A precomputed kernel must be a dense matrix.");
    if (!lookup) {
        if (left.sparse() != right.sparse() || left.columns != right.columns)
            refuse("Rows must have the layout and the " + std::to_string(right.columns) +
                   " columns of the support vectors, got " + std::to_string(left.columns) +
                   " columns.");
        check_centre(kernel, left);
    }
    const std::int64_t limit = lookup ? left.columns : right.rows;
    for (std::size_t i = 0; i < count; ++i)
        if (ids[i] < 0 || ids[i] >= limit)
            refuse("Support vectors must be numbered from 0 to " + std::to_string(limit - 1) +
                   ", got " + std::to_string(ids[i]) + ": fit the SVM again, or load it again.");
}

void check_targets(const double* y, const double* cost, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        if (y[i] != 1.0 && y[i] != -1.0)
            refuse("Targets must be 1 or -1, got " + std::to_string(y[i]) + " at " +
                   std::to_string(i) + ".");
        if (!(cost[i] >= 0.0) || std::isinf(cost[i]))
            refuse("Costs must be finite and not negative, got " + std::to_string(cost[i]) +
                   " at " + std::to_string(i) + ": lower C or the weights.");
    }
}

void check_finite(const double* values, std::size_t count, const char* what) {
    for (std::size_t i = 0; i < count; ++i)
        if (!std::isfinite(values[i]))
            refuse("Entries of " + std::string(what) + " must be finite, got " +
                   std::to_string(values[i]) + " at " + std::to_string(i) + ".");
}

void check_online_state(const OnlineState& state, std::int64_t rows) {
    const std::size_t count = state.rows.size();
    if (state.slots.size() != count)
        refuse("A saved SVM of " + std::to_string(count) + " rows must have as many slots, got " +
               std::to_string(state.slots.size()) + ": the state is damaged.");
    std::vector<char> taken(count + state.closed.size(), 0);
    check_slots(state.slots, &taken);
    std::vector<char> open = taken;
    check_slots(state.closed, &taken);
    std::unordered_set<std::int32_t> tags;
    for (const ActiveRow& row : state.rows) {
        if (row.row < 0 || row.row >= rows)
            refuse("Rows of a saved SVM must be numbered below " + std::to_string(rows) + ", got " +
                   std::to_string(row.row) + ": the state is damaged.");
        if (row.tag >= 0 && !tags.insert(row.tag).second)
            refuse("Row " + std::to_string(row.tag) +
                   " appears twice in a saved SVM: the state is damaged.");
        check_targets(&row.y, &row.cost, 1);
        const double signed_alpha = row.alpha * row.y;
        if (!(signed_alpha >= 0.0 && signed_alpha <= row.cost))
            refuse("Coefficients of a saved SVM must lie between 0 and their cost, got " +
                   std::to_string(signed_alpha) + " of " + std::to_string(row.cost) +
                   ": the state is damaged.");
        check_finite(&row.gradient, 1, "gradient");
    }
    for (std::int32_t slot : state.idle)
        if (slot < 0 || static_cast<std::size_t>(slot) >= open.size() || !open[slot])
            refuse("Idle slots of a saved SVM must hold rows, got slot " + std::to_string(slot) +
                   ": the state is damaged.");
    if (state.seen < 0) refuse("A saved SVM cannot have seen fewer than 0 rows.");
}

}  // namespace rarebit
