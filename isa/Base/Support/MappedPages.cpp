#include "isa/Base/Support/MappedPages.h"

#include <algorithm>
#include <cstdint>
#include <sys/mman.h>

namespace tilerig {

// On a page fault the kernel also maps neighbouring cached pages, in an aligned window of this many bytes. An
// access to the first page of `part` may thus have mapped earlier pages of the same window. Therefore memory
// is released from the beginning of that window on.
static constexpr uintptr_t pagesAtOnce = 1 << 16;

void releasePages(std::span<const std::byte> part, std::span<const std::byte> file) {
  if (part.empty())
    return;
  const auto begin = reinterpret_cast<uintptr_t>(part.data());
  const uintptr_t first =
      std::max(reinterpret_cast<uintptr_t>(file.data()), begin / pagesAtOnce * pagesAtOnce);
  // Releases whole pages, a few more than `part` occupies. If another thread is reading the additional pages,
  // the kernel loads them again. madvise is only a hint: if it fails, memory stays in use and nothing else
  // happens.
  ::madvise(reinterpret_cast<void *>(first), begin + part.size() - first, MADV_DONTNEED);
}

} // namespace tilerig
