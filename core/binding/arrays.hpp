// NumPy arrays and the caller's rows as the engine sees them. Nothing is copied on the way in.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernel/matrix.hpp"

namespace rarebit::binding {

namespace nb = nanobind;

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ids = Vector<std::int32_t>;
using Reals = Vector<double>;
using DenseInput = nb::ndarray<nb::ndim<2>, nb::c_contig, nb::device::cpu, nb::ro>;
using AnyVector = nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu, nb::ro>;

template <class T>
std::vector<T> copied(const Vector<T>& values) {
    return {values.data(), values.data() + values.shape(0)};
}

template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T> values, std::vector<std::size_t> shape) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T>(kept->data(), shape.size(), shape.data(), owner);
}
template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T> values) {
    const std::size_t n = values.size();
    return to_numpy(std::move(values), {n});
}

// The caller's rows, held for as long as anything looks at them. The arrays held are those whose
// addresses the matrix has: the caller's own, or the contiguous copies that were made of them.
struct Rows {
    Matrix matrix;
    DenseInput dense;
    AnyVector values, indices, offsets;
    bool canonical = true;  // CSR: columns in rising order, none twice
};

inline void check_ids(const Ids& ids, std::int64_t rows) {
    for (std::size_t i = 0; i < ids.shape(0); ++i)
        if (ids.data()[i] < 0 || ids.data()[i] >= rows)
            throw nb::index_error("row number out of range");
}

// A field of a saved state; what is missing or of another kind is refused by name.
template <class T>
T field(const nb::dict& saved, const char* name) {
    T value;
    if (!saved.contains(name) || !nb::try_cast<T>(saved[name], value))
        throw std::invalid_argument("The field '" + std::string(name) +
                                    "' of a saved state is missing or of another kind: the state "
                                    "is damaged.");
    return value;
}

}  // namespace rarebit::binding
