// A read-only view of the caller's rows: dense float32 or float64, or CSR. Nothing is copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rarebit {

enum class Storage { dense32, dense64, csr32, csr64 };

struct Matrix {
    Storage storage = Storage::dense32;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    const void* values = nullptr;   // dense: row-major and contiguous
    const void* indices = nullptr;  // CSR column numbers, sorted or not
    const void* offsets = nullptr;  // CSR row starts, rows + 1 of them
    bool wide_indices = false;      // int64 instead of int32 in both

    bool sparse() const { return storage == Storage::csr32 || storage == Storage::csr64; }

    double dense_value(std::int64_t row, std::int64_t column) const {
        const std::int64_t at = row * columns + column;
        return storage == Storage::dense32 ? static_cast<const float*>(values)[at]
                                           : static_cast<const double*>(values)[at];
    }
    // First and last position of a CSR row.
    void extent(std::int64_t row, std::int64_t* from, std::int64_t* to) const;
};

// Some rows of a matrix: `count` rows named by `ids`, or consecutive ones from `first`.
struct RowBlock {
    const Matrix* matrix = nullptr;
    const std::int32_t* ids = nullptr;
    std::int64_t first = 0;
    int count = 0;

    std::int64_t operator[](int i) const { return ids ? ids[i] : first + i; }
    RowBlock part(int from, int size) const {
        return {matrix, ids ? ids + from : nullptr, first + from, size};
    }
};

// Copies `count` dense rows into one panel, entry k of lane i at out[k * width + i], less the
// centre (skipped when empty). Lanes past `count` become 0.
template <class T>
void pack_panel(const RowBlock& rows, int width, const std::vector<double>& centre, T* out);

// Reads one CSR row.
template <class T>
struct SparseRow {
    std::vector<std::int32_t> columns;
    std::vector<T> values;
    void read(const Matrix& matrix, std::int64_t row);
    int size() const { return static_cast<int>(columns.size()); }
};

// Sum of squares of a row less the centre, in float64.
double squared_norm(const Matrix& matrix, std::int64_t row, const std::vector<double>& centre);

// Column means over at most 1024 evenly spaced rows, rounded to a sixteenth of the column's spread
// so that integers less their centre stay exact in float32. Any point near the middle serves.
std::vector<double> rough_centre(const Matrix& matrix);

}  // namespace rarebit
