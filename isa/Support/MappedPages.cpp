#include "isa/Support/MappedPages.h"

#include <cstdint>
#include <sys/mman.h>
#include <unistd.h>

namespace tilerig {

void releasePages(std::span<const std::byte> part) {
  if (part.empty())
    return;
  static const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  // Whole pages, those at its ends among them: who looks at their other bytes just then reads them again.
  const auto begin = reinterpret_cast<uintptr_t>(part.data());
  const uintptr_t first = begin / page * page;
  // An advice: where the system does not take it, memory is all that is lost.
  ::madvise(reinterpret_cast<void *>(first), begin + part.size() - first, MADV_DONTNEED);
}

} // namespace tilerig
