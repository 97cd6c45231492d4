// Which kernel, with which numbers.
#pragma once

namespace rarebit {

enum class KernelKind { linear, rbf, poly, sigmoid, precomputed };

struct KernelSpec {
    KernelKind kind = KernelKind::rbf;
    double gamma = 1.0;
    double coef0 = 0.0;
    int degree = 3;
};

}  // namespace rarebit
