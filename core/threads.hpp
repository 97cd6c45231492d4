// Threads of the engine: a call says how many it may use, loops below it share their tasks out.
//
// A loop gives each thread its tasks; what a task computes depends on the task alone, and results
// are joined in the order of tasks, so that they are the same to the bit for every number of
// threads.
//
// Workers are kept between loops and wait awake for some microseconds, because the loops of a
// solver are short and follow each other closely. A loop inside a task runs on that task's thread.
// A call gets no more workers than would keep all processors busy, whoever else is at work.
#pragma once

#include <cstdint>
#include <functional>

namespace rarebit {

// Lets loops of this thread use up to `threads` threads, the calling one among them, for as long as
// the scope lives.
class ThreadScope {
  public:
    explicit ThreadScope(int threads);
    ~ThreadScope();
    ThreadScope(const ThreadScope&) = delete;
    ThreadScope& operator=(const ThreadScope&) = delete;

  private:
    int before_;
};

// Threads that a loop started here would have; 1 inside a task.
int threads_allowed();

// Runs work(task) once for each task below `tasks`, and returns when all are done. An exception of
// a task is thrown here, once the others have ended.
void run_parallel(int tasks, const std::function<void(int task)>& work);

// Cuts [0, count) at multiples of `grain` into parts of about equal size, `parts` at most, and runs
// work(part, from, to) for each.
void run_ranges(int count, int grain, int parts,
                const std::function<void(int part, int from, int to)>& work);
// How many parts run_ranges() makes.
int range_parts(int count, int grain, int parts);

}  // namespace rarebit
