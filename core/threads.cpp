#include "threads.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif
#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#endif

namespace rarebit {
namespace {

constexpr int kSpins = 1500;  // looks for work before a worker sleeps, some 50 microseconds
constexpr int kMostThreads = 256;

void relax() {
#if defined(__x86_64__) || defined(_M_X64)
    _mm_pause();
#endif
}

// One loop: tasks are taken one by one.
struct Job {
    const std::function<void(int)>* work;
    int tasks;
    std::atomic<int> next{0};
    std::mutex mutex;
    std::exception_ptr raised;

    void help() {
        for (int task = next++; task < tasks; task = next++) {
            try {
                (*work)(task);
            } catch (...) {
                const std::lock_guard<std::mutex> lock(mutex);
                if (!raised) raised = std::current_exception();
                next = tasks;
            }
        }
    }
};

thread_local bool inside_task = false;
thread_local int allowed = 1;

// A thread that waits for jobs. One that has not begun with a job by the time its caller has done
// all tasks is not waited for: on a busy computer it may get a processor only milliseconds later,
// and the loops of a solver are microseconds long.
class Worker {
  public:
    Worker() : thread_([this] { run(); }) { thread_.detach(); }

    void post(Job* job) {
        job_ = job;
        state_ = posted;
        if (!asleep_.load()) return;
        const std::lock_guard<std::mutex> lock(mutex_);
        wake_.notify_one();
    }
    // Takes the job back, or waits until the worker has ended it.
    void finish() {
        State expected = posted;
        if (state_.compare_exchange_strong(expected, idle)) return;
        for (int spins = 0; state_.load(std::memory_order_acquire) != idle; ++spins) {
            relax();
            if (spins > kSpins) std::this_thread::yield();
        }
    }

  private:
    enum State { idle, posted, running };

    void run() {
        inside_task = true;
        for (int spins = 0;; ++spins) {
            State expected = posted;
            // Looks first: a failed exchange would take the cache line from the caller every time.
            if (state_.load(std::memory_order_relaxed) == posted &&
                state_.compare_exchange_strong(expected, running)) {
                job_->help();
                state_.store(idle, std::memory_order_release);
                spins = 0;
                continue;
            }
            relax();
            if (spins < kSpins) continue;
            std::unique_lock<std::mutex> lock(mutex_);
            asleep_ = true;
            wake_.wait(lock, [&] { return state_.load() == posted; });
            asleep_ = false;
        }
    }

    Job* job_ = nullptr;
    std::atomic<State> state_{idle};
    std::atomic<bool> asleep_{false};
    std::mutex mutex_;
    std::condition_variable wake_;
    std::thread thread_;
};

// All workers of the process; those without a team are idle. Never destroyed: threads may outlive
// static objects.
struct Pool {
    std::mutex mutex;
    std::vector<Worker*> idle;
    int busy = 0;  // threads of all teams, callers included

    static Pool& instance() {
        static Pool* pool = make();
        return *pool;
    }
    static Pool* make() {
        Pool* pool = new Pool;
#if defined(__unix__) || defined(__APPLE__)
        // A forked child has the memory of the workers and none of their threads.
        pthread_atfork(nullptr, nullptr, [] { instance().forget(); });
#endif
        return pool;
    }
    void forget() {
        new (&mutex) std::mutex;
        idle.clear();
        busy = 0;
    }
};

// The workers that a thread has at its disposal while its scope lives.
class Team {
  public:
    const std::vector<Worker*>& gather(int threads) {
        if (gathered_) return workers_;
        gathered_ = true;
        Pool& pool = Pool::instance();
        const std::lock_guard<std::mutex> lock(pool.mutex);
        const int processors = static_cast<int>(std::thread::hardware_concurrency());
        const int free = std::max(processors, threads) - pool.busy;
        const int wanted = std::min(threads, std::max(1, free)) - 1;
        try {
            while (static_cast<int>(workers_.size()) < wanted) {
                if (pool.idle.empty()) pool.idle.push_back(new Worker);
                workers_.push_back(pool.idle.back());
                pool.idle.pop_back();
            }
        } catch (const std::exception&) {
            // A system that gives no more threads gets the work done with fewer.
        }
        pool.busy += 1 + static_cast<int>(workers_.size());
        return workers_;
    }
    void dismiss() {
        if (!gathered_) return;
        Pool& pool = Pool::instance();
        const std::lock_guard<std::mutex> lock(pool.mutex);
        pool.busy = std::max(0, pool.busy - 1 - static_cast<int>(workers_.size()));
        pool.idle.insert(pool.idle.end(), workers_.begin(), workers_.end());
        workers_.clear();
        gathered_ = false;
    }

  private:
    std::vector<Worker*> workers_;
    bool gathered_ = false;
};

thread_local Team team;

}  // namespace

ThreadScope::ThreadScope(int threads) : before_(allowed) {
    // A scope within another has no more threads than that.
    if (before_ == 1) allowed = std::min(std::max(1, threads), kMostThreads);
}

ThreadScope::~ThreadScope() {
    if (before_ == 1) team.dismiss();
    allowed = before_;
}

int threads_allowed() { return inside_task ? 1 : allowed; }

void run_parallel(int tasks, const std::function<void(int)>& work) {
    const int threads = std::min(threads_allowed(), tasks);
    if (threads <= 1) {
        for (int task = 0; task < tasks; ++task) work(task);
        return;
    }
    const std::vector<Worker*>& workers = team.gather(allowed);
    Job job;
    job.work = &work;
    job.tasks = tasks;
    const int helpers = std::min(static_cast<int>(workers.size()), threads - 1);
    for (int i = 0; i < helpers; ++i) workers[i]->post(&job);
    inside_task = true;
    job.help();
    inside_task = false;
    for (int i = 0; i < helpers; ++i) workers[i]->finish();
    if (job.raised) std::rethrow_exception(job.raised);
}

int range_parts(int count, int grain, int parts) {
    const int grains = (count + grain - 1) / grain;
    return std::max(1, std::min(parts, grains));
}

void run_ranges(int count, int grain, int parts,
                const std::function<void(int part, int from, int to)>& work) {
    const int made = range_parts(count, grain, parts);
    const std::int64_t grains = (count + grain - 1) / grain;
    run_parallel(made, [&](int part) {
        const std::int64_t from = grains * part / made * grain,
                           to = grains * (part + 1) / made * grain;
        work(part, static_cast<int>(from), static_cast<int>(std::min<std::int64_t>(count, to)));
    });
}

}  // namespace rarebit
