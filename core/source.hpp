// Where a solver gets kernel values between training rows: computed each time, or from a gram.
#pragma once

#include <cstdint>

#include "kernel.hpp"

namespace rarebit {

class Source {
  public:
    virtual ~Source() = default;

    virtual const Kernel& kernel() const = 0;
    virtual const Matrix& matrix() const = 0;
    // An empty right-hand side for the calls below.
    virtual Operand operand() const = 0;
    // Whether a value asked for twice is computed twice.
    virtual bool computes() const { return true; }
    // out[i][j] = K(rows_i, right_j)
    virtual void compute(const std::int32_t* rows, int count, const Operand& right,
                         float* const* out) = 0;
    // out[i] += sum_j coefficients[j] K(rows_i, right_j)
    virtual void accumulate(const std::int32_t* rows, int count, const Operand& right,
                            const double* coefficients, double* out) = 0;

    double diagonal(std::int32_t row) const { return kernel().diagonal(matrix(), row); }
};

class DirectSource : public Source {
  public:
    DirectSource(const Kernel& kernel, const Matrix& matrix) : kernel_(kernel), matrix_(matrix) {}

    const Kernel& kernel() const override { return kernel_; }
    const Matrix& matrix() const override { return matrix_; }
    Operand operand() const override { return Operand(kernel_, matrix_); }
    void compute(const std::int32_t* rows, int count, const Operand& right,
                 float* const* out) override {
        kernel_.compute({&matrix_, rows, 0, count}, right, out);
    }
    void accumulate(const std::int32_t* rows, int count, const Operand& right,
                    const double* coefficients, double* out) override {
        kernel_.accumulate({&matrix_, rows, 0, count}, right, coefficients, 1, out);
    }

  private:
    const Kernel& kernel_;
    const Matrix& matrix_;
};

}  // namespace rarebit
