// Long calls run without the interpreter's lock.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>

#include "control.hpp"
#include "threads.hpp"

namespace rarebit::binding {

// Runs long work without the lock, on up to `threads` threads. About ten times a second it takes
// the lock to look for Ctrl-C and to call the observer; an exception there ends the work and is
// raised when it has ended.
template <class Work>
void run_watched(nanobind::object observer, int threads, Work work) {
    std::exception_ptr raised;
    Control control([&](const Progress& p) {
        nanobind::gil_scoped_acquire lock;
        try {
            if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
            if (!observer.is_none()) observer(p.steps, p.gap, p.rows, p.active);
            return true;
        } catch (...) {
            raised = std::current_exception();
            return false;
        }
    });
    {
        nanobind::gil_scoped_release unlock;
        const ThreadScope scope(threads);
        work(control);
    }
    if (raised) std::rethrow_exception(raised);
}

}  // namespace rarebit::binding
