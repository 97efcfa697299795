// How much memory work on a file may take where the user does not say: a file of a few kilobytes can ask for
// any amount.
#pragma once

#include <cstdint>

namespace tilerig {

// 4 GiB and a hundred times the bytes of the files, but no more than three quarters of physical memory.
uint64_t usualMemoryLimit(uint64_t fileBytes);

} // namespace tilerig
