// A stage of the host: its kernel on tensors that it takes from the memories and puts back.
#pragma once

#include "emulator/Memory/Memories.h"

namespace tilerig {

// There is a kernel of that name.
Status runHostStage(const Program &program, const proto::HostWork &work, Memories &memories);

} // namespace tilerig
