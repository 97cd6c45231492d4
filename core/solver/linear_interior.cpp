// Linear machines of few columns by an interior-point method.
//
//   z_i   y_i x_i                              a     dual variables, 0 <= a <= c and y'a = 0; w =
//   Z'a u     c - a                                s, t  multipliers: z_i w + b y_i - 1 = s_i - t_i
//   mu    mean of a s and u t, driven to 0     D     s / a + t / u
//
// A step has da = (r - Z dw - y db) / D; that w stays Z'a and y'a becomes 0 leaves a system of as
// many unknowns as there are columns, and one for b:
//
//   | I + Z'Z / D   Z'y / D |  | dw |   | Z'r / D       |
//   | y'Z / D       y'y / D |  | db | = | y'r / D + y'a |
//
// Its solution is how w and all margins change, too. (M. C. Ferris and T. S. Munson, SIAM J.
// Optimization 13, 2002; S. Mehrotra, SIAM J. Optimization 2, 1992.)
#include <algorithm>
#include <cmath>
#include <limits>

#include "solver/linear.hpp"

namespace rarebit {
namespace {

constexpr int kMostSteps = 100;
constexpr double kBoundary = 0.995;    // share of the way to the boundary that a step may go
constexpr double kNearLimit = 0.01;    // share of its multiplier: as good as at its limit
constexpr double kCloseEnough = 1e-3;  // relative duality gap from which on points are measured
constexpr int kPatience = 8;           // steps without any progress: rounding has taken over
constexpr int kStepsPerRefresh = 8;    // while the relative gap is above
constexpr double kNearEnd = 0.1;

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
        for (Vector* v : {&a_, &u_, &s_, &t_, &margin_, &per_a_, &per_u_, &d_inverse_, &da_, &ds_,
                          &dt_, &d_margin_, &push_s_, &push_t_, &right_, &signed_})
            v->resize(n_);
        w_.resize(d_), drift_.resize(d_), border_.resize(d_), small_.resize(d_ + 1);
        for (int i = 0; i < n_; ++i) {
            a_[i] = 0.5 * c_[i] * least / sums[y_[i] > 0];
            u_[i] = c_[i] - a_[i];
        }
        // Not what the margins of w suggest: those of half of all rows' costs are far from those of
        // any solution, and multipliers as large take a dozen steps to come down again.
        std::fill(s_.begin(), s_.end(), 1.0);
        std::fill(t_.begin(), t_.end(), 1.0);
    }

    // The relative duality gap.
    double gap() const {
        double loss = 0.0, half = 0.0, dual = 0.0;
        for (int i = 0; i < n_; ++i) {
            loss += c_[i] * std::max(0.0, 1.0 - margin_[i]);
            dual += a_[i];
        }
        for (double value : w_) half += 0.5 * value * value;
        dual -= half;
        return (half + loss - dual) / std::max(half + loss, 1e-300);
    }

    // The margins anew, and how far w is from Z'a: changes add up their rounding errors.
    void refresh() {
        for (int i = 0; i < n_; ++i) signed_[i] = y_[i] * a_[i];
        std::fill(drift_.begin(), drift_.end(), 0.0);
        rows_.combine(signed_.data(), drift_.data());
        for (int k = 0; k < d_; ++k) drift_[k] -= w_[k];
        rows_.dots(w_.data(), margin_.data());
        for (int i = 0; i < n_; ++i) margin_[i] = y_[i] * (margin_[i] + b_);
    }

    void begin() {
        refresh();
        w_ = drift_;
        refresh();
    }

