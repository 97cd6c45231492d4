// Linear machines of few columns by an interior-point method.
//
//   z_i   y_i x_i                              a     dual variables, 0 <= a <= c and y'a = 0; w =
//   Z'a u     c - a                                s, t  multipliers: z_i w + b y_i - 1 = s_i - t_i
//   mu    mean of a s and u t, driven to 0     D     s / a + t / u
//
// A step solves (D + Z Z') da = r, which the Woodbury identity turns into a system of as many
// unknowns as there are columns. (M. C. Ferris and T. S. Munson, SIAM J. Optimization 13, 2002;
// S. Mehrotra, SIAM J. Optimization 2, 1992.)
#include <algorithm>
#include <cmath>

#include "solver/linear.hpp"

namespace rarebit {
namespace {

constexpr int kMostSteps = 100;
constexpr double kBoundary = 0.995;    // share of the way to the boundary that a step may go
constexpr double kNearLimit = 0.01;    // share of its multiplier: as good as at its limit
constexpr double kCloseEnough = 1e-3;  // relative duality gap from which on points are measured

using Vector = std::vector<double>;

// Lower triangle of the factor in place; false where the matrix is not positive definite.
bool factorise(Vector* matrix, int d) {
    const HotLoops& loops = hot_loops();
    for (int j = 0; j < d; ++j) {
        double* row = matrix->data() + static_cast<std::size_t>(j) * d;
        // Row j of the upper factor: rows above were taken off already.
        if (!(row[j] > 0.0) || !std::isfinite(row[j])) return false;
        const double root = std::sqrt(row[j]);
        for (int k = j; k < d; ++k) row[k] /= root;
        for (int i = j + 1; i < d; ++i)
            loops.add64(d - i, -row[i], row + i,
                        matrix->data() + static_cast<std::size_t>(i) * d + i);
    }
    return true;
}

// Solves U'U x = b in place.
void substitute(const Vector& factor, int d, double* x) {
    const HotLoops& loops = hot_loops();
    for (int j = 0; j < d; ++j) {
        const double* row = factor.data() + static_cast<std::size_t>(j) * d;
        x[j] /= row[j];
        loops.add64(d - j - 1, -x[j], row + j + 1, x + j + 1);
    }
    for (int j = d - 1; j >= 0; --j) {
        const double* row = factor.data() + static_cast<std::size_t>(j) * d;
        double sum = x[j];
        for (int k = j + 1; k < d; ++k) sum -= row[k] * x[k];
        x[j] = sum / row[j];
    }
}

// Longest step, at most about 1, that keeps x + step dx positive.
double reach_of(const Vector& x, const Vector& dx, double sign) {
    double reach = 1.0 / kBoundary;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (sign * dx[i] < 0.0) reach = std::min(reach, x[i] / (-sign * dx[i]));
    return reach;
}

class Interior {
  public:
    explicit Interior(const LinearProblem& problem)
        : rows_(problem.rows),
          y_(problem.y),
          c_(problem.cost),
          n_(rows_.rows()),
          d_(rows_.columns()) {
        double sums[2] = {0.0, 0.0};
        for (int i = 0; i < n_; ++i) sums[y_[i] > 0] += c_[i];
        const double least = std::min(sums[0], sums[1]);
        a_.resize(n_), u_.resize(n_), s_.resize(n_), t_.resize(n_), scale_.resize(n_);
        margin_.resize(n_), d_inverse_.resize(n_), residual_.resize(n_);
        for (Vector* v : {&da_, &ds_, &dt_, &p_, &p_y_, &push_s_, &push_t_}) v->resize(n_);
        small_.resize(d_);
        for (int i = 0; i < n_; ++i) {
            a_[i] = 0.5 * c_[i] * least / sums[y_[i] > 0];
            u_[i] = c_[i] - a_[i];
        }
        w_ = combine(a_);
        // Not what the margins of w suggest: those of half of all rows' costs are far from those of
        // any solution, and multipliers as large take a dozen steps to come down again.
        std::fill(s_.begin(), s_.end(), 1.0);
        std::fill(t_.begin(), t_.end(), 1.0);
    }

    // The relative duality gap.
    double gap() {
        double loss = 0.0, half = 0.0, dual = 0.0;
        for (int i = 0; i < n_; ++i) {
            margin_[i] = y_[i] * (rows_.dot(i, w_.data()) + b_);
            loss += c_[i] * std::max(0.0, 1.0 - margin_[i]);
            dual += a_[i];
        }
        for (double value : w_) half += 0.5 * value * value;
        dual -= half;
        return (half + loss - dual) / std::max(half + loss, 1e-300);
    }

