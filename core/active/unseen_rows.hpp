// Which rows of a pool have not been asked for, and random draws from them.
//
// One bit per row: a pool of ten million rows takes 1.25 MB, and neither making the set nor a draw
// costs time that grows with it.
#pragma once

#include <cstdint>
#include <vector>

#include "active/random.hpp"

namespace rarebit {

class UnseenRows {
  public:
    explicit UnseenRows(std::int64_t rows) : rows_(rows), left_(rows), seen_((rows + 63) / 64, 0) {}

    std::int64_t left() const { return left_; }
    bool unseen(std::int64_t row) const { return !(seen_[row / 64] >> (row % 64) & 1u); }
    void take(std::int64_t row) {
        left_ -= unseen(row);
        seen_[row / 64] |= std::uint64_t(1) << (row % 64);
    }
    void give_back(std::int64_t row) {
        left_ += !unseen(row);
        seen_[row / 64] &= ~(std::uint64_t(1) << (row % 64));
        listed_.clear();
    }

    // `count` different rows, each set of them equally likely; all rows in order when no more are
    // left.
    std::vector<std::int32_t> draw(std::int64_t count, Random* random);

  private:
    void list_unseen();

    std::int64_t rows_, left_;
    std::vector<std::uint64_t> seen_;
    // When few are left, blind draws would mostly meet seen rows: then the unseen ones are listed.
    // Rows seen since stay in the list until a draw meets them.
    std::vector<std::int32_t> listed_;
};

}  // namespace rarebit
