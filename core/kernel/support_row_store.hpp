// Rows that an online machine keeps for itself, so that the caller's rows may go away.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/matrix.hpp"

namespace rarebit {

class SupportRowStore {
  public:
    // Keeps rows as `like` stores them; CSR column numbers become int64 with int64 row starts.
    explicit SupportRowStore(const Matrix& like);

    const Matrix& matrix() const { return view_; }
    // Copies a row in and returns its number.
    std::int32_t add(const Matrix& from, std::int64_t row);
    // Frees the number of a row for reuse (dense); a CSR row's memory stays until the store ends.
    void remove(std::int32_t row);
    // Rows that were removed but still take memory.
    std::int64_t garbage() const { return garbage_; }

  private:
    void refresh_view();

    Matrix view_;
    std::vector<float> dense32_, sparse32_;
    std::vector<double> dense64_, sparse64_;
    std::vector<std::int64_t> columns_, starts_;
    std::vector<std::int32_t> free_;
    std::int64_t garbage_ = 0;
};

}  // namespace rarebit
