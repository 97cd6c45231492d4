// Neighbours of rows.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>

#include "binding/arrays.hpp"
#include "binding/parts.hpp"
#include "binding/watched.hpp"
#include "neighbours/neighbour_tree.hpp"

using namespace nanobind::literals;

namespace rarebit::binding {
namespace {

// Points of a pool by distance. Arrays have one entry per point unless they say otherwise.
template <class Real>
class Neighbours {
  public:
    // Columns are read as (half a value - half_low) * factor.
    Neighbours(nb::ndarray<const Real, nb::ndim<2>, nb::c_contig, nb::device::cpu> rows,
               std::optional<Reals> half_low, std::optional<Reals> factor)
        : tree_([&] {
              if (half_low.has_value() != factor.has_value())
                  throw nb::value_error("half_low and factor go together");
              if (factor &&
                  (factor->shape(0) != rows.shape(1) || half_low->shape(0) != rows.shape(1)))
                  throw nb::value_error("half_low and factor must have one entry per column");
              nb::gil_scoped_release unlock;
              return NeighbourTree<Real>({rows.data(), static_cast<std::int64_t>(rows.shape(0)),
                                          static_cast<std::int64_t>(rows.shape(1)),
                                          half_low ? half_low->data() : nullptr,
                                          factor ? factor->data() : nullptr});
          }()) {}

    static void bind(nb::module_& m, const char* name) {
        nb::class_<Neighbours>(m, name, "Distinct rows of a pool, their distances and counts.")
            .def(nb::init<nb::ndarray<const Real, nb::ndim<2>, nb::c_contig, nb::device::cpu>,
                          std::optional<Reals>, std::optional<Reals>>(),
                 "rows"_a.noconvert(), "half_low"_a = nb::none(), "factor"_a = nb::none())
            .def_prop_ro("n_points", [](const Neighbours& k) { return k.tree_.points(); })
            .def_prop_ro("point_of_row", &Neighbours::point_of_row, nb::rv_policy::automatic)
            .def("within", &Neighbours::within, "point"_a, "limit"_a)
            .def("distances_from", &Neighbours::distances_from, "point"_a)
            .def("kth_points", &Neighbours::kth_points, "ks"_a, "most_leaves"_a, "threads"_a = 1)
            .def("count_within", &Neighbours::count_within, "limits"_a, "threads"_a = 1)
            .def("smallest_radii", &Neighbours::smallest_radii, "ks"_a, "threads"_a = 1)
            .def("steepest", &Neighbours::steepest, "counts"_a, "limit"_a, "rows"_a);
    }

    nb::ndarray<nb::numpy, std::int32_t> point_of_row() const {
        return to_numpy(std::vector<std::int32_t>(tree_.point_of_row()));
    }
    nb::ndarray<nb::numpy, std::int32_t> within(std::int32_t point, double limit) const {
        check_point(point);
        return to_numpy(tree_.within(point, limit));
    }
    nb::ndarray<nb::numpy, double> distances_from(std::int32_t point) const {
        check_point(point);
        std::vector<double> out(n());
        {
            nb::gil_scoped_release unlock;
            tree_.distances_from(point, out.data());
        }
        return to_numpy(std::move(out));
    }
    nb::ndarray<nb::numpy, double> kth_points(const std::vector<std::int64_t>& ks, int most_leaves,
                                              int threads) const {
        if (!std::is_sorted(ks.begin(), ks.end()))
            throw nb::value_error("ks must be in rising order");
        if (!ks.empty() && (ks.front() < 1 || ks.back() > tree_.points()))
            throw nb::value_error("each k must be between 1 and the points");
        std::vector<double> out(ks.size() * n());
        run_watched(nb::none(), threads, [&](Control& control) {
            tree_.kth_points(ks, most_leaves, out.data(), control);
        });
        return to_numpy(std::move(out), {ks.size(), n()});
    }
    nb::ndarray<nb::numpy, std::int32_t> count_within(Reals limits, int threads) const {
        std::vector<std::int32_t> out(limits.shape(0) * n());
        run_watched(nb::none(), threads, [&](Control& control) {
            tree_.count_within(limits.data(), static_cast<int>(limits.shape(0)), out.data(),
                               control);
        });
        return to_numpy(std::move(out), {limits.shape(0), n()});
    }
    nb::tuple smallest_radii(const std::vector<std::int64_t>& ks, int threads) const {
        for (std::int64_t k : ks) check_k(k);
        std::vector<std::int32_t> counts(ks.size() * n());
        std::vector<double> limits;
        run_watched(nb::none(), threads, [&](Control& control) {
            limits = tree_.smallest_radii(ks, counts.data(), control);
        });
        return nb::make_tuple(to_numpy(std::move(limits)),
                              to_numpy(std::move(counts), {ks.size(), n()}));
    }
    nb::tuple steepest(Ids counts, double limit, Ids rows) const {
        if (counts.shape(0) != n() || rows.shape(0) != n())
            throw nb::value_error("counts and rows must have one entry per point");
        DensityPeak peak;
        {
            nb::gil_scoped_release unlock;
            peak = tree_.steepest(counts.data(), limit, rows.data());
        }
        return nb::make_tuple(peak.point, peak.score);
    }

  private:
    std::size_t n() const { return static_cast<std::size_t>(tree_.points()); }
    void check_point(std::int32_t point) const {
        if (point < 0 || point >= tree_.points()) throw nb::index_error("point out of range");
    }
    void check_k(std::int64_t k) const {
        if (k < 1 || k > tree_.rows()) throw nb::value_error("k must be between 1 and the rows");
    }
    NeighbourTree<Real> tree_;
};

}  // namespace

void bind_neighbours(nb::module_& m) {
    Neighbours<double>::bind(m, "Neighbours");
    Neighbours<float>::bind(m, "SingleNeighbours");
}

}  // namespace rarebit::binding
