// A stage of the host: its kernel on tensors in DDR.
#pragma once

#include "emulator/Memory/Memories.h"

namespace tilerig {

// The kernel is in the table.
Status runHostWork(const Program &program, const proto::HostWork &work, Memories &memories);

} // namespace tilerig
