// Starts as many threads as the operating system allows. If it refuses more because of a limit, the work goes
// on with fewer; for work whose results do not depend on the number of threads.
#pragma once

#include <future>
#include <system_error>
#include <vector>

namespace tilerig {

// Starts up to count - 1 threads that run body(1), body(2), ..., body(count - 1). The calling thread counts
// as number 0, and nothing is run on it here.
template <class Thread, class Body>
void startThreads(std::vector<Thread> &threads, unsigned count, const Body &body) {
  threads.reserve(count);
  try {
    for (unsigned i = 1; i < count; ++i)
      threads.emplace_back([body, i] { body(i); });
  } catch (const std::system_error &) { // the threads started so far have to do
  }
}

// A future of the result of body(), computed in a thread of its own or, if none can be started, by get().
template <class Body>
auto startOne(const Body &body) {
  try {
    return std::async(std::launch::async, body);
  } catch (const std::system_error &) {
    return std::async(std::launch::deferred, body);
  }
}

} // namespace tilerig
