// The default memory limit for work on a file when the user gives none: a file of a few kilobytes can ask for
// any amount of memory.
#pragma once

#include <cstdint>

namespace tilerig {

// 4 GiB plus 100 times the bytes of the files, but at most three quarters of the physical memory.
uint64_t usualMemoryLimit(uint64_t fileBytes);

} // namespace tilerig
