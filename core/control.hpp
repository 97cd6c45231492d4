// How a long call is watched and stopped from outside.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

namespace rarebit {

struct Progress {
    std::int64_t steps = 0;   // two-variable steps so far
    double gap = 0.0;         // violation of the optimality conditions among the active rows
    std::int64_t rows = 0;    // rows seen so far
    std::int64_t active = 0;  // rows in the active set
};

// The engine calls poll() often; the observer runs at most ten times a second.
class Control {
  public:
    using Observer = std::function<bool(const Progress&)>;  // returns false to stop

    Control() = default;
    explicit Control(Observer observer) : observer_(std::move(observer)) {}

    void stop() { stopped_ = true; }
    bool stopped() const { return stopped_; }

    // True when the work shall end.
    bool poll(const Progress& progress) {
        if (stopped_) return true;
        if (!observer_) return false;
        const auto now = std::chrono::steady_clock::now();
        if (now < next_) return false;
        next_ = now + std::chrono::milliseconds(100);
        if (!observer_(progress)) stopped_ = true;
        return stopped_;
    }

  private:
    Observer observer_;
    std::atomic<bool> stopped_{false};
    std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now();
};

}  // namespace rarebit
