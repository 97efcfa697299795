// Threads as far as there are any: an operating system that gives no more, because a limit is reached, is no
// reason to fail where results do not depend on how many there are.
#pragma once

#include <future>
#include <system_error>
#include <vector>

namespace tilerig {

// Besides the calling thread, which is the first: body(1), body(2), … up to body(count - 1), or fewer.
template <class Thread, class Body>
void startThreads(std::vector<Thread> &threads, unsigned count, const Body &body) {
  threads.reserve(count);
  try {
    for (unsigned i = 1; i < count; ++i)
      threads.emplace_back([body, i] { body(i); });
  } catch (const std::system_error &) { // these have to do
  }
}

// What it gives, from a thread of its own, or computed by whoever asks for it.
template <class Body>
auto startOne(const Body &body) {
  try {
    return std::async(std::launch::async, body);
  } catch (const std::system_error &) {
    return std::async(std::launch::deferred, body);
  }
}

} // namespace tilerig
