// Estimates the host memory that a run needs, before anything is allocated: a program file of a few kilobytes
// can declare tensors of gigabytes.
#pragma once

#include "isa/Program/Program.h"

#include <string>
#include <vector>

namespace tilerig::emulator {

struct MemoryRequest {
  std::string program; // path of the program, for messages
  std::vector<std::string> captured;
  bool capturesAll = false;
  uint64_t limitBytes = 0;
};

// The estimate counts inputs, outputs and captured tensors in the model's types, and all tensors as the
// machine's memories hold them. Returns an error, which names the largest tensor, if the program needs more
// than the limit.
Status checkRunMemory(const Program &program, const MemoryRequest &request);

} // namespace tilerig::emulator
