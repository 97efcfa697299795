// Runs a host stage: gathers the input tensors from the memories, calls the kernel, and stores its outputs.
#pragma once

#include "emulator/Memory/Memories.h"

namespace tilerig::emulator {

// Returns the number of operations, where it depends on values. The operator must have a kernel.
Result<std::optional<uint64_t>> runHostStage(const Program &program, const proto::HostWork &work,
                                             Memories &memories);

} // namespace tilerig::emulator
