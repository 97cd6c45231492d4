#include "kernel/decide.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "threads.hpp"

namespace rarebit {
namespace {

constexpr std::int64_t kRowsAtOnce = 1536;  // rows per thread between two looks at the control

}  // namespace

std::vector<double> decide(const Kernel& kernel, const Matrix& left, const Matrix& right,
                           const std::vector<std::int32_t>& columns, const double* coefficients,
                           int machines, Control& control) {
    std::vector<double> out(static_cast<std::size_t>(left.rows) * machines, 0.0);
    PackedRows packed(kernel, right);
    packed.assign(columns);
    const std::int64_t at_once = kRowsAtOnce * threads_allowed();
    for (std::int64_t from = 0; from < left.rows; from += at_once) {
        const int count = static_cast<int>(std::min(at_once, left.rows - from));
        kernel.accumulate({&left, nullptr, from, count}, packed, coefficients, machines,
                          out.data() + from * machines);
        if (control.poll({0, 0.0, from + count, 0})) break;
    }
    for (std::size_t i = 0; i < out.size(); ++i)
        if (!std::isfinite(out[i]))
            throw std::invalid_argument(
                "Decision values must be finite, got " + std::to_string(out[i]) + " for row " +
                std::to_string(i / static_cast<std::size_t>(machines)) +
                ": its features are too large for this kernel; scale them, or remove the row.");
    return out;
}

}  // namespace rarebit
