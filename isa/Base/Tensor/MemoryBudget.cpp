#include "isa/Base/Tensor/MemoryBudget.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace tilerig {

static thread_local std::shared_ptr<MemoryBudget> innermost;

// Bytes charged for every block in addition to its size: an estimate for the heap and the owning pointers.
static constexpr size_t blockOverhead = 128;

// Freed blocks of at least `leastKept` bytes are kept for reuse, at most `mostKept` bytes in total.
static constexpr size_t leastKept = size_t{1} << 14;
#ifdef __SANITIZE_ADDRESS__
static constexpr uint64_t mostKept = 0; // no block is kept, so that ASan detects uses after free
#else
static constexpr uint64_t mostKept = uint64_t{1} << 28;
#endif

// Rows of a large tensor lie several pages apart, so walking down a column causes a TLB miss at every step.
// Large pages reduce the number of TLB misses.
static constexpr size_t largePage = size_t{1} << 21;

static std::align_val_t alignmentOf(size_t bytes) {
  return std::align_val_t{bytes < largePage ? storageAlignment : largePage};
}
static std::byte *allocateBlock(size_t bytes) {
  auto block = static_cast<std::byte *>(::operator new(bytes, alignmentOf(bytes), std::nothrow));
  if (block && bytes >= largePage)
    ::madvise(block, bytes, MADV_HUGEPAGE); // madvise is only a hint, which the kernel may ignore
  return block;
}
static void freeBlock(std::byte *block, size_t bytes) { ::operator delete(block, alignmentOf(bytes)); }

MemoryBudget::~MemoryBudget() { releaseKept(); }

uint64_t MemoryBudget::used() const {
  std::lock_guard lock(mutex);
  return usedBytes;
}

void MemoryBudget::releaseKept() {
  for (const auto &[bytes, blocks] : kept)
    for (std::byte *block : blocks)
      freeBlock(block, bytes);
  kept.clear();
  keptBytes = 0;
}

std::byte *MemoryBudget::reuse(size_t bytes) {
  auto entry = kept.find(bytes);
  if (entry == kept.end() || entry->second.empty())
    return nullptr;
  std::byte *block = entry->second.back();
  entry->second.pop_back();
  keptBytes -= bytes;
  return block;
}

std::byte *MemoryBudget::allocate(size_t bytes) {
  uint64_t charge = uint64_t{bytes} + blockOverhead;
  std::unique_lock lock(mutex);
  if (charge > limitBytes || usedBytes > limitBytes - charge)
    return nullptr;
  usedBytes += charge;
  if (std::byte *block = reuse(bytes))
    return block;
  if (keptBytes > limitBytes - usedBytes)
    releaseKept();
  lock.unlock();
  std::byte *block = allocateBlock(bytes);
  if (block)
    return block;
  // The freed blocks that this budget keeps for reuse may be the memory that the system lacks: free them and
  // try again.
  lock.lock();
  releaseKept();
  block = allocateBlock(bytes);
  usedBytes -= block ? 0 : charge;
  return block;
}

void MemoryBudget::free(std::byte *block, size_t bytes) {
  std::lock_guard lock(mutex);
  usedBytes -= uint64_t{bytes} + blockOverhead;
  if (bytes < leastKept || bytes > mostKept || keptBytes > mostKept - bytes)
    return freeBlock(block, bytes);
  try {
    kept[bytes].push_back(block);
    keptBytes += bytes;
  } catch (const std::bad_alloc &) {
    freeBlock(block, bytes);
  }
}

std::shared_ptr<std::byte> allocateStorage(size_t bytes) {
  const std::shared_ptr<MemoryBudget> &budget = MemoryScope::current();
  if (!budget) {
    std::byte *block = allocateBlock(bytes);
    return block ? std::shared_ptr<std::byte>(block, [bytes](std::byte *freed) { freeBlock(freed, bytes); })
                 : nullptr;
  }
  std::byte *block = budget->allocate(bytes);
  if (!block)
    return nullptr;
  return {block, [budget, bytes](std::byte *freed) { budget->free(freed, bytes); }};
}

MemoryScope::MemoryScope(std::shared_ptr<MemoryBudget> budget)
    : outer(std::exchange(innermost, std::move(budget))) {}
MemoryScope::~MemoryScope() { innermost = std::move(outer); }

const std::shared_ptr<MemoryBudget> &MemoryScope::current() { return innermost; }

// The memory limit of the control group (cgroup) of this process. The limit's file contains "max" if there is
// none, and is missing on a system without control groups.
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
