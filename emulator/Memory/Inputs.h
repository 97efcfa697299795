// The inputs of a program into its memories.
#pragma once

#include "emulator/Memory/Memories.h"
#include "isa/Tensor/TensorMap.h"

namespace tilerig {

// All inputs must be given, and nothing else.
Status placeInputs(const Program &program, const TensorMap &inputs, Memories &memories);

} // namespace tilerig
