// Threads that run a task graph: a task begins when all that it needs have ended.
//
// Each thread keeps the tasks that became ready through it and takes the latest first, whose operands are
// still in its cache; one that has none takes the oldest of another's. Which thread runs what never shows in
// a result.
#pragma once

#include "emulator/Fast/TaskGraph.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace tilerig {

class Workers {
public:
  // `threads` in all, the calling one among them.
  explicit Workers(unsigned threads);
  ~Workers();
  Workers(const Workers &) = delete;
  Workers &operator=(const Workers &) = delete;

  unsigned threads() const { return static_cast<unsigned>(queues.size()); }
  // Runs every task once: body(task, thread). Returns when all have ended.
  void run(const TaskGraph &graph, const std::function<void(uint32_t task, unsigned thread)> &body);

private:
  struct alignas(64) Queue {
    std::mutex mutex;
    std::vector<uint32_t> tasks;
    size_t oldest = 0; // tasks before it have been stolen
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
  std::vector<std::atomic<uint32_t>> missing; // by task: predecessors that have not ended
  std::atomic<uint32_t> left{0};
};

} // namespace tilerig
