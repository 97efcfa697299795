// Things that know nothing of each other, on as many threads as the machine has.
#pragma once

#include "isa/Support/StartThreads.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>

namespace tilerig {

// each(i) for all i below the count, in any order; what one of them throws is thrown when all have ended.
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
