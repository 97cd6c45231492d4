#include "pruning/bordered_inverse.hpp"

#include <algorithm>

namespace rarebit {

bool BorderedInverse::invert(std::vector<double> a, int members) {
    members_ = 0;
    stride_ = 1 + members + kMostAppended;
    values_.assign(static_cast<std::size_t>(stride_) * stride_, 0.0);
    const int f = members;
    if (f == 0) return false;
    for (int i = 0; i < f; ++i) row(1 + i)[1 + i] = 1.0;
    for (int p = 0; p < f; ++p) {
        const double pivot = a[p * f + p];
        if (!(pivot > 1e-12)) return false;
        double* own = row(1 + p) + 1;
        for (int j = 0; j < f; ++j) a[p * f + j] /= pivot, own[j] /= pivot;
        for (int i = 0; i < f; ++i) {
            const double by = a[i * f + p];
            if (i == p || by == 0.0) continue;
            loops_->add64(f, -by, a.data() + p * f, a.data() + i * f);
            loops_->add64(f, -by, own, row(1 + i) + 1);
        }
    }
    members_ = f;
    // With c = A^-1 1 and t = 1' c the inverse is ( -1/t, c'/t; c/t, A^-1 - c c'/t ).
    std::vector<double> c(f, 0.0);
    double total = 0.0;
    for (int i = 0; i < f; ++i) {
        for (int j = 0; j < f; ++j) c[i] += row(1 + i)[1 + j];
        total += c[i];
    }
    row(0)[0] = -1.0 / total;
    for (int i = 0; i < f; ++i) {
        row(0)[1 + i] = row(1 + i)[0] = c[i] / total;
        for (int j = 0; j < f; ++j) row(1 + i)[1 + j] -= c[i] * c[j] / total;
    }
    return true;
}

void BorderedInverse::apply(const double* in, double* out) const {
    const int size = 1 + members_;
    std::fill(out, out + size, 0.0);
    // By rows, because the matrix is symmetric: no sum waits for the one before.
    for (int i = 0; i < size; ++i) {
        const double by = in[i];
        if (by == 0.0) continue;
        loops_->add64(size, by, row(i), out);
    }
}

void BorderedInverse::remove(int member) {
    const int size = 1 + members_, gone = 1 + member;
    const double* own = row(gone);
    const double pivot = own[gone];
    for (int i = 0; i < size; ++i) {
        const double by = own[i] / pivot;
        if (i == gone || by == 0.0) continue;
        loops_->add64(size, -by, own, row(i));
    }
    for (int i = 0; i < size; ++i) row(i)[gone] = row(gone)[i] = 0.0;
}

void BorderedInverse::append(const double* effect, double excess) {
    const int size = 1 + members_;
    double* own = row(size);
    for (int i = 0; i < size; ++i) {
        const double by = effect[i] / excess;
        loops_->add64(size, by, effect, row(i));
        row(i)[size] = own[i] = -by;
    }
    own[size] = 1.0 / excess;
    ++members_;
}

}  // namespace rarebit
