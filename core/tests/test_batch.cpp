// The batch solver on problems small enough to check by hand or by brute force.
#include <random>
#include <vector>

#include "batch.hpp"
#include "check.hpp"

using namespace rarebit;

namespace {

struct Blobs {
    std::vector<double> x, y;
    Matrix matrix;
    int n, d;

    Blobs(int n_, int d_, unsigned seed) : n(n_), d(d_) {
        std::mt19937 random(seed);
        std::normal_distribution<double> normal;
        for (int i = 0; i < n; ++i) {
            y.push_back(i % 4 == 0 ? 1.0 : -1.0);
            for (int k = 0; k < d; ++k) x.push_back(normal(random) + 0.4 * y.back());
        }
        matrix.storage = Storage::dense64;
        matrix.rows = n;
        matrix.columns = d;
        matrix.values = x.data();
    }
};

// max g over rows that may grow less min g over rows that may shrink, all in float64.
double exact_gap(const Blobs& data, double gamma, double cost, const std::vector<double>& alpha) {
    double up = -1e300, low = 1e300;
    for (int i = 0; i < data.n; ++i) {
        double g = data.y[i];
        for (int j = 0; j < data.n; ++j) {
            if (alpha[j] == 0.0) continue;
            double distance = 0.0;
            for (int k = 0; k < data.d; ++k) {
                const double by = data.x[i * data.d + k] - data.x[j * data.d + k];
                distance += by * by;
            }
            g -= alpha[j] * std::exp(-gamma * distance);
        }
        if (data.y[i] > 0 ? alpha[i] < cost : alpha[i] < 0) up = std::max(up, g);
        if (data.y[i] > 0 ? alpha[i] > 0 : alpha[i] > -cost) low = std::min(low, g);
    }
    return up - low;
}

BatchSolution solve_blobs(const Blobs& data, double gamma, double cost, std::size_t cache) {
    KernelSpec spec;
    spec.gamma = gamma;
    const Kernel kernel(spec, data.matrix);
    DirectSource source(kernel, data.matrix);
    BatchProblem problem;
    for (int i = 0; i < data.n; ++i) problem.rows.push_back(i);
    problem.y = data.y;
    problem.cost.assign(data.n, cost);
    BatchOptions options;
    options.cache_bytes = cache;
    Control control;
    return solve_batch(source, problem, options, control);
}

}  // namespace

TEST(batch_reaches_the_tolerance_over_all_rows) {
    const Blobs data(3000, 5, 1);
    const BatchSolution solution = solve_blobs(data, 0.2, 2.0, std::size_t(64) << 20);
    CHECK(solution.converged);
    CHECK(exact_gap(data, 0.2, 2.0, solution.alpha) <= 1.1e-3);
}

TEST(batch_with_a_tiny_cache_reaches_the_same_objective) {
    const Blobs data(2500, 5, 2);
    const BatchSolution ample = solve_blobs(data, 0.2, 2.0, std::size_t(64) << 20);
    const BatchSolution tiny = solve_blobs(data, 0.2, 2.0, std::size_t(64) << 10);
    CHECK(tiny.converged);
    CHECK_NEAR(tiny.objective, ample.objective, 1e-4 * ample.objective);
    CHECK(exact_gap(data, 0.2, 2.0, tiny.alpha) <= 1.1e-3);
}
