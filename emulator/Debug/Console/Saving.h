// Writes what the debugger sees into files.
#pragma once

#include "emulator/Debug/Debugger.h"

namespace tilerig::emulator {

// Elements of a memory as they are now. Bytes that nothing has written are 0.
struct MemoryTensor {
  Tensor tensor;
  uint64_t unwritten = 0; // number of such bytes
};
// An error if the elements do not lie within the memory.
Result<MemoryTensor> memoryAsTensor(const Debugger &debugger, const Location &location, uint64_t count,
                                    ElementType type);

// Writes a tensor into a .npy file, and says so.
Result<std::string> saveTo(const std::string &file, const Tensor &tensor);

} // namespace tilerig::emulator
