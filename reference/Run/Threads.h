// A thread pool for parallel loops. Work is split by index, so results do not depend on the number of
// threads.
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
  // Creates a pool of `count` threads, including the calling thread; 0 means as many as the host has.
  explicit Threads(unsigned count = 0);
  ~Threads();
  Threads(const Threads &) = delete;
  Threads &operator=(const Threads &) = delete;

  unsigned count() const { return static_cast<unsigned>(workers.size()) + 1; }

  // Calls body(begin, end) for pieces that together cover [0, size), each at least `grain` long except the
  // last; returns when all are done. A nested loop runs on its own thread only. If bodies throw (out of
  // memory), the first exception is rethrown here, after all bodies have ended.
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
  std::atomic<uint64_t> generation = 0; // number of parallel loops started so far
  std::atomic<unsigned> active = 0;     // number of worker threads in the current loop
  bool stopping = false;
  bool maySpin = false;
};

} // namespace tilerig::reference
