// Releases pages of memory-mapped files (File.h), for reading files that are larger than memory.
#pragma once

#include <cstddef>
#include <span>

namespace tilerig {

// Frees the memory that holds `part` of the mapped file `file`; the next access reads it again from disk.
// Only for read-only mapped files: other memory would lose its content.
void releasePages(std::span<const std::byte> part, std::span<const std::byte> file);

} // namespace tilerig
