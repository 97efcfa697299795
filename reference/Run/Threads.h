// Threads that share one loop. Work is split by index, so results never depend on how many there are.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tilerig::reference {

class Threads {
public:
  // As many as the machine has when `count` is 0. The calling thread is one of them.
  explicit Threads(unsigned count = 0);
  ~Threads();
  Threads(const Threads &) = delete;
  Threads &operator=(const Threads &) = delete;

  unsigned count() const { return static_cast<unsigned>(workers.size()) + 1; }

  // Calls body(begin, end) for pieces of [0, size) that together cover it, each at least `grain` long but the
  // last; returns when all are done. A loop inside a body runs in its own thread alone. What a body throws
  // (memory that ran out) is thrown here, once no body runs any more; the first of several.
  void forEach(int64_t size, int64_t grain, const std::function<void(int64_t begin, int64_t end)> &body);

private:
  struct Loop;
  void work(size_t index);
  static void help(Loop &loop, size_t own);
  template <class Condition>
  void spinUntil(Condition condition) const;

  std::vector<std::thread> workers;
  std::mutex mutex;
  std::condition_variable wake, done;
  Loop *current = nullptr;
  std::atomic<uint64_t> generation = 0; // of loops
  std::atomic<unsigned> active = 0;     // workers inside the current one
  bool stopping = false;
  bool maySpin = false;
};

} // namespace tilerig::reference
