// For those who go through mapped files (File.h) that are larger than memory.
#pragma once

#include <cstddef>
#include <span>

namespace tilerig {

// Gives back the memory that a part of a mapped file takes; it is read anew when somebody looks again. Only
// for mapped files: other memory would lose what it holds.
void releasePages(std::span<const std::byte> part);

} // namespace tilerig