    bool step() {
        for (int i = 0; i < n_; ++i) {
            d_inverse_[i] = 1.0 / (s_[i] / a_[i] + t_[i] / u_[i]);
            if (!std::isfinite(d_inverse_[i])) return false;
            residual_[i] = margin_[i] - 1.0 - s_[i] + t_[i];
        }
        normal_.assign(static_cast<std::size_t>(d_) * d_, 0.0);
        for (int k = 0; k < d_; ++k) normal_[static_cast<std::size_t>(k) * d_ + k] = 1.0;
        rows_.add_products(d_inverse_.data(), normal_.data());
        if (!factorise(&normal_, d_)) return false;
        solve(y_, &p_y_);
        y_p_y_ = 0.0, y_a_ = 0.0;
        double mu = 0.0;
        for (int i = 0; i < n_; ++i) {
            y_p_y_ += y_[i] * p_y_[i];
            y_a_ += y_[i] * a_[i];
            mu += a_[i] * s_[i] + u_[i] * t_[i];
            ds_[i] = dt_[i] = da_[i] = 0.0;
        }
        mu /= 2.0 * n_;
        direction(0.0);
        double reach = longest();
        double after = 0.0;
        for (int i = 0; i < n_; ++i)
            after += (a_[i] + reach * da_[i]) * (s_[i] + reach * ds_[i]) +
                     (u_[i] - reach * da_[i]) * (t_[i] + reach * dt_[i]);
        const double ratio = after / (2.0 * n_ * mu);
        direction(mu * ratio * ratio * ratio);
        reach = std::min(1.0, kBoundary * longest());
        for (int i = 0; i < n_; ++i) {
            // Not c - a, whose rounding would put variables on the boundary.
            a_[i] += reach * da_[i];
            u_[i] -= reach * da_[i];
            s_[i] += reach * ds_[i];
            t_[i] += reach * dt_[i];
        }
        b_ += reach * db_;
        w_ = combine(a_);
        return std::isfinite(b_);
    }

    // Coefficients with those at their limits that are as good as there.
    Vector rounded() const {
        Vector a(n_);
        for (int i = 0; i < n_; ++i)
            a[i] = a_[i] < kNearLimit * s_[i] * c_[i] && s_[i] > t_[i]   ? 0.0
                   : u_[i] < kNearLimit * t_[i] * c_[i] && t_[i] > s_[i] ? c_[i]
                                                                         : std::min(a_[i], c_[i]);
        return a;
    }

  private:
    Vector combine(const Vector& v) const {
        Vector w(d_, 0.0);
        for (int i = 0; i < n_; ++i) rows_.add(i, y_[i] * v[i], w.data());
        return w;
    }
    double longest() const {
        return std::min({reach_of(a_, da_, 1.0), reach_of(u_, da_, -1.0), reach_of(s_, ds_, 1.0),
                         reach_of(t_, dt_, 1.0)});
    }
    // (D + Z Z') p = r
    void solve(const Vector& r, Vector* p) {
        std::fill(small_.begin(), small_.end(), 0.0);
        for (int i = 0; i < n_; ++i) rows_.add(i, y_[i] * d_inverse_[i] * r[i], small_.data());
        substitute(normal_, d_, small_.data());
        for (int i = 0; i < n_; ++i)
            (*p)[i] = d_inverse_[i] * (r[i] - y_[i] * rows_.dot(i, small_.data()));
    }
    // The corrector terms come from the direction before.
    void direction(double target) {
        for (int i = 0; i < n_; ++i) {
            push_s_[i] = (target - da_[i] * ds_[i]) / a_[i] - s_[i];
            push_t_[i] = (target + da_[i] * dt_[i]) / u_[i] - t_[i];
            scale_[i] = push_s_[i] - push_t_[i] - residual_[i];
        }
        solve(scale_, &p_);
        double y_p = 0.0;
        for (int i = 0; i < n_; ++i) y_p += y_[i] * p_[i];
        db_ = (y_p + y_a_) / y_p_y_;
        for (int i = 0; i < n_; ++i) {
            da_[i] = p_[i] - db_ * p_y_[i];
            ds_[i] = push_s_[i] - s_[i] / a_[i] * da_[i];
            dt_[i] = push_t_[i] + t_[i] / u_[i] * da_[i];
        }
    }

    const LinearRows& rows_;
    const Vector &y_, &c_;
    const int n_, d_;
    Vector a_, u_, s_, t_, w_, scale_, margin_, d_inverse_, residual_, normal_, small_;
    Vector da_, ds_, dt_, p_, p_y_, push_s_, push_t_;
    double b_ = 0.0, db_ = 0.0, y_p_y_ = 0.0, y_a_ = 0.0;
};

}  // namespace

LinearPoint solve_interior(const LinearProblem& problem, Control& control) {
    Interior interior(problem);
    LinearPoint best;
    best.a.assign(problem.rows.rows(), 0.0);
    Progress progress;
    progress.rows = problem.rows.rows();
    for (int step = 0; step < kMostSteps; ++step) {
        progress.steps = step;
        progress.gap = interior.gap();
        if (control.poll(progress)) break;
        if (progress.gap < kCloseEnough) {
            LinearPoint now;
            now.a = interior.rounded();
            now.steps = step;
            if (measure_linear(problem, &now) && (!best.has_pair || now.gap() < best.gap()))
                best = now;
            if (best.has_pair && best.gap() <= problem.tolerance) break;
        }
        if (!interior.step()) break;
        best.steps = step + 1;
    }
    return best;
}

}  // namespace rarebit
