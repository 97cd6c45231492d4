// Memory for many float rows of one length: taken and given back singly, obtained from the system
// in slabs on huge pages. Kernel rows fill gigabytes; touching fresh pages costs as much time as
// computing what is written to them, so pools that follow each other share their slabs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "threads.hpp"

namespace rarebit {

// Slabs of one size, kept when they come back.
class SlabStore {
  public:
    static constexpr std::size_t kBytes = std::size_t(4) << 20;

    SlabStore() = default;
    SlabStore(const SlabStore&) = delete;
    SlabStore& operator=(const SlabStore&) = delete;
    ~SlabStore() {
        for (float* slab : free_) release(slab);
    }

    // Larger slabs than the usual are not kept.
    float* take(std::size_t bytes) {
        if (bytes > kBytes) return obtain(bytes);
        if (free_.empty()) return obtain(kBytes);
        float* slab = free_.back();
        free_.pop_back();
        return slab;
    }
    void give_back(float* slab, std::size_t bytes) {
        if (bytes > kBytes)
            release(slab);
        else
            free_.push_back(slab);
    }

  private:
    static float* obtain(std::size_t bytes) {
#if defined(__linux__)
        constexpr std::size_t page = std::size_t(2) << 20;
        const std::size_t size = (bytes + page - 1) / page * page;
        void* memory = std::aligned_alloc(page, size);
        if (!memory) throw std::bad_alloc();
        madvise(memory, size, MADV_HUGEPAGE);
        touch(static_cast<char*>(memory), static_cast<int>(size / page), page);
        return static_cast<float*>(memory);
#else
        return static_cast<float*>(::operator new(bytes, std::align_val_t{64}));
#endif
    }
    // The system clears a page when it is first written to. The caller would be the first to write
    // to every page, and threads would wait for it: they clear the pages together instead.
    static void touch(char* memory, int pages, std::size_t page) {
        constexpr std::size_t small_page = 4096;
        if (threads_allowed() == 1) return;
        run_parallel(pages, [&](int number) {
            volatile char* first = memory + number * page;
            for (std::size_t at = 0; at < page; at += small_page) first[at] = 0;
        });
    }
    static void release(float* slab) {
#if defined(__linux__)
        std::free(slab);
#else
        ::operator delete(slab, std::align_val_t{64});
#endif
    }

    std::vector<float*> free_;
};

class RowPool {
  public:
    explicit RowPool(std::size_t length,
                     std::shared_ptr<SlabStore> slabs = std::make_shared<SlabStore>())
        : length_(length), store_(std::move(slabs)) {
        const std::size_t row_bytes = length * sizeof(float);
        rows_per_slab_ = std::max<std::size_t>(1, SlabStore::kBytes / row_bytes);
        slab_bytes_ = rows_per_slab_ * row_bytes;
    }
    RowPool(const RowPool&) = delete;
    RowPool& operator=(const RowPool&) = delete;
    ~RowPool() {
        for (auto& slab : slabs_) store_->give_back(slab.first, slab_bytes_);
    }

    float* take() {
        if (free_.empty()) {
            float* base = store_->take(slab_bytes_);
            slabs_[base] = 0;
            // Handed out from the front: the last element of free_ goes first.
            for (std::size_t i = rows_per_slab_; i > 0; --i)
                free_.push_back(base + (i - 1) * length_);
        }
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
        store_->give_back(base, slab_bytes_);
    }

    std::size_t length() const { return length_; }

  private:
    using Slabs = std::map<float*, std::size_t>;  // first row, rows taken

    Slabs::iterator owner(float* row) { return std::prev(slabs_.upper_bound(row)); }

    std::size_t length_, rows_per_slab_, slab_bytes_;
    std::shared_ptr<SlabStore> store_;
    Slabs slabs_;
    std::vector<float*> free_;
};

}  // namespace rarebit
