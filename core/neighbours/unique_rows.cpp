#include "neighbours/unique_rows.hpp"

#include <cstddef>
#include <cstring>

namespace rarebit {

namespace {

template <class Real>
std::uint64_t hash_row(const ScaledRows<Real>& x, std::int64_t row) {
    std::uint64_t hash = 0x9e3779b97f4a7c15u;
    for (std::int64_t k = 0; k < x.columns; ++k) {
        const double value = static_cast<double>(x.at(row, k)) + 0.0;  // turns -0 into 0
        std::uint64_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        hash = (hash ^ bits) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
    }
    return hash;
}

template <class Real>
bool equal_rows(const ScaledRows<Real>& x, std::int64_t a, std::int64_t b) {
    for (std::int64_t k = 0; k < x.columns; ++k)
        if (x.at(a, k) != x.at(b, k)) return false;
    return true;
}

}  // namespace

template <class Real>
std::vector<std::int32_t> number_unique_rows(const ScaledRows<Real>& x) {
    // Open addressing: a slot holds the first row of a number, or -1. At most half of it is full.
    std::size_t size = 16;
    while (size < 2 * static_cast<std::size_t>(x.rows)) size *= 2;
    std::vector<std::int32_t> slots(size, -1);
    std::vector<std::int32_t> numbers(static_cast<std::size_t>(x.rows));
    std::int32_t next = 0;
    for (std::int64_t i = 0; i < x.rows; ++i) {
        std::size_t at = static_cast<std::size_t>(hash_row(x, i)) & (size - 1);
        while (slots[at] >= 0 && !equal_rows(x, slots[at], i)) at = (at + 1) & (size - 1);
        if (slots[at] < 0) {
            slots[at] = static_cast<std::int32_t>(i);
            numbers[i] = next++;
        } else {
            numbers[i] = numbers[slots[at]];
        }
    }
    return numbers;
}

template std::vector<std::int32_t> number_unique_rows(const ScaledRows<float>&);
template std::vector<std::int32_t> number_unique_rows(const ScaledRows<double>&);

}  // namespace rarebit
