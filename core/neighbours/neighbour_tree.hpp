// Neighbours of rows by Euclidean distance: a kd-tree over the distinct rows, called points, each
// with the number of its equal rows as weight.
//
//   point      distinct row; points are numbered along the leaves of the tree
//   weight     rows that are equal to a point
//   limit      a squared radius; a point at exactly that distance is within it
//
// Points are kept as `Real`, float or double. Distances are float64 sums of squares over the
// features in a fixed order, so a limit that is itself a distance between two points holds both.
// Memory is proportional to the matrix.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "control.hpp"
#include "neighbours/scaled_rows.hpp"
#include "simd/aligned.hpp"
#include "simd/distance_loops.hpp"

namespace rarebit {

struct DensityPeak {
    std::int32_t point = -1;  // -1 when no point is open
    std::int64_t score = 0;
};

template <class Real>
class NeighbourTree {
  public:
    // The rows are finite, and not needed afterwards.
    explicit NeighbourTree(const ScaledRows<Real>& x);

    std::int32_t points() const { return n_points_; }
    std::int64_t rows() const { return static_cast<std::int64_t>(point_of_row_.size()); }
    const std::vector<std::int32_t>& point_of_row() const { return point_of_row_; }

    // Points within the limit of a point, itself included, in rising order.
    std::vector<std::int32_t> within(std::int32_t point, double limit) const;
    // Squared distances of a point to all points.
    void distances_from(std::int32_t point, double* out) const;
    // out[i * points() + p]: squared distance of the ks[i]-th point nearest to point p, counting
    // itself; each at most points(), in rising order. No more than `most_leaves` leaves are opened
    // for a point, so that in a large pool the distances may be too large; 0 opens all that are
    // needed.
    void kth_points(const std::vector<std::int64_t>& ks, int most_leaves, double* out,
                    Control& control) const;

    // out[i * points() + p]: rows within limits[i] of point p.
    void count_within(const double* limits, int n_limits, std::int32_t* out,
                      Control& control) const;
    // For each k the smallest squared distance of a point to its k-th nearest row that is not 0, or
    // 0 where there is none, rounded up by one part in 10^10, so that distances equal but for
    // rounding are within it. `counts`, one row per k, gets the rows within that of every point.
    std::vector<double> smallest_radii(const std::vector<std::int64_t>& ks, std::int32_t* counts,
                                       Control& control) const;

    // Among open points the largest counts[p] - min(counts[q], q within the limit of p), of equals
    // the one with the lowest row. rows[p] is the row that would be asked for at point p, and
    // negative where the point is closed; open points have different rows.
    DensityPeak steepest(const std::int32_t* counts, double limit, const std::int32_t* rows) const;

  private:
    struct Node {
        std::int32_t from, to;  // points
        std::int32_t left = -1, right = -1;
        std::int64_t weight = 0;
        bool leaf() const { return left < 0; }
    };
    struct Reached {
        double distance;
        double weight;
    };

    std::int32_t build(std::vector<std::int32_t>& order, std::int32_t from, std::int32_t to,
                       const ScaledRows<Real>& x);
    void copy_blocks(const std::vector<std::int32_t>& order, const ScaledRows<Real>& x);

    const Real* block_of(std::int32_t point) const {
        return blocks_.data() + (point / kBlock) * depth_ * kBlock;
    }
    void read_point(std::int32_t point, double* out) const {
        const Real* block = block_of(point);
        for (std::size_t k = 0; k < depth_; ++k)
            out[k] = static_cast<double>(block[k * kBlock + point % kBlock]);
    }
    const Real* low(std::int32_t node) const { return boxes_.data() + 2 * node * depth_; }
    const Real* high(std::int32_t node) const { return low(node) + depth_; }

    double nearest_in_box(const double* point, std::int32_t node, double enough) const;
    double kth_of(std::int32_t point, std::int64_t k, double limit, const double* weights,
                  int most_leaves, std::vector<Reached>* reached) const;
    // Squared distances of the nearest corners of two boxes, or something above `enough`, and of
    // the farthest ones.
    double nearest_apart(std::int32_t a, std::int32_t b, double enough) const;
    double farthest_apart(std::int32_t a, std::int32_t b) const;
    double guess_radius(std::int64_t k) const;
    void count_leaf(const Node& leaf, const double* limits, int n_limits, std::int32_t* out,
                    std::vector<std::int32_t>* stack) const;
    std::int32_t lowest_near_box(std::int32_t leaf, const std::vector<std::int32_t>& lowest,
                                 const std::int32_t* counts, double limit, std::int32_t cap) const;
    std::int32_t lowest_near_point(const double* point, const std::vector<std::int32_t>& lowest,
                                   const std::int32_t* counts, double limit,
                                   std::int32_t cap) const;

    const DistanceLoops<Real>& loops_;
    std::size_t depth_;
    std::int32_t n_points_ = 0;
    std::vector<std::int32_t> columns_;       // features, the most spread first
    std::vector<std::int32_t> point_of_row_;  // one entry per row
    AlignedVector<Real> blocks_;              // points in blocks of kBlock; infinite padding
    AlignedVector<double> weights_;           // one entry per point, padded with 0
    std::vector<Node> nodes_;                 // the root is node 0
    std::vector<Real> boxes_;                 // lowest and highest values of each node
};

}  // namespace rarebit
