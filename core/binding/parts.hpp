// The parts of the Python module, one file each.
#pragma once

#include <nanobind/nanobind.h>

namespace rarebit::binding {

void bind_rows(nanobind::module_& m);
void bind_kernels(nanobind::module_& m);
void bind_solvers(nanobind::module_& m);
void bind_online(nanobind::module_& m);
void bind_border(nanobind::module_& m);
void bind_neighbours(nanobind::module_& m);

}  // namespace rarebit::binding
