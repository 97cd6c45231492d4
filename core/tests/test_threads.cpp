// Loops on several threads: every task once, the same results, no more threads than allowed.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "fixtures.hpp"
#include "kernel/decide.hpp"
#include "kernel/gram.hpp"
#include "pruning/pruning.hpp"
#include "solver/batch.hpp"
#include "solver/online_machine.hpp"
#include "threads.hpp"

using namespace rarebit;
using namespace rarebit_tests;

namespace {

double label(int i) { return i % 3 == 0 ? 1.0 : -1.0; }

std::vector<double> clouds(int n, int d, unsigned seed) {
    std::vector<double> values = normal_values(n, d, seed);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < d; ++k) values[i * d + k] += 0.3 * label(i);
    return values;
}

// What work() returns with one, two, three and four threads.
template <class Work>
void check_equal(Work work) {
    const auto alone = work();
    for (int threads : {2, 3, 4}) {
        const ThreadScope scope(threads);
        CHECK(work() == alone);
    }
}

}  // namespace

TEST_CASE("every task runs once") {
    for (int threads : {1, 2, 3, 8})
        for (int tasks : {0, 1, 2, 7, 1000}) {
            const ThreadScope scope(threads);
            std::vector<std::atomic<int>> runs(tasks);
            run_parallel(tasks, [&](int task) { ++runs[task]; });
            for (std::atomic<int>& count : runs) CHECK(count == 1);
        }
}

TEST_CASE("ranges cover everything in whole grains") {
    for (int count : {0, 1, 63, 64, 65, 1000, 4096})
        for (int parts : {1, 2, 3, 7}) {
            const ThreadScope scope(3);
            std::vector<std::atomic<int>> met(count);
            std::vector<int> starts(range_parts(count, 64, parts), -1);
            run_ranges(count, 64, parts, [&](int part, int from, int to) {
                starts[part] = from;
                for (int i = from; i < to; ++i) ++met[i];
            });
            for (std::atomic<int>& times : met) CHECK(times == 1);
            for (int start : starts) CHECK(start % 64 == 0);
        }
}

TEST_CASE("loops inside tasks and scopes inside scopes start no more threads") {
    const ThreadScope scope(2);
    std::mutex mutex;
    std::set<std::thread::id> seen;
    run_parallel(4, [&](int) {
        CHECK(threads_allowed() == 1);
        const ThreadScope inner(8);
        run_parallel(16, [&](int) {
            const std::lock_guard<std::mutex> lock(mutex);
            seen.insert(std::this_thread::get_id());
        });
    });
    CHECK(seen.size() <= 2);
    const ThreadScope wider(8);
    CHECK(threads_allowed() == 2);
}

TEST_CASE("callers on many threads get their work done") {
    std::atomic<int> total{0};
    std::vector<std::thread> callers;
    for (int c = 0; c < 6; ++c)
        callers.emplace_back([&] {
            for (int round = 0; round < 50; ++round) {
                const ThreadScope scope(3);
                run_parallel(20, [&](int) { ++total; });
            }
        });
    for (std::thread& caller : callers) caller.join();
    CHECK(total == 6 * 50 * 20);
}

TEST_CASE("short loops with more threads than processors run every task once") {
    // Callers then often end a loop before a worker has begun with it, and take the job back.
    const ThreadScope scope(std::max(4u, 2 * std::thread::hardware_concurrency()));
    std::atomic<int> total{0};
    for (int round = 0; round < 20000; ++round) run_parallel(3, [&](int) { ++total; });
    CHECK(total == 3 * 20000);
}

TEST_CASE("an exception of a task reaches the caller, and the next loop works") {
    const ThreadScope scope(3);
    CHECK_THROWS_AS(run_parallel(100,
                                 [](int task) {
                                     if (task == 40) throw std::runtime_error("broken");
                                 }),
                    std::runtime_error);
    std::atomic<int> total{0};
    run_parallel(100, [&](int) { ++total; });
    CHECK(total == 100);
}

TEST_CASE("machines, decisions and paths are the same to the bit on every number of threads") {
    const int n = 5200;
    for (Storage storage : {Storage::dense32, Storage::csr64}) {
        const Table table(storage, n, 6, clouds(n, 6, 1));
        const Kernel kernel(spec_of(KernelKind::rbf, 0.2), table.matrix);
        BatchProblem problem;
        problem.rows = numbers(n);
        for (int i = 0; i < n; ++i) problem.y.push_back(label(i));
        problem.cost.assign(n, 2.0);
        DirectProvider provider(kernel, table.matrix);
        std::vector<double> alpha;
        check_equal([&] {
            Control control;
            BatchOptions options;
            options.tolerance = 0.05;
            options.cache_bytes = std::size_t(24) << 20;
            alpha = solve_batch(provider, problem, options, control).alpha;
            return alpha;
        });
        check_equal([&] {
            Control control;
            return decide(kernel, table.matrix, table.matrix, problem.rows, alpha.data(), 1,
                          control);
        });
        check_equal([&] {
            Control control;
            OnlineMachine machine(kernel, table.matrix, 1e-2, std::size_t(16) << 20);
            machine.process(table.matrix, numbers(1500), numbers(1500).data(), problem.y.data(),
                            problem.cost.data(), control);
            machine.finish(2000, control);
            return machine.solver().solution().alpha;
        });
    }
}

TEST_CASE("grams and pruned machines are the same to the bit on every number of threads") {
    const int n = 420;
    const Table table(Storage::dense64, n, 5, clouds(n, 5, 2));
    const Kernel kernel(spec_of(KernelKind::rbf, 0.3), table.matrix);
    check_equal([&] {
        Gram gram(kernel, table.matrix, std::size_t(4) * n * n);
        gram.fill();
        return gram.block(numbers(n), numbers(n));
    });
    BatchProblem problem;
    problem.rows = numbers(n);
    for (int i = 0; i < n; ++i) problem.y.push_back(label(i));
    problem.cost.assign(n, 1.0);
    DirectProvider provider(kernel, table.matrix);
    Control control;
    problem.start = solve_batch(provider, problem, BatchOptions(), control).alpha;
    check_equal([&] {
        Control unwatched;
        const PrunePath path = prune(provider, problem, 1.0, false, 8, BatchOptions(), unwatched);
        std::vector<double> all = {static_cast<double>(path.trials),
                                   static_cast<double>(path.steps)};
        for (const PrunePoint& point : path.points) {
            all.push_back(point.removed);
            all.insert(all.end(), point.machine.alpha.begin(), point.machine.alpha.end());
        }
        return all;
    });
}
