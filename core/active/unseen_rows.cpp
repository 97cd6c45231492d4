#include "active/unseen_rows.hpp"

#include <algorithm>
#include <unordered_set>

namespace rarebit {
namespace {

constexpr std::int64_t kBlindShare = 4;  // blind draws while at least one row in so many is unseen

}  // namespace

void UnseenRows::list_unseen() {
    listed_.clear();
    for (std::int64_t row = 0; row < rows_; ++row)
        if (unseen(row)) listed_.push_back(static_cast<std::int32_t>(row));
}

std::vector<std::int32_t> UnseenRows::draw(std::int64_t count, Random* random) {
    if (count >= left_) {
        list_unseen();
        return listed_;
    }
    // A draw of most rows would also meet many twice.
    const bool blind = kBlindShare * (left_ - count) >= rows_;
    if (!blind && (listed_.empty() || static_cast<std::int64_t>(listed_.size()) > 2 * left_))
        list_unseen();
    std::vector<std::int32_t> drawn;
    drawn.reserve(count);
    if (blind) {
        std::unordered_set<std::int32_t> chosen;
        while (static_cast<std::int64_t>(drawn.size()) < count) {
            const auto row = static_cast<std::int32_t>(random->below(rows_));
            if (!unseen(row) || !chosen.insert(row).second) continue;
            drawn.push_back(row);
        }
        return drawn;
    }
    // The first places of the list, shuffled as far as needed.
    std::size_t place = 0;
    while (static_cast<std::int64_t>(drawn.size()) < count) {
        const std::size_t at = place + static_cast<std::size_t>(random->below(
                                           static_cast<std::int64_t>(listed_.size() - place)));
        if (!unseen(listed_[at])) {
            listed_[at] = listed_.back();
            listed_.pop_back();
            continue;
        }
        std::swap(listed_[place], listed_[at]);
        drawn.push_back(listed_[place++]);
    }
    return drawn;
}

}  // namespace rarebit
