// What a run takes of the host's memory, known from the program before anything is allocated: a program of a
// few kilobytes can declare tensors of gigabytes.
#pragma once

#include "isa/Program/Program.h"

#include <string>
#include <vector>

namespace tilerig {

struct MemoryRequest {
  std::string program; // for messages
  std::vector<std::string> captured;
  bool capturesAll = false;
  uint64_t limitBytes = 0;
};

// Counted are inputs, outputs and captured tensors in the types of the model, and all tensors as the
// machine's memories hold them. Refuses a program that needs more than the limit, and names its largest
// tensor.
Status checkRunMemory(const Program &program, const MemoryRequest &request);

} // namespace tilerig
