// What must hold of a CSR matrix before the engine reads it. Everything behind these checks trusts
// the column numbers and the row starts.
#pragma once

#include <cstdint>

#include "kernel/matrix.hpp"

namespace rarebit {

// Throws std::invalid_argument unless the row starts rise from 0 to at most `entries` and every
// column number is one of the matrix. One pass; values are not read. Returns whether the columns of
// every row are in rising order, none of them twice.
bool check_csr(const Matrix& matrix, std::int64_t entries);

}  // namespace rarebit
