// A parallel loop over independent iterations, with one thread per core.
#pragma once

#include "isa/Base/Support/StartThreads.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>

namespace tilerig {

// Calls each(i) for all i below `count`, in any order. If a call throws, one of the exceptions is rethrown
// after all calls have ended.
template <class Each>
void inParallel(size_t count, const Each &each) {
  std::atomic<size_t> next = 0;
  std::exception_ptr thrown;
  std::mutex throwing;
  const auto work = [&] {
    for (size_t i; (i = next++) < count;)
      try {
        each(i);
      } catch (...) {
        const std::lock_guard lock(throwing);
        thrown = std::current_exception();
      }
  };
  {
    std::vector<std::jthread> others;
    const auto besides = [&](unsigned) { work(); };
    startThreads(others, static_cast<unsigned>(std::min<size_t>(count, std::thread::hardware_concurrency())),
                 besides);
    work();
  }
  if (thrown)
    std::rethrow_exception(thrown);
}

} // namespace tilerig
