// Where a solver gets kernel values between training rows: computed each time, or from a gram.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/kernel.hpp"

namespace rarebit {

class KernelProvider {
  public:
    virtual ~KernelProvider() = default;

    virtual const Kernel& kernel() const = 0;
    virtual const Matrix& matrix() const = 0;
    // An empty right-hand side for the calls below.
    virtual PackedRows packed_rows() const = 0;
    // Whether a value asked for twice is computed twice.
    virtual bool computes() const { return true; }
    // out[i][j] = K(rows_i, right_j)
    virtual void compute(const std::int32_t* rows, int count, const PackedRows& right,
                         float* const* out) = 0;
    // out[i] += sum_j coefficients[j] K(rows_i, right_j)
    virtual void accumulate(const std::int32_t* rows, int count, const PackedRows& right,
                            const double* coefficients, double* out) = 0;

    // K(rows_i, columns_j), row by row.
    std::vector<float> block(const std::vector<std::int32_t>& rows,
                             const std::vector<std::int32_t>& columns) {
        std::vector<float> values(rows.size() * columns.size());
        std::vector<float*> out;
        for (std::size_t i = 0; i < rows.size(); ++i)
            out.push_back(values.data() + i * columns.size());
        PackedRows right = packed_rows();
        right.assign(columns);
        compute(rows.data(), static_cast<int>(rows.size()), right, out.data());
        return values;
    }
    double diagonal(std::int32_t row) const { return kernel().diagonal(matrix(), row); }
};

class DirectProvider : public KernelProvider {
  public:
    DirectProvider(const Kernel& kernel, const Matrix& matrix) : kernel_(kernel), matrix_(matrix) {}

    const Kernel& kernel() const override { return kernel_; }
    const Matrix& matrix() const override { return matrix_; }
    PackedRows packed_rows() const override { return PackedRows(kernel_, matrix_); }
    void compute(const std::int32_t* rows, int count, const PackedRows& right,
                 float* const* out) override {
        kernel_.compute({&matrix_, rows, 0, count}, right, out);
    }
    void accumulate(const std::int32_t* rows, int count, const PackedRows& right,
                    const double* coefficients, double* out) override {
        kernel_.accumulate({&matrix_, rows, 0, count}, right, coefficients, 1, out);
    }

  private:
    const Kernel& kernel_;
    const Matrix& matrix_;
};

}  // namespace rarebit
