// A limit on the memory that tensors may take, for work on untrusted files: a model of 100 bytes can ask for
// a tensor of a terabyte, and a system that overcommits memory would kill the process later.
//
//   auto budget = std::make_shared<MemoryBudget>(uint64_t{4} << 30);
//   MemoryScope scope(budget);
//   auto tensor = Tensor::make(...);   // refused where it would pass the limit
//
// While a thread has a MemoryScope, the tensor memory that it allocates is charged to the scope's budget
// until the memory is freed, in whichever thread that happens. Views of files are not charged.
//
// The budget keeps large freed blocks and reuses them for requests of the same size: a network that runs
// repeatedly asks for the same sizes, and fresh memory from the system costs more time than most layers spend
// computing on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace tilerig {

// Storage of tensors is aligned to a cache line, for vectorised kernels.
inline constexpr size_t storageAlignment = 64;

class MemoryBudget {
public:
  explicit MemoryBudget(uint64_t limitBytes) : limitBytes(limitBytes) {}
  ~MemoryBudget();
  MemoryBudget(const MemoryBudget &) = delete;
  MemoryBudget &operator=(const MemoryBudget &) = delete;

  // Allocates a block with undefined content. Null if it would exceed the limit, or if there is no memory.
  std::byte *allocate(size_t bytes);
  // Frees a block from allocate(); `bytes` is the size that was requested.
  void free(std::byte *block, size_t bytes);

  uint64_t limit() const { return limitBytes; }
  // Bytes charged for blocks that have not been freed.
  uint64_t used() const;

private:
  std::byte *reuse(size_t bytes);
  void releaseKept();

  const uint64_t limitBytes;
  mutable std::mutex mutex;
  uint64_t usedBytes = 0, keptBytes = 0;
  std::map<size_t, std::vector<std::byte *>> kept; // freed blocks by size, for reuse
};

// Allocates storage from the thread's budget, or from the heap if the thread has no budget; null if there is
// no memory.
std::shared_ptr<std::byte> allocateStorage(size_t bytes);

// Sets the budget of the current thread for the lifetime of this object. Scopes nest; the innermost applies.
class MemoryScope {
public:
  explicit MemoryScope(std::shared_ptr<MemoryBudget> budget);
  ~MemoryScope();
  MemoryScope(const MemoryScope &) = delete;
  MemoryScope &operator=(const MemoryScope &) = delete;

  // The budget of this thread; null if there is no limit.
  static const std::shared_ptr<MemoryBudget> &current();

private:
  std::shared_ptr<MemoryBudget> outer;
};

// Bytes of memory of this machine, or the memory limit of the control group of the process if that is lower.
uint64_t physicalMemory();

} // namespace tilerig
