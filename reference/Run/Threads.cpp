#include "reference/Run/Threads.h"

#include "isa/Base/Tensor/MemoryBudget.h"

#include <algorithm>
#include <exception>
#include <immintrin.h>
#include <system_error>

namespace tilerig::reference {

// A parallel loop with work stealing: each thread first works through its own share in order, then takes
// pieces from the shares of other threads. A thread thus mostly reads elements that it wrote in the previous
// loop and that are still in its cache.
struct Threads::Loop {
  struct alignas(64) Share {
    std::atomic<int64_t> next = 0;
    int64_t end = 0;
  };

  Loop(const std::function<void(int64_t, int64_t)> &body, int64_t size, int64_t step, size_t threads)
      : body(body), step(step), shares(threads) {
    const int64_t pieces = (size + step - 1) / step, count = static_cast<int64_t>(threads);
    for (int64_t i = 0; i < count; ++i) {
      shares[static_cast<size_t>(i)].next = pieces * i / count * step;
      shares[static_cast<size_t>(i)].end = std::min(size, pieces * (i + 1) / count * step);
    }
  }

  const std::function<void(int64_t, int64_t)> &body;
  int64_t step;
  std::vector<Share> shares;
  std::atomic<bool> stopped = false;
  std::once_flag failed{};
  std::exception_ptr failure{}; // the first exception that a loop body threw
  // The memory budget of the calling thread; allocations by the workers are charged to it.
  std::shared_ptr<MemoryBudget> budget = MemoryScope::current();
};

// True while this thread runs a loop body. A parallel loop inside the body then runs on this thread alone,
// because waiting for other threads inside a loop body could cause a deadlock.
static thread_local bool insideLoop = false;

Threads::Threads(unsigned count) {
  if (count == 0)
    count = std::max(1u, std::thread::hardware_concurrency());
  maySpin = count <= std::thread::hardware_concurrency();
  workers.reserve(count);
  try {
    for (unsigned i = 1; i < count; ++i)
      workers.emplace_back([this, i] { work(i); });
  } catch (const std::system_error &) { // no more threads available: continue with those created so far
  }
}

Threads::~Threads() {
  {
    std::lock_guard lock(mutex);
    stopping = true;
  }
  wake.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

// A waiting thread spins before it sleeps: the parallel loops of a network follow each other within
// microseconds, and sleeping and waking take longer.
template <class Condition>
void Threads::spinUntil(Condition condition) const {
  constexpr int spins = 20000;
  for (int i = 0; maySpin && i < spins && !condition(); ++i)
    _mm_pause();
}

void Threads::help(Loop &loop, size_t own) {
  insideLoop = true;
  try {
    for (size_t i = 0; i < loop.shares.size(); ++i) {
      Loop::Share &share = loop.shares[(own + i) % loop.shares.size()];
      for (int64_t begin; !loop.stopped && (begin = share.next.fetch_add(loop.step)) < share.end;)
        loop.body(begin, std::min(begin + loop.step, share.end));
    }
  } catch (...) {
    std::call_once(loop.failed, [&] { loop.failure = std::current_exception(); });
    loop.stopped = true;
  }
  insideLoop = false;
}

void Threads::forEach(int64_t size, int64_t grain, const std::function<void(int64_t, int64_t)> &body) {
  if (size <= 0)
    return;
  if (workers.empty() || insideLoop || size <= grain)
    return body(0, size);
  // The loop is split into several pieces for each thread, so that one delayed thread does not delay the
  // loop.
  int64_t pieces = 4 * static_cast<int64_t>(count());
  Loop loop(body, size, std::max(grain, (size + pieces - 1) / pieces), count());
  {
    std::lock_guard lock(mutex);
    current = &loop;
    ++generation;
  }
  wake.notify_all();
  help(loop, 0);
  // The end of a parallel loop waits only for workers that have begun; others may be late because the
  // processors are busy.
  std::unique_lock lock(mutex);
  current = nullptr;
  lock.unlock();
  spinUntil([&] { return active == 0; });
  lock.lock();
  done.wait(lock, [&] { return active == 0; });
  lock.unlock();
  if (loop.failure)
    std::rethrow_exception(loop.failure);
}

void Threads::work(size_t index) {
  uint64_t seen = 0;
  for (;;) {
    spinUntil([&] { return generation != seen; });
    std::unique_lock lock(mutex);
    wake.wait(lock, [&] { return stopping || (current && generation != seen); });
    if (stopping)
      return;
    seen = generation;
    Loop *loop = current;
    ++active;
    lock.unlock();
    {
      MemoryScope scope(loop->budget);
      help(*loop, index);
    }
    lock.lock();
    if (--active == 0)
      done.notify_one();
  }
}

} // namespace tilerig::reference
