// The Python module. The files of this folder are the only ones that know Python; they convert and
// decide nothing.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <exception>
#include <string>

#include "binding/parts.hpp"
#include "exclusive.hpp"
#include "simd/hot_loops.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace rarebit;

NB_MODULE(_core, m) {
    m.doc() = "Compiled engine of rarebit: kernel blocks, shared gram, batch and online solver.";
    nb::register_exception_translator([](const std::exception_ptr& raised, void*) {
        try {
            std::rethrow_exception(raised);
        } catch (const InUse& error) {
            const nb::object kind = nb::module_::import_("rarebit.exceptions").attr("InUseError");
            PyErr_SetString(kind.ptr(), error.what());
        }
    });
    m.def(
        "instruction_set", [] { return std::string(hot_loops().name); },
        "Name of the instruction set that the hot loops use.");

    m.def(
        "use_gemm",
        [](std::size_t sgemm, std::size_t dgemm) {
            use_gemm(reinterpret_cast<Gemm<float>>(sgemm), reinterpret_cast<Gemm<double>>(dgemm));
        },
        "sgemm"_a, "dgemm"_a, "Addresses of Fortran GEMMs with 32-bit integers; 0 for built-in.");

    binding::bind_rows(m);
    binding::bind_kernels(m);
    binding::bind_solvers(m);
    binding::bind_online(m);
    binding::bind_border(m);
    binding::bind_neighbours(m);
}
