// A vector whose memory starts on a cache line, on huge pages where it is large, and is left
// uninitialised when it grows by resize.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace rarebit {

template <class T>
struct CacheLineAllocator {
    using value_type = T;
    static constexpr std::align_val_t kLine{64};

    CacheLineAllocator() = default;
    template <class U>
    CacheLineAllocator(const CacheLineAllocator<U>&) {}

    // Fewer pages are touched for the first time, and found again, when they are huge.
    static constexpr std::align_val_t kHugePage{std::size_t(2) << 20};
    static constexpr std::size_t kLarge = std::size_t(4) << 20;

    T* allocate(std::size_t n) {
        const std::size_t bytes = n * sizeof(T);
        void* memory = ::operator new(bytes, alignment(n));
#if defined(__linux__)
        if (bytes >= kLarge) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
        return static_cast<T*>(memory);
    }
    void deallocate(T* p, std::size_t n) { ::operator delete(p, alignment(n)); }
    static std::align_val_t alignment(std::size_t n) {
        return n * sizeof(T) >= kLarge ? kHugePage : kLine;
    }
    template <class U>
    void construct(U* p) {
        ::new (static_cast<void*>(p)) U;
    }
    template <class U, class... Args>
    void construct(U* p, Args&&... args) {
        ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
    }
    template <class U>
    bool operator==(const CacheLineAllocator<U>&) const {
        return true;
    }
    template <class U>
    bool operator!=(const CacheLineAllocator<U>&) const {
        return false;
    }
};

template <class T>
using AlignedVector = std::vector<T, CacheLineAllocator<T>>;

}  // namespace rarebit
