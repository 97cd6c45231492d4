// One caller at a time: an object that changes while it works refuses a second caller at once.
//
// Waiting would be wrong here: the caller may hold the interpreter's lock, which the first one
// needs to finish, or may be the first one itself, called back while it works.
#pragma once

#include <atomic>
#include <stdexcept>
#include <string>

namespace rarebit {

class InUse : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

class Exclusive {
  public:
    // Held for as long as the object is in use.
    class Use {
      public:
        Use(Exclusive& owner, const char* what) : owner_(owner) {
            if (owner_.busy_.exchange(true, std::memory_order_acquire))
                throw InUse(std::string(what) +
                            " is in use by another thread: let that call return first, or guard "
                            "the calls with a lock of your own.");
        }
        ~Use() { owner_.busy_.store(false, std::memory_order_release); }
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;

      private:
        Exclusive& owner_;
    };

  private:
    std::atomic<bool> busy_{false};
};

}  // namespace rarebit
