// An operand that several instructions read, laid out for the kernels once for all of them.
//
// The first instruction begins to fill the buffer, and instructions that arrive meanwhile help, part by part.
// After the last reader has finished, the buffer returns to its pool, and the next run of the program fills a
// buffer again.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace tilerig::emulator::pod {

// A pool of reusable buffers with undefined contents.
class BufferPool {
public:
  std::vector<std::byte> take(size_t bytes) {
    std::vector<std::byte> buffer;
    {
      std::lock_guard lock(mutex);
      if (!buffers.empty()) {
        buffer = std::move(buffers.back());
        buffers.pop_back();
      }
    }
    if (buffer.size() < bytes)
      buffer.resize(bytes);
    return buffer;
  }
  void giveBack(std::vector<std::byte> buffer) {
    std::lock_guard lock(mutex);
    buffers.push_back(std::move(buffer));
  }

private:
  std::mutex mutex;
  std::vector<std::vector<std::byte>> buffers;
};

class SharedOperand {
public:
  explicit SharedOperand(BufferPool &pool) : pool(pool) {}

  // Registers an instruction that reads the shared operand; called once for each such instruction, before the
  // first run.
  void addReader() { left = ++readers; }

  // Returns a buffer of `bytes` bytes that holds the operand; it has been filled by calls of fill(data,
  // part), one for every part.
  template <class Fill>
  const std::byte *get(size_t bytes, uint32_t parts, Fill fill) {
    {
      std::lock_guard lock(mutex);
      if (buffer.size() < bytes + alignment)
        buffer = pool.take(bytes + alignment);
    }
    const auto at = reinterpret_cast<uintptr_t>(buffer.data());
    auto *data = reinterpret_cast<std::byte *>((at + alignment - 1) / alignment * alignment);
    for (uint32_t part; (part = next.fetch_add(1, std::memory_order_relaxed)) < parts;) {
      fill(data, part);
      filled.fetch_add(1, std::memory_order_release);
    }
    while (filled.load(std::memory_order_acquire) < parts)
      std::this_thread::yield();
    return data;
  }
  // Releases the buffer of the shared operand; every instruction that reads the operand must call this when
  // it has finished.
  void release() {
    if (left.fetch_sub(1, std::memory_order_acq_rel) > 1)
      return;
    pool.giveBack(std::exchange(buffer, {}));
    next = filled = 0;
    left = readers;
  }

private:
  static constexpr size_t alignment = 64;

  BufferPool &pool;
  std::mutex mutex;
  std::vector<std::byte> buffer;
  std::atomic<uint32_t> next{0}, filled{0}, left{0};
  uint32_t readers = 0;
};

} // namespace tilerig::emulator::pod
