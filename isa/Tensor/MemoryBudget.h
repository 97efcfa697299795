// A limit on the memory that tensors may take, for work on files from strangers: a model of 100 bytes can ask
// for a tensor of a terabyte, and a system that promises memory it does not have kills the process later.
//
//   auto budget = std::make_shared<MemoryBudget>(uint64_t{4} << 30);
//   MemoryScope scope(budget);
//   auto tensor = Tensor::make(...);   // refused where it would pass the limit
//
// What a thread allocates for tensors while a scope of its own lives is charged to the scope's budget until
// it is freed, wherever that is. Views of files cost nothing.
//
// Large blocks that are freed stay with the budget for the next that asks for as many bytes: a network run
// again and again asks for the same ones, and memory fresh from the system costs more than most layers do
// with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace tilerig {

// Allocated storage is aligned to a cache line, for kernels that like vectors.
inline constexpr size_t storageAlignment = 64;

class MemoryBudget {
public:
  explicit MemoryBudget(uint64_t limitBytes) : limitBytes(limitBytes) {}
  ~MemoryBudget();
  MemoryBudget(const MemoryBudget &) = delete;
  MemoryBudget &operator=(const MemoryBudget &) = delete;

  // Null where the limit would be passed, or where there is no memory. Any content.
  std::byte *allocate(size_t bytes);
  // A block from allocate(), with the size that it was asked for.
  void free(std::byte *block, size_t bytes);

  uint64_t limit() const { return limitBytes; }
  // By blocks that are not freed.
  uint64_t used() const;

private:
  std::byte *reuse(size_t bytes);
  void releaseKept();

  const uint64_t limitBytes;
  mutable std::mutex mutex;
  uint64_t usedBytes = 0, keptBytes = 0;
  std::map<size_t, std::vector<std::byte *>> kept; // by size
};

// Storage from the thread's budget, or from the heap where it has none; null where that has no memory.
std::shared_ptr<std::byte> allocateStorage(size_t bytes);

// Scopes nest; the innermost counts.
class MemoryScope {
public:
  explicit MemoryScope(std::shared_ptr<MemoryBudget> budget);
  ~MemoryScope();
  MemoryScope(const MemoryScope &) = delete;
  MemoryScope &operator=(const MemoryScope &) = delete;

  // Of this thread; null where there is no limit.
  static const std::shared_ptr<MemoryBudget> &current();

private:
  std::shared_ptr<MemoryBudget> outer;
};

// What this machine, or the control group that the process lives in, has in bytes.
uint64_t physicalMemory();

} // namespace tilerig
