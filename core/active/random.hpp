// Random numbers whose state can be saved: xoshiro256**, seeded by splitmix64. The same seed gives
// the same numbers on every machine, which the standard library's distributions do not promise.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>

namespace rarebit {

class Random {
  public:
    using State = std::array<std::uint64_t, 4>;

    explicit Random(std::uint64_t seed) {
        for (std::uint64_t& word : state_) {
            seed += 0x9e3779b97f4a7c15u;
            std::uint64_t mixed = seed;
            mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
            mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
            word = mixed ^ (mixed >> 31);
        }
    }
    // A state of zeros would give nothing but zeros.
    explicit Random(const State& state) : state_(state) {
        if ((state[0] | state[1] | state[2] | state[3]) == 0)
            throw std::invalid_argument("The state of random numbers must not be all zeros.");
    }
    const State& state() const { return state_; }

    std::uint64_t next() {
        const std::uint64_t result = rotate(state_[1] * 5, 7) * 9;
        const std::uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = rotate(state_[3], 45);
        return result;
    }
    // Uniform in [0, 1).
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
    // Uniform in 0 ... n-1, every number exactly as likely as the others.
    std::int64_t below(std::int64_t n) {
        const std::uint64_t range = static_cast<std::uint64_t>(n);
        const std::uint64_t uneven = (0 - range) % range;  // numbers that would favour the first
        std::uint64_t drawn = next();
        while (drawn < uneven) drawn = next();
        return static_cast<std::int64_t>(drawn % range);
    }

  private:
    static std::uint64_t rotate(std::uint64_t x, int by) { return (x << by) | (x >> (64 - by)); }

    State state_;
};

}  // namespace rarebit
