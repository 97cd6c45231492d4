#include "solver/online_machine.hpp"

#include <stdexcept>
#include <utility>

#include "solver/input_checks.hpp"

namespace rarebit {

OnlineMachine::OnlineMachine(const Kernel& kernel, const Matrix& like, double tolerance,
                             std::size_t cache_bytes)
    : store_(like),
      external_(kernel.spec().kind == KernelKind::precomputed),
      provider_(kernel, external_ ? like : store_.matrix()),
      solver_(
          provider_, tolerance, cache_bytes,
          [this](const Matrix& from, std::int64_t row) {
              return external_ ? static_cast<std::int32_t>(row) : store_.add(from, row);
          },
          [this](std::int32_t row) {
              if (!external_) store_.remove(row);
          }) {
    check_training(kernel, like);
}

void OnlineMachine::check_rows(const Matrix& rows) const {
    const Matrix& own = provider_.matrix();
    if (external_ && (rows.values != own.values || rows.rows != own.rows))
        throw std::invalid_argument(
            "An SVM with a precomputed kernel takes rows of its own matrix only.");
    check_pairing(provider_.kernel(), rows, own, nullptr, 0);
}

void OnlineMachine::process(const Matrix& rows, const std::vector<std::int32_t>& order,
                            const std::int32_t* tags, const double* y, const double* cost,
                            Control& control) {
    check_rows(rows);
    check_targets(y, cost, order.size());
    solver_.process({&rows, order.data(), 0, static_cast<int>(order.size())}, tags, y, cost,
                    control);
}

bool OnlineMachine::finish(std::int64_t most_steps, Control& control) {
    return solver_.finish(most_steps, control);
}

void OnlineMachine::restore(const Matrix& rows, OnlineState state) {
    if (solver_.active().slots() > 0)
        throw std::invalid_argument(
            "A saved state can be restored only before any row is learned.");
    for (std::size_t i = 0; i < state.rows.size(); ++i)
        state.rows[i].row = external_ ? state.rows[i].tag : static_cast<std::int32_t>(i);
    check_rows(rows);
    check_online_state(state, rows.rows);
    solver_.restore(rows, state);
}

CopiedRows OnlineMachine::copy_rows(const OnlineState& state) const {
    CopiedRows copied;
    const Matrix& matrix = store_.matrix();
    copied.offsets.push_back(0);
    SparseRow<double> entries;
    for (const ActiveRow& row : state.rows) {
        if (!matrix.sparse()) {
            for (std::int64_t k = 0; k < matrix.columns; ++k)
                copied.dense.push_back(matrix.dense_value(row.row, k));
            continue;
        }
        entries.read(matrix, row.row);
        copied.values.insert(copied.values.end(), entries.values.begin(), entries.values.end());
        copied.columns.insert(copied.columns.end(), entries.columns.begin(), entries.columns.end());
        copied.offsets.push_back(static_cast<std::int64_t>(copied.columns.size()));
    }
    return copied;
}

}  // namespace rarebit
