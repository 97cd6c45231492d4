#include "kernel/kernel_block_cache.hpp"

#include <algorithm>

#include "threads.hpp"

namespace rarebit {
namespace {

constexpr std::int64_t kCheapColumns = 192;  // dense rows up to this length are computed again
constexpr std::int64_t kCheapEntries = 128;  // and CSR rows with so few entries on average

constexpr int kLeastRows = 256;  // rows that one thread weighs at a time

bool expensive(const KernelProvider& provider) {
    const Matrix& matrix = provider.matrix();
    if (provider.kernel().spec().kind == KernelKind::precomputed || matrix.rows == 0) return false;
    if (!provider.computes()) return false;
    if (!matrix.sparse()) return matrix.columns > kCheapColumns;
    std::int64_t first, last, unused;
    matrix.extent(0, &first, &unused);
    matrix.extent(matrix.rows - 1, &unused, &last);
    return last - first > kCheapEntries * matrix.rows;
}

}  // namespace

KernelBlockCache::KernelBlockCache(KernelProvider& provider, std::size_t budget_bytes)
    : provider_(provider), budget_(budget_bytes), worthwhile_(expensive(provider)) {}

int KernelBlockCache::open(int members) {
    sets_.emplace_back();
    sets_.back().members = members;
    return static_cast<int>(sets_.size()) - 1;
}

void KernelBlockCache::accumulate(int set_number, const std::vector<int>& members,
                                  const std::vector<std::int32_t>& rows,
                                  const std::vector<std::int32_t>& columns,
                                  const std::vector<double>& coefficients, bool keep,
                                  const std::function<bool()>& stop, double* sums) {
    const HotLoops& loops = hot_loops();
    Set& set = sets_[set_number];
    std::vector<std::vector<double>> known(set.blocks.size());
    std::vector<std::int32_t> new_columns;
    std::vector<double> new_coefficients;
    for (std::size_t j = 0; j < columns.size(); ++j) {
        const auto found = set.place.find(columns[j]);
        if (found == set.place.end()) {
            new_columns.push_back(columns[j]);
            new_coefficients.push_back(coefficients[j]);
            continue;
        }
        const auto [block, offset] = found->second;
        if (known[block].empty()) known[block].assign(set.blocks[block].columns, 0.0);
        known[block][offset] = coefficients[j];
    }
    for (std::size_t b = 0; b < known.size(); ++b)
        if (!known[b].empty())
            run_ranges(static_cast<int>(rows.size()), kLeastRows, threads_allowed(),
                       [&](int, int from, int to) {
                           for (int i = from; i < to; ++i)
                               loops.weigh(set.blocks[b].rows[members[i]], 1, set.blocks[b].columns,
                                           0, known[b].data(), sums + i);
                       });
    if (new_columns.empty()) return;

    PackedRows right = provider_.packed_rows();
    right.assign(new_columns);
    const int count = static_cast<int>(rows.size()), width = right.size();
    const std::size_t need = rows.size() * new_columns.size() * sizeof(float);
    keep = keep && bytes_ + need <= budget_;
    Block block;
    std::vector<float*> out(rows.size());
    if (keep) {
        block.columns = width;
        block.pool = std::make_unique<RowPool>(width);
        block.rows.assign(set.members, nullptr);
        for (std::size_t i = 0; i < rows.size(); ++i)
            out[i] = block.rows[members[i]] = block.pool->take();
    }
    const int at_once = provider_.kernel().rows_between_polls(provider_.matrix(), width);
    for (int from = 0; from < count; from += at_once) {
        const int part = std::min(at_once, count - from);
        if (!keep) {
            provider_.accumulate(rows.data() + from, part, right, new_coefficients.data(),
                                 sums + from);
        } else {
            provider_.compute(rows.data() + from, part, right, out.data() + from);
            run_ranges(part, kLeastRows, threads_allowed(), [&](int, int first, int last) {
                for (int i = from + first; i < from + last; ++i)
                    loops.weigh(out[i], 1, width, 0, new_coefficients.data(), sums + i);
            });
        }
        if (stop()) return;
    }
    if (!keep) return;
    for (int j = 0; j < width; ++j)
        set.place[new_columns[j]] = {static_cast<int>(set.blocks.size()), j};
    set.blocks.push_back(std::move(block));
    bytes_ += need;
}

}  // namespace rarebit
