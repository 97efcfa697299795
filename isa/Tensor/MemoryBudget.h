// A limit on the memory that tensors may take, for work on files from strangers: a model of 100 bytes can ask
// for a tensor of a terabyte, and a system that promises memory it does not have kills the process later.
//
//   auto budget = std::make_shared<MemoryBudget>(uint64_t{4} << 30);
//   MemoryScope scope(budget);
//   auto tensor = Tensor::make(...);   // refused where it would pass the limit
//
// What a thread allocates for tensors while a scope of its own lives is charged to the scope's budget until
// it is freed, wherever that is. Views of files cost nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace tilerig {

class MemoryBudget {
public:
  explicit MemoryBudget(uint64_t limitBytes) : limitBytes(limitBytes) {}

  // False, and nothing taken, where the limit would be passed.
  bool take(uint64_t bytes);
  void giveBack(uint64_t bytes) { usedBytes -= bytes; }

  uint64_t limit() const { return limitBytes; }
  uint64_t used() const { return usedBytes; }

private:
  const uint64_t limitBytes;
  std::atomic<uint64_t> usedBytes{0};
};

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