    bool step() {
        double mu = 0.0, sum = 0.0;
        y_a_ = 0.0;
        for (int i = 0; i < n_; ++i) {
            per_a_[i] = 1.0 / a_[i];
            per_u_[i] = 1.0 / u_[i];
            d_inverse_[i] = 1.0 / (s_[i] * per_a_[i] + t_[i] * per_u_[i]);
            if (!std::isfinite(d_inverse_[i])) return false;
            sum += d_inverse_[i];
            y_a_ += y_[i] * a_[i];
            mu += a_[i] * s_[i] + u_[i] * t_[i];
            da_[i] = ds_[i] = dt_[i] = 0.0;
        }
        mu /= 2.0 * n_;
        push(0.0);
        const std::size_t stride = static_cast<std::size_t>(d_) + 1;
        normal_.assign(stride * stride, 0.0);
        std::fill(border_.begin(), border_.end(), 0.0);
        rows_.add_products(d_inverse_.data(), normal_.data(), stride);
        rows_.combine(d_inverse_.data(), border_.data());
        for (int k = 0; k < d_; ++k) {
            normal_[k * stride + k] += 1.0;
            normal_[k * stride + d_] = border_[k];
        }
        normal_[d_ * stride + d_] = sum;
        if (!factorise(&normal_, d_ + 1)) return false;
        direction();
        double reach = longest();
        double after = 0.0;
        for (int i = 0; i < n_; ++i)
            after += (a_[i] + reach * da_[i]) * (s_[i] + reach * ds_[i]) +
                     (u_[i] - reach * da_[i]) * (t_[i] + reach * dt_[i]);
        const double ratio = after / (2.0 * n_ * mu);
        push(mu * ratio * ratio * ratio);
        direction();
        reach = std::min(1.0, kBoundary * longest());
        for (int i = 0; i < n_; ++i) {
            // Not c - a, whose rounding would put variables on the boundary.
            a_[i] += reach * da_[i];
            u_[i] -= reach * da_[i];
            s_[i] += reach * ds_[i];
            t_[i] += reach * dt_[i];
            margin_[i] += reach * d_margin_[i];
        }
        for (int k = 0; k < d_; ++k) {
            w_[k] += reach * small_[k];
            drift_[k] *= 1.0 - reach;
        }
        b_ += reach * small_[d_];
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
    // Right side r of the system; the corrector terms come from the direction before.
    void push(double target) {
        for (int i = 0; i < n_; ++i) {
            push_s_[i] = (target - da_[i] * ds_[i]) * per_a_[i] - s_[i];
            push_t_[i] = (target + da_[i] * dt_[i]) * per_u_[i] - t_[i];
            const double residual = margin_[i] - 1.0 - s_[i] + t_[i];
            right_[i] = push_s_[i] - push_t_[i] - residual;
            signed_[i] = y_[i] * d_inverse_[i] * right_[i];
        }
    }
    void direction() {
        std::copy(drift_.begin(), drift_.end(), small_.begin());
        rows_.combine(signed_.data(), small_.data());
        double sum = y_a_;
        for (int i = 0; i < n_; ++i) sum += signed_[i];
        small_[d_] = sum;
        substitute(normal_, d_ + 1, small_.data());
        rows_.dots(small_.data(), d_margin_.data());
        const double db = small_[d_];
        for (int i = 0; i < n_; ++i) {
            d_margin_[i] = y_[i] * (d_margin_[i] + db);
            da_[i] = d_inverse_[i] * (right_[i] - d_margin_[i]);
            ds_[i] = push_s_[i] - s_[i] * per_a_[i] * da_[i];
            dt_[i] = push_t_[i] + t_[i] * per_u_[i] * da_[i];
        }
    }
    // Longest step, at most about 1, that keeps all variables and multipliers positive.
    double longest() const {
        double a = kBoundary, u = kBoundary, s = kBoundary, t = kBoundary;
        for (int i = 0; i < n_; ++i) {
            a = std::max(a, -da_[i] * per_a_[i]);
            u = std::max(u, da_[i] * per_u_[i]);
            s = std::max(s, -ds_[i] / s_[i]);
            t = std::max(t, -dt_[i] / t_[i]);
        }
        return 1.0 / std::max({a, u, s, t});
    }

    const LinearRows& rows_;
    const Vector &y_, &c_;
    const int n_, d_;
    Vector a_, u_, s_, t_, w_, drift_, margin_, per_a_, per_u_, d_inverse_, normal_, border_,
        small_;
    Vector da_, ds_, dt_, d_margin_, push_s_, push_t_, right_, signed_;
    double b_ = 0.0, y_a_ = 0.0;
};

}  // namespace

LinearPoint solve_interior(const LinearProblem& problem, Control& control) {
    Interior interior(problem);
    interior.begin();
    LinearPoint best;
    best.a.assign(problem.rows.rows(), 0.0);
    Progress progress;
    progress.rows = problem.rows.rows();
    double least = std::numeric_limits<double>::infinity();
    int since = 0;  // steps since anything got better
    for (int step = 0; step < kMostSteps; ++step) {
        if (step % kStepsPerRefresh == 0 || least < kNearEnd) interior.refresh();
        progress.steps = step;
        progress.gap = interior.gap();
        if (control.poll(progress)) break;
        if (progress.gap < kCloseEnough) {
            LinearPoint now;
            now.a = interior.rounded();
            now.steps = step;
            if (measure_linear(problem, &now) && (!best.has_pair || now.gap() < best.gap())) {
                best = now;
                since = 0;
            }
            if (best.has_pair && best.gap() <= problem.tolerance) break;
        }
        if (progress.gap < least) {
            least = progress.gap;
            since = 0;
            // Where no point can be measured, solve_batch starts from the best there was.
            if (!best.has_pair) best.a = interior.rounded();
        }
        if (least < kCloseEnough && ++since > kPatience) break;
        if (!interior.step()) break;
        best.steps = step + 1;
    }
    return best;
}

}  // namespace rarebit
