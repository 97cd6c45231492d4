// Kernels, the providers of kernel values, and decision values.
#include <nanobind/stl/string.h>

#include <string>

#include "binding/arrays.hpp"
#include "binding/parts.hpp"
#include "binding/watched.hpp"
#include "kernel/decide.hpp"
#include "kernel/gram.hpp"
#include "kernel/shared_columns_provider.hpp"
#include "solver/input_checks.hpp"

using namespace nanobind::literals;

namespace rarebit::binding {
namespace {

KernelSpec make_spec(const std::string& name, double gamma, double coef0, int degree) {
    KernelSpec spec;
    if (name == "linear")
        spec.kind = KernelKind::linear;
    else if (name == "rbf")
        spec.kind = KernelKind::rbf;
    else if (name == "poly")
        spec.kind = KernelKind::poly;
    else if (name == "sigmoid")
        spec.kind = KernelKind::sigmoid;
    else if (name == "precomputed")
        spec.kind = KernelKind::precomputed;
    else
        throw nb::value_error("unknown kernel");
    spec.gamma = gamma;
    spec.coef0 = coef0;
    spec.degree = degree;
    return spec;
}

nb::ndarray<nb::numpy, double> decide_rows(
    const Kernel& kernel, const Rows& left, const Rows& right, Ids columns,
    nb::ndarray<const double, nb::ndim<2>, nb::c_contig> coefficients, nb::object observer,
    int threads) {
    const std::size_t machines = coefficients.shape(0);
    if (coefficients.shape(1) != columns.shape(0))
        throw nb::value_error("coefficients must have one column per kept row");
    check_pairing(kernel, left.matrix, right.matrix, columns.data(), columns.shape(0));
    std::vector<double> out;
    run_watched(observer, threads, [&](Control& control) {
        out = decide(kernel, left.matrix, right.matrix, copied(columns), coefficients.data(),
                     static_cast<int>(machines), control);
    });
    return to_numpy(std::move(out), {static_cast<std::size_t>(left.matrix.rows), machines});
}

nb::ndarray<nb::numpy, float> block_of(KernelProvider& provider, Ids rows, Ids columns) {
    check_ids(rows, provider.matrix().rows);
    check_ids(columns, provider.matrix().rows);
    std::vector<float> out;
    {
        nb::gil_scoped_release unlock;
        out = provider.block(copied(rows), copied(columns));
    }
    return to_numpy(std::move(out), {rows.shape(0), columns.shape(0)});
}

}  // namespace

void bind_kernels(nb::module_& m) {
    nb::class_<Kernel>(m, "Kernel", "A kernel fitted to the scale of its training rows.")
        .def(
            "__init__",
            [](Kernel* self, const std::string& name, double gamma, double coef0, int degree,
               const Rows& rows) {
                const KernelSpec spec = make_spec(name, gamma, coef0, degree);
                nb::gil_scoped_release unlock;
                new (self) Kernel(spec, rows.matrix);
            },
            "name"_a, "gamma"_a, "coef0"_a, "degree"_a, "rows"_a)
        .def(
            "__init__",
            [](Kernel* self, const std::string& name, double gamma, double coef0, int degree,
               Reals centre, bool wide) {
                new (self) Kernel(make_spec(name, gamma, coef0, degree), copied(centre), wide);
            },
            "name"_a, "gamma"_a, "coef0"_a, "degree"_a, "centre"_a, "wide"_a)
        .def_prop_ro(
            "centre", [](const Kernel& k) { return to_numpy(std::vector<double>(k.centre())); },
            nb::rv_policy::automatic)
        .def_prop_ro("wide", &Kernel::wide)
        .def(
            "needs_wide",
            [](const Kernel& k, const Rows& rows) {
                check_training(k, rows.matrix);
                nb::gil_scoped_release unlock;
                return k.needs_wide(rows.matrix);
            },
            "rows"_a)
        .def_prop_ro("values_computed", &Kernel::values_computed)
        .def_prop_ro("seconds", [](const Kernel& k) { return 1e-9 * k.nanoseconds(); });

    nb::class_<KernelProvider>(m, "KernelProvider",
                               "Where kernel values between training rows come from.")
        .def("block", &block_of, "rows"_a, "columns"_a);
    nb::class_<DirectProvider, KernelProvider>(m, "DirectProvider",
                                               "Computes kernel values each time.")
        .def(
            "__init__",
            [](DirectProvider* self, const Kernel& kernel, const Rows& rows) {
                check_training(kernel, rows.matrix);
                new (self) DirectProvider(kernel, rows.matrix);
            },
            "kernel"_a, "rows"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>());
    nb::class_<SharedColumnsProvider, KernelProvider>(m, "SharedColumnsProvider",
                                                      "Computes the columns of some rows once.")
        .def(
            "__init__",
            [](SharedColumnsProvider* self, const Kernel& kernel, const Rows& rows, Ids shared,
               int threads) {
                check_training(kernel, rows.matrix);
                check_ids(shared, rows.matrix.rows);
                const std::vector<std::int32_t> ids = copied(shared);
                nb::gil_scoped_release unlock;
                const ThreadScope scope(threads);
                new (self) SharedColumnsProvider(kernel, rows.matrix, ids);
            },
            "kernel"_a, "rows"_a, "shared"_a, "threads"_a = 1, nb::keep_alive<1, 2>(),
            nb::keep_alive<1, 3>());
    nb::class_<Gram, KernelProvider>(m, "Gram", "Computes kernel rows once and shares them.")
        .def(
            "__init__",
            [](Gram* self, const Kernel& kernel, const Rows& rows, std::size_t budget) {
                check_training(kernel, rows.matrix);
                new (self) Gram(kernel, rows.matrix, budget);
            },
            "kernel"_a, "rows"_a, "budget_bytes"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
        .def(
            "fill",
            [](Gram& gram, int threads) {
                nb::gil_scoped_release unlock;
                const ThreadScope scope(threads);
                return gram.fill();
            },
            "threads"_a = 1)
        .def_prop_ro("values_computed", &Gram::values_computed)
        .def_prop_ro("values_reused", &Gram::values_reused)
        .def_prop_ro("rows_held", &Gram::rows_held)
        .def_prop_ro("rows_affordable", &Gram::rows_affordable);

    m.def("decide", &decide_rows, "kernel"_a, "left"_a, "right"_a, "columns"_a, "coefficients"_a,
          "observer"_a.none(), "threads"_a = 1);
}

}  // namespace rarebit::binding
