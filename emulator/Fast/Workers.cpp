#include "emulator/Fast/Workers.h"

#include "isa/Base/Support/StartThreads.h"

namespace tilerig::emulator {

Workers::Workers(unsigned threads) : queues(std::max(threads, 1u)) {
  startThreads(helpers, static_cast<unsigned>(queues.size()), [this](unsigned self) { work(self); });
}

Workers::~Workers() {
  {
    std::lock_guard lock(mutex);
    stopping = true;
  }
  wake.notify_all();
  for (std::thread &worker : helpers)
    worker.join();
}

void Workers::push(unsigned self, uint32_t task) {
  std::lock_guard lock(queues[self].mutex);
  queues[self].tasks.push_back(task);
}

bool Workers::take(unsigned self, uint32_t &task) {
  for (size_t i = 0; i < queues.size(); ++i) {
    Queue &queue = queues[(self + i) % queues.size()];
    std::lock_guard lock(queue.mutex);
    if (queue.oldest == queue.tasks.size())
      continue;
    if (i == 0) {
      task = queue.tasks.back();
      queue.tasks.pop_back();
    } else {
      task = queue.tasks[queue.oldest++];
    }
    if (queue.oldest == queue.tasks.size()) {
      queue.tasks.clear();
      queue.oldest = 0;
    }
    return true;
  }
  return false;
}

void Workers::help(unsigned self) {
  while (left.load(std::memory_order_acquire) > 0) {
    uint32_t task;
    if (!take(self, task)) {
      std::this_thread::yield();
      continue;
    }
    (*body)(task, self);
    for (uint32_t i = graph->firstSuccessor[task]; i < graph->firstSuccessor[task + 1]; ++i) {
      const uint32_t next = graph->successors[i];
      if (missing[next].fetch_sub(1, std::memory_order_acq_rel) == 1)
        push(self, next);
    }
    left.fetch_sub(1, std::memory_order_acq_rel);
  }
}

void Workers::work(unsigned self) {
  uint64_t seen = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex);
      wake.wait(lock, [&] { return stopping || generation != seen; });
      if (stopping)
        return;
      seen = generation;
    }
    help(self);
    std::lock_guard lock(mutex);
    if (--busy == 0)
      done.notify_one();
  }
}

void Workers::run(const TaskGraph &tasks, const std::function<void(uint32_t, unsigned)> &run) {
  if (missing.size() < tasks.size())
    missing = std::vector<std::atomic<uint32_t>>(tasks.size());
  graph = &tasks;
  body = &run;
  unsigned next = 0;
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    missing[task].store(tasks.numPredecessors[task], std::memory_order_relaxed);
    if (tasks.numPredecessors[task] == 0)
      queues[next++ % queues.size()].tasks.push_back(task);
  }
  left.store(tasks.size(), std::memory_order_release);
  {
    std::lock_guard lock(mutex);
    ++generation;
    busy = static_cast<unsigned>(helpers.size());
  }
  wake.notify_all();
  help(0);
  std::unique_lock lock(mutex);
  done.wait(lock, [&] { return busy == 0; });
}

} // namespace tilerig::emulator
