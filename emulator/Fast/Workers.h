// A work-stealing thread pool that runs a task graph: a task begins when all its predecessors have ended.
//
// Each thread keeps the tasks that it has made ready and runs the most recent first, because its operands are
// still in the cache; an idle thread steals the oldest task of another thread. Results do not depend on which
// thread runs which task.
#pragma once

#include "isa/RunPlan/TaskGraph.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace tilerig::emulator {

class Workers {
public:
  // `threads` is the number of threads, including the one that calls run().
  explicit Workers(unsigned threads);
  ~Workers();
  Workers(const Workers &) = delete;
  Workers &operator=(const Workers &) = delete;

  unsigned threads() const { return static_cast<unsigned>(queues.size()); }
  // Calls body(task, thread) once for every task, where `thread` is the number of the thread that runs it.
  // Returns when all tasks have ended.
  void run(const TaskGraph &graph, const std::function<void(uint32_t task, unsigned thread)> &body);

private:
  struct alignas(64) Queue {
    std::mutex mutex;
    std::vector<uint32_t> tasks;
    // Index of the oldest task in the thread's queue; earlier ones have been stolen by other threads.
    size_t oldest = 0;
  };

  void work(unsigned self);
  void help(unsigned self);
  bool take(unsigned self, uint32_t &task);
  void push(unsigned self, uint32_t task);

  std::vector<Queue> queues;
  std::vector<std::thread> helpers;
  std::mutex mutex;
  std::condition_variable wake, done;
  uint64_t generation = 0;
  unsigned busy = 0;
  bool stopping = false;

  const TaskGraph *graph = nullptr;
  const std::function<void(uint32_t, unsigned)> *body = nullptr;
  // For each task of the graph, number of its predecessors that have not ended.
  std::vector<std::atomic<uint32_t>> missing;
  std::atomic<uint32_t> left{0};
};

} // namespace tilerig::emulator
