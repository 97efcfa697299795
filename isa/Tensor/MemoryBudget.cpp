#include "isa/Tensor/MemoryBudget.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <unistd.h>
#include <utility>

namespace tilerig {

static thread_local std::shared_ptr<MemoryBudget> innermost;

bool MemoryBudget::take(uint64_t bytes) {
  uint64_t before = usedBytes;
  do
    if (bytes > limitBytes || before > limitBytes - bytes)
      return false;
  while (!usedBytes.compare_exchange_weak(before, before + bytes));
  return true;
}

MemoryScope::MemoryScope(std::shared_ptr<MemoryBudget> budget)
    : outer(std::exchange(innermost, std::move(budget))) {}
MemoryScope::~MemoryScope() { innermost = std::move(outer); }

const std::shared_ptr<MemoryBudget> &MemoryScope::current() { return innermost; }

// "max" where the group has no limit; no file where there are no groups.
static uint64_t limitOfGroup() {
  for (const char *path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    uint64_t limit = 0;
    if (std::ifstream(path) >> limit)
      return limit;
  }
  return UINT64_MAX;
}

uint64_t physicalMemory() {
  auto pages = static_cast<uint64_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES)));
  auto pageBytes = static_cast<uint64_t>(std::max(0L, ::sysconf(_SC_PAGESIZE)));
  return std::min(pages * pageBytes, limitOfGroup());
}

} // namespace tilerig
