#include "active/state_checks.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <unordered_set>

namespace rarebit {
namespace {

[[noreturn]] void refuse(const std::string& sentence) { throw std::invalid_argument(sentence); }

}  // namespace

void check_queries(const std::vector<Query>& queries, std::int64_t rows, int classes) {
    std::unordered_set<std::int32_t> asked;
    for (const Query& query : queries) {
        const std::string name = "The query of row " + std::to_string(query.row);
        if (query.row < 0 || query.row >= rows)
            refuse(name + " names no row of the pool, whose rows are 0 to " +
                   std::to_string(rows - 1) + ".");
        if (!asked.insert(query.row).second) refuse(name + " stands twice in the list.");
        if (query.reason < QueryReason::given || query.reason > QueryReason::random_start)
            refuse(name + " has no known reason.");
        if (query.machine < 0 || query.machine >= std::max(1, classes) || query.expected < -1 ||
            query.expected >= std::max(1, classes))
            refuse(name + " names a class that is not known.");
        if (query.drawn < 0 || query.inside < 0 || query.inside > query.drawn ||
            !(query.probability >= 0.0 && query.probability <= 1.0) || !(query.distance >= 0.0))
            refuse(name + " has counts or distances that no search gives.");
    }
}

void check_costs(const std::vector<double>& costs, const std::vector<Entry>& log) {
    for (double cost : costs)
        if (!(cost >= 0.0) || std::isinf(cost))
            refuse("Costs of classes must be finite and not negative, got " + std::to_string(cost) +
                   ": lower C or class_weight.");
    for (const Entry& entry : log)
        if (entry.label >= static_cast<int>(costs.size()) && entry.label > 0)
            refuse("There must be a cost for each class that has labels, got " +
                   std::to_string(costs.size()) + " costs.");
}

void check_options(const BorderOptions& options) {
    if (options.pool_size < 1)
        refuse("pool_size must be at least 1, got " + std::to_string(options.pool_size) + ".");
    if (!(options.explore >= 0.0 && options.explore <= 1.0))
        refuse("explore must be from 0 to 1, got " + std::to_string(options.explore) + ".");
    if (!(options.tolerance > 0.0))
        refuse("The tolerance must be above 0, got " + std::to_string(options.tolerance) + ".");
}

}  // namespace rarebit
