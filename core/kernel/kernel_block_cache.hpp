// Kernel values between rows outside the active set and rows of the expansion, kept for the next
// sweep while memory lasts: a sweep then computes only the columns that are new.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "kernel/kernel_provider.hpp"
#include "kernel/row_pool.hpp"

namespace rarebit {

class KernelBlockCache {
  public:
    KernelBlockCache(KernelProvider& provider, std::size_t budget_bytes);

    // Whether reading a value back is clearly cheaper than computing it again.
    bool worthwhile() const { return worthwhile_; }
    // Opens a set of `members` rows that will be scored together.
    int open(int members);
    // sums[i] += sum_j coefficients[j] K(rows[i], columns[j]); rows[i] is member members[i] of the
    // set. With `keep`, values of columns new to the set are kept if they fit the budget; all
    // members that will be asked for later must then be among the rows. Ends early, with sums of no
    // use, when `stop` says so.
    void accumulate(int set, const std::vector<int>& members, const std::vector<std::int32_t>& rows,
                    const std::vector<std::int32_t>& columns,
                    const std::vector<double>& coefficients, bool keep,
                    const std::function<bool()>& stop, double* sums);
    std::size_t bytes() const { return bytes_; }

  private:
    struct Block {  // some columns for the members of a set
        std::unique_ptr<RowPool> pool;
        std::vector<float*> rows;  // by member; null where never computed
        int columns = 0;
    };
    struct Set {
        std::vector<Block> blocks;
        std::unordered_map<std::int32_t, std::pair<int, int>> place;  // column: block, offset
        int members = 0;
    };

    KernelProvider& provider_;
    std::size_t budget_, bytes_ = 0;
    bool worthwhile_;
    std::vector<Set> sets_;
};

}  // namespace rarebit
