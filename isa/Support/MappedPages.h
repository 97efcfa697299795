// For those who go through mapped files (File.h) that are larger than memory.
#pragma once

#include <cstddef>
#include <span>

namespace tilerig {

// Gives back the memory that a part of a mapped file takes, `file` being all of it; it is read anew when
// somebody looks again. Only for mapped files: other memory would lose what it holds.
void releasePages(std::span<const std::byte> part, std::span<const std::byte> file);

} // namespace tilerig
