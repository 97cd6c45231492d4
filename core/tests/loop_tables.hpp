// Every table of hot loops that this machine runs.
#pragma once

#include <vector>

#include "simd/hot_loops.hpp"

namespace rarebit_tests {

inline std::vector<const rarebit::HotLoops*> tables() {
    std::vector<const rarebit::HotLoops*> all;
    for (const char* name : {"portable", "avx2", "avx512"})
        if (const rarebit::HotLoops* loops = rarebit::hot_loops_named(name)) all.push_back(loops);
    return all;
}

}  // namespace rarebit_tests
