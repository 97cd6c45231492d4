#include "unique_rows.hpp"

#include <cstddef>
#include <cstring>

namespace rarebit {

namespace {

std::uint64_t hash_row(const double* row, std::int64_t columns) {
    std::uint64_t hash = 0x9e3779b97f4a7c15u;
    for (std::int64_t k = 0; k < columns; ++k) {
        const double value = row[k] + 0.0;  // turns -0 into 0
        std::uint64_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        hash = (hash ^ bits) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
    }
    return hash;
}

bool equal_rows(const double* a, const double* b, std::int64_t columns) {
    for (std::int64_t k = 0; k < columns; ++k)
        if (a[k] != b[k]) return false;
    return true;
}

}  // namespace

std::vector<std::int32_t> number_unique_rows(const double* values, std::int64_t rows,
                                             std::int64_t columns) {
    // Open addressing: a slot holds the first row of a number, or -1. At most half of it is full.
    std::size_t size = 16;
    while (size < 2 * static_cast<std::size_t>(rows)) size *= 2;
    std::vector<std::int32_t> slots(size, -1);
    std::vector<std::int32_t> numbers(static_cast<std::size_t>(rows));
    std::int32_t next = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
        const double* row = values + i * columns;
        std::size_t at = static_cast<std::size_t>(hash_row(row, columns)) & (size - 1);
        while (slots[at] >= 0 && !equal_rows(values + slots[at] * columns, row, columns))
            at = (at + 1) & (size - 1);
        if (slots[at] < 0) {
            slots[at] = static_cast<std::int32_t>(i);
            numbers[i] = next++;
        } else {
            numbers[i] = numbers[slots[at]];
        }
    }
    return numbers;
}

}  // namespace rarebit
