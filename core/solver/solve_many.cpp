#include "solver/solve_many.hpp"

#include "solver/dense_dual.hpp"
#include "solver/linear.hpp"

namespace rarebit {

Solution solve_exactly(KernelProvider& provider, const BatchProblem& problem,
                       const BatchOptions& options, Control& control) {
    const LinearMethod method =
        choose_linear(provider.kernel(), provider.matrix(), problem.rows.size(), options);
    // A start is a sign that little is left to do.
    if (method == LinearMethod::none || !problem.start.empty())
        return solve_batch(provider, problem, options, control);
    return solve_linear(provider, problem, options, method, control);
}

std::vector<Solution> solve_many(KernelProvider& provider, const std::vector<Subproblem>& problems,
                                 const BatchOptions& options, Control& control) {
    std::vector<Solution> solutions;
    DenseDual dense(provider);
    for (const Subproblem& sub : problems) {
        if (control.stopped()) break;
        solutions.push_back(DenseDual::takes(sub.problem.rows.size(), options)
                                ? dense.solve(sub.problem, sub.margins, options, control)
                                : solve_exactly(provider, sub.problem, options, control));
    }
    return solutions;
}

}  // namespace rarebit
