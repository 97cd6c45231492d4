// Memory for many float rows of one length: taken and given back singly, obtained from the system
// in slabs on huge pages. Kernel rows fill gigabytes; a page fault each 4 KB would cost as much
// time as computing them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <new>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace rarebit {

class RowPool {
  public:
    explicit RowPool(std::size_t length) : length_(length) {
        rows_per_slab_ = std::max<std::size_t>(1, kSlabBytes / (length * sizeof(float)));
    }
    RowPool(const RowPool&) = delete;
    RowPool& operator=(const RowPool&) = delete;
    ~RowPool() {
        for (auto& slab : slabs_) release(slab.first);
    }

    float* take() {
        if (free_.empty()) add_slab();
        float* row = free_.back();
        free_.pop_back();
        ++owner(row)->second;
        return row;
    }

    void give_back(float* row) {
        const auto slab = owner(row);
        if (--slab->second > 0 || slabs_.size() == 1) {
            free_.push_back(row);
            return;
        }
        float* base = slab->first;
        float* end = base + rows_per_slab_ * length_;
        free_.erase(std::remove_if(free_.begin(), free_.end(),
                                   [&](float* p) { return p >= base && p < end; }),
                    free_.end());
        slabs_.erase(slab);
        release(base);
    }

    std::size_t length() const { return length_; }

  private:
    static constexpr std::size_t kSlabBytes = std::size_t(4) << 20;
    static constexpr std::size_t kPage = std::size_t(2) << 20;

    using Slabs = std::map<float*, std::size_t>;  // first row, rows taken

    Slabs::iterator owner(float* row) { return std::prev(slabs_.upper_bound(row)); }

    void add_slab() {
        const std::size_t bytes = (rows_per_slab_ * length_ * sizeof(float) + 63) / 64 * 64;
#if defined(__linux__)
        const bool huge = bytes >= kPage;
        const std::size_t alignment = huge ? kPage : 64;
        const std::size_t size = (bytes + alignment - 1) / alignment * alignment;
        void* memory = std::aligned_alloc(alignment, size);
        if (!memory) throw std::bad_alloc();
        if (huge) madvise(memory, size, MADV_HUGEPAGE);
#else
        void* memory = ::operator new(bytes, std::align_val_t{64});
#endif
        float* base = static_cast<float*>(memory);
        slabs_[base] = 0;
        // Handed out from the front: the last element of free_ goes first.
        for (std::size_t i = rows_per_slab_; i > 0; --i) free_.push_back(base + (i - 1) * length_);
    }

    static void release(float* base) {
#if defined(__linux__)
        std::free(base);
#else
        ::operator delete(base, std::align_val_t{64});
#endif
    }

    std::size_t length_, rows_per_slab_;
    Slabs slabs_;
    std::vector<float*> free_;
};

}  // namespace rarebit
