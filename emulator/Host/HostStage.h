// Runs a host stage: gathers the input tensors from the memories, calls the kernel, and stores its outputs.
#pragma once

#include "emulator/Host/Framework.h"
#include "emulator/Memory/Memories.h"

namespace tilerig::emulator {

// Returns the number of arithmetic operations that the host computed, if that number depends on data values.
// The emulator must have a kernel for the operator (findHostKernel).
Result<std::optional<uint64_t>> runHostStage(const Program &program, const proto::HostWork &work,
                                             Memories &memories, Framework *framework);

} // namespace tilerig::emulator
