// What must hold of a search's settings, saved queries and answers before it counts with them. Each
// function throws std::invalid_argument with one sentence.
#pragma once

#include <cstdint>
#include <vector>

#include "active/border.hpp"

namespace rarebit {

// Queries of a search over a pool of `rows` rows.
void check_queries(const std::vector<Query>& queries, std::int64_t rows, int classes);
// Costs of classes, no fewer than the labels in the log.
void check_costs(const std::vector<double>& costs, const std::vector<Entry>& log);
void check_options(const BorderOptions& options);

}  // namespace rarebit
