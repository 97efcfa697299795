// Starts as many threads as the operating system allows. If it refuses more because of a limit, the work goes
// on with fewer. Only for work whose results do not depend on the number of threads.
#pragma once

#include <future>
#include <system_error>
#include <vector>

namespace tilerig {

// Starts up to count - 1 threads that run body(1), body(2), ..., body(count - 1). Number 0 stands for the
// calling thread: the caller runs body(0) itself.
template <class Thread, class Body>
void startThreads(std::vector<Thread> &threads, unsigned count, const Body &body) {
  threads.reserve(count);
  try {
    for (unsigned i = 1; i < count; ++i)
      threads.emplace_back([body, i] { body(i); });
  } catch (const std::system_error &) { // the system allows no more threads: continue with those started
  }
}

// Returns a future for the result of body(). A new thread computes the result or, if none can be started, the
// thread that calls get().
template <class Body>
auto startOne(const Body &body) {
  try {
    return std::async(std::launch::async, body);
  } catch (const std::system_error &) {
    return std::async(std::launch::deferred, body);
  }
}

} // namespace tilerig
