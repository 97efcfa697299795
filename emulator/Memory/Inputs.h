// The inputs of a program into its memories.
#pragma once

#include "emulator/Memory/Memories.h"
#include "isa/Tensor/TensorMap.h"

namespace tilerig {

// Of a tensor that is to be an input.
Status checkInput(const Program &program, const std::string &name, DType dtype, const Shape &shape);
// All inputs must be given, and nothing else.
Status placeInputs(const Program &program, const TensorMap &inputs, Memories &memories);

} // namespace tilerig
