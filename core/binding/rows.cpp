// Rows of the caller: dense or CSR.
#include <algorithm>
#include <limits>

#include "binding/arrays.hpp"
#include "binding/parts.hpp"
#include "kernel/row_checks.hpp"

using namespace nanobind::literals;

namespace rarebit::binding {
namespace {

Rows dense_rows(DenseInput x) {
    Rows rows;
    if (x.dtype() == nb::dtype<float>())
        rows.matrix.storage = Storage::dense32;
    else if (x.dtype() == nb::dtype<double>())
        rows.matrix.storage = Storage::dense64;
    else
        throw nb::type_error("dense rows must be float32 or float64");
    rows.matrix.rows = static_cast<std::int64_t>(x.shape(0));
    rows.matrix.columns = static_cast<std::int64_t>(x.shape(1));
    rows.matrix.values = x.data();
    rows.dense = std::move(x);
    return rows;
}

// The structure of CSR rows, checked; their values are set by the caller.
bool read_structure(const AnyVector& indices, const AnyVector& offsets, std::int64_t columns,
                    std::size_t entries, Matrix* matrix) {
    if (indices.dtype() != offsets.dtype())
        throw nb::type_error("CSR indices and offsets must share a type");
    if (indices.dtype() == nb::dtype<std::int64_t>())
        matrix->wide_indices = true;
    else if (indices.dtype() != nb::dtype<std::int32_t>())
        throw nb::type_error("CSR indices must be int32 or int64");
    if (offsets.shape(0) < 1)
        throw nb::value_error("CSR offsets must hold one more entry than rows");
    if (columns < 0 || columns > std::numeric_limits<std::int32_t>::max())
        throw nb::value_error("CSR rows must have between 0 and 2,147,483,647 columns");
    matrix->rows = static_cast<std::int64_t>(offsets.shape(0)) - 1;
    matrix->columns = columns;
    matrix->indices = indices.data();
    matrix->offsets = offsets.data();
    nb::gil_scoped_release unlock;
    return check_csr(*matrix, static_cast<std::int64_t>(std::min(entries, indices.shape(0))));
}

Rows csr_rows(AnyVector values, AnyVector indices, AnyVector offsets, std::int64_t columns) {
    Rows rows;
    if (values.dtype() == nb::dtype<float>())
        rows.matrix.storage = Storage::csr32;
    else if (values.dtype() == nb::dtype<double>())
        rows.matrix.storage = Storage::csr64;
    else
        throw nb::type_error("CSR values must be float32 or float64");
    rows.matrix.values = values.data();
    rows.canonical = read_structure(indices, offsets, columns, values.shape(0), &rows.matrix);
    rows.values = std::move(values);
    rows.indices = std::move(indices);
    rows.offsets = std::move(offsets);
    return rows;
}

}  // namespace

void bind_rows(nb::module_& m) {
    m.def(
        "check_csr",
        [](AnyVector indices, AnyVector offsets, std::int64_t columns, std::size_t entries) {
            Matrix matrix;
            matrix.storage = Storage::csr64;
            return read_structure(indices, offsets, columns, entries, &matrix);
        },
        "indices"_a, "offsets"_a, "columns"_a, "entries"_a,
        "Raise unless CSR rows can be read; return whether their columns rise.");

    nb::class_<Rows>(m, "Rows", "Read-only view of a dense or CSR matrix.")
        .def_static("dense", &dense_rows, "values"_a)
        .def_static("csr", &csr_rows, "values"_a, "indices"_a, "offsets"_a, "columns"_a)
        .def_prop_ro("canonical", [](const Rows& r) { return r.canonical; })
        .def_prop_ro("shape",
                     [](const Rows& r) { return nb::make_tuple(r.matrix.rows, r.matrix.columns); });
}

}  // namespace rarebit::binding
