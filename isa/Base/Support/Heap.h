// The memory that programs allocate and free.
#pragma once

namespace tilerig {

// Gives freed memory back to the system. The allocator keeps it otherwise, so that a program that has freed much still
// takes it from others, and the next steps may not fit it. Takes some milliseconds for each 100 MB.
void returnFreedMemory();

} // namespace tilerig
