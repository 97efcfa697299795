// The memory that programs allocate and free.
#pragma once

namespace tilerig {

// Gives freed memory back to the system. Otherwise the allocator keeps it, the process stays as large as it ever was, and
// later steps may run out of memory. Takes some milliseconds for each 100 MB.
void returnFreedMemory();

} // namespace tilerig
