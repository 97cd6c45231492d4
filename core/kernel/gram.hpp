// Kernel rows over one matrix, computed once and shared by every machine trained on its rows.
//
// Rows are kept within a byte budget, the longest unused leaving first. Any number of threads may
// ask at once: a row that one of them is computing is waited for, not computed again. Values are
// the same to the bit whoever asks first, because a kernel value depends on its two rows alone.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

#include "kernel/kernel_provider.hpp"
#include "kernel/row_pool.hpp"

namespace rarebit {

class Gram : public KernelProvider {
  public:
    Gram(const Kernel& kernel, const Matrix& matrix, std::size_t budget_bytes);

    // Computes all rows at once, each pair of rows once, while other callers wait. Returns false,
    // and computes nothing, where the budget does not hold them all.
    bool fill();

    const Kernel& kernel() const override { return kernel_; }
    const Matrix& matrix() const override { return matrix_; }
    PackedRows packed_rows() const override { return PackedRows(kernel_, matrix_, false); }
    bool computes() const override { return false; }
    void compute(const std::int32_t* rows, int count, const PackedRows& right,
                 float* const* out) override;
    void accumulate(const std::int32_t* rows, int count, const PackedRows& right,
                    const double* coefficients, double* out) override;

    std::int64_t values_computed() const { return computed_; }
    std::int64_t values_reused() const { return reused_; }
    std::int64_t rows_held() const;
    std::int64_t rows_affordable() const { return affordable_; }

  private:
    enum class State : char { absent, coming, ready };
    struct Entry {
        float* values = nullptr;
        State state = State::absent;
        int readers = 0;
        std::int64_t last_use = 0;
    };

    // Returns the rows ready and protected from leaving until release().
    void acquire(const std::int32_t* rows, int count);
    void release(const std::int32_t* rows, int count);
    void make_room(int rows);
    void fill_rows(const std::vector<std::int32_t>& rows);
    void mirror(std::int64_t from, std::int64_t to);

    const Kernel& kernel_;
    const Matrix& matrix_;
    std::int64_t affordable_;
    mutable std::mutex mutex_;
    std::condition_variable arrived_;
    RowPool pool_;
    std::vector<Entry> entries_;
    std::int64_t held_ = 0, clock_ = 0;
    std::int64_t in_use_ = 0;  // rows acquired and not released
    std::atomic<std::int64_t> computed_{0}, reused_{0};
};

}  // namespace rarebit
