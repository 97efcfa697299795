// Work on several threads at once: a body that runs on each thread, or a parallel loop over independent
// iterations. The calling thread takes part, and all calls have ended when a function returns.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Base/Support/StartThreads.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace tilerig {

// The first exception that a call on any thread throws, kept until the other calls have ended.
class KeptException {
public:
  template <class Body>
  void guard(const Body &body) {
    try {
      body();
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!first)
        first = std::current_exception();
    }
  }
  void rethrow() const {
    if (first)
      std::rethrow_exception(first);
  }

private:
  std::mutex mutex;
  std::exception_ptr first;
};

// Calls body(worker) once on each of up to `threads` threads, where `worker` is the number of the thread: 0
// for the calling thread, then 1, 2, and so on. If the operating system refuses some of the threads, there
// are fewer calls. The calls must therefore distribute the work among themselves, for example by a counter,
// and their results must not depend on the number of threads. If calls throw, one of the exceptions is
// rethrown.
template <class Body>
void onThreads(unsigned threads, const Body &body) {
  KeptException thrown;
  const auto guarded = [&](unsigned worker) { thrown.guard([&] { body(worker); }); };
  {
    std::vector<std::jthread> others;
    startThreads(others, threads, guarded);
    guarded(0);
  }
  thrown.rethrow();
}

// Calls each(i) for all i below `count`, in any order, with one thread per core. If calls throw, one of the
// exceptions is rethrown after the calls for all other i.
template <class Each>
void inParallel(size_t count, const Each &each) {
  std::atomic<size_t> next = 0;
  KeptException thrown;
  const size_t threads = std::min<size_t>(count, std::thread::hardware_concurrency());
  onThreads(static_cast<unsigned>(threads), [&](unsigned) {
    for (size_t i; (i = next++) < count;)
      thrown.guard([&] { each(i); });
  });
  thrown.rethrow();
}

// Calls each(i), which returns a Status, for all i below `count`, as inParallel() does. Returns the failure of the lowest
// i, whichever call failed first.
template <class Each>
Status checkInParallel(size_t count, const Each &each) {
  std::vector<Status> results(count, success());
  inParallel(count, [&](size_t i) { results[i] = each(i); });
  for (Status &result : results)
    TILERIG_CHECK_OK(std::move(result));
  return success();
}

} // namespace tilerig
