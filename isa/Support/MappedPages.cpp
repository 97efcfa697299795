#include "isa/Support/MappedPages.h"

#include <algorithm>
#include <cstdint>
#include <sys/mman.h>

namespace tilerig {

// Who looks at a page gets its neighbours as well, as far as they are at hand: so much at once, and beginning
// at a multiple of it. Those in front of a part come back with its first page.
static constexpr uintptr_t pagesAtOnce = 1 << 16;

void releasePages(std::span<const std::byte> part, std::span<const std::byte> file) {
  if (part.empty())
    return;
  const auto begin = reinterpret_cast<uintptr_t>(part.data());
  const uintptr_t first =
      std::max(reinterpret_cast<uintptr_t>(file.data()), begin / pagesAtOnce * pagesAtOnce);
  // Whole pages, and some more than the part has: who looks at these just then reads them again. An advice:
  // where the system does not take it, memory is all that is lost.
  ::madvise(reinterpret_cast<void *>(first), begin + part.size() - first, MADV_DONTNEED);
}

} // namespace tilerig
