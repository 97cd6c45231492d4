#include "kernel/row_checks.hpp"

#include <stdexcept>
#include <string>
#include <type_traits>

namespace rarebit {
namespace {

[[noreturn]] void refuse(const std::string& wrong) {
    throw std::invalid_argument(
        wrong + ": rebuild the matrix from its rows, for example with scipy.sparse.csr_matrix.");
}

template <class I>
[[noreturn]] void refuse_column(const Matrix& matrix, const I* starts, const I* columns) {
    for (std::int64_t row = 0; row < matrix.rows; ++row)
        for (I at = starts[row]; at < starts[row + 1]; ++at)
            if (columns[at] < 0 || columns[at] >= matrix.columns)
                refuse("The columns of a CSR matrix of " + std::to_string(matrix.columns) +
                       " columns must be from 0 to " + std::to_string(matrix.columns - 1) +
                       ", got " + std::to_string(columns[at]) + " in row " + std::to_string(row));
    refuse("The columns of a CSR matrix changed while they were read");
}

template <class I>
bool check(const Matrix& matrix, std::int64_t entries) {
    const I* starts = static_cast<const I*>(matrix.offsets);
    const I* columns = static_cast<const I*>(matrix.indices);
    if (starts[0] != 0)
        refuse("The row starts (indptr) of a CSR matrix must begin with 0, got " +
               std::to_string(starts[0]));
    for (std::int64_t row = 0; row < matrix.rows; ++row)
        if (starts[row + 1] < starts[row])
            refuse("The row starts (indptr) of a CSR matrix must not fall, got " +
                   std::to_string(starts[row + 1]) + " after " + std::to_string(starts[row]) +
                   " at row " + std::to_string(row));
    if (starts[matrix.rows] > entries)
        refuse("The row starts (indptr) of a CSR matrix must end within its " +
               std::to_string(entries) + " entries, got " + std::to_string(starts[matrix.rows]));
    // Both passes run over all entries at once, without a branch, so that they become vector
    // instructions: every matrix that enters the engine pays for them.
    const std::int64_t used = starts[matrix.rows];
    using U = std::make_unsigned_t<I>;
    const U width = static_cast<U>(matrix.columns);
    U outside = 0;
    for (std::int64_t at = 0; at < used; ++at) outside |= static_cast<U>(columns[at]) >= width;
    if (outside != 0) refuse_column(matrix, starts, columns);
    U falls = 0;
    for (std::int64_t at = 1; at < used; ++at) falls += columns[at] <= columns[at - 1];
    // Where a row ends and the next begins, columns may fall.
    U allowed = 0;
    for (std::int64_t row = 1; row < matrix.rows; ++row) {
        const I at = starts[row];
        if (at > starts[row - 1] && at < used) allowed += columns[at] <= columns[at - 1];
    }
    return falls == allowed;
}

}  // namespace

bool check_csr(const Matrix& matrix, std::int64_t entries) {
    return matrix.wide_indices ? check<std::int64_t>(matrix, entries)
                               : check<std::int32_t>(matrix, entries);
}

}  // namespace rarebit
