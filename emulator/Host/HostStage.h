// A stage of the host: its kernel on tensors that it takes from the memories and puts back.
#pragma once

#include "emulator/Memory/Memories.h"

namespace tilerig {

// The operations that it took, where they depend on values. There is a kernel of that name.
Result<std::optional<uint64_t>> runHostStage(const Program &program, const proto::HostWork &work,
                                             Memories &memories);

} // namespace tilerig
