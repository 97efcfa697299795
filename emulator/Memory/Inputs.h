// Places the inputs of a program into its memories.
#pragma once

#include "emulator/Memory/Memories.h"
#include "isa/Base/Tensor/TensorMap.h"

namespace tilerig::emulator {

// Checks that the program has an input of that name, type and shape.
Status checkInput(const Program &program, const std::string &name, DType dtype, const Shape &shape);
// Writes the inputs to the memories. Exactly the program's inputs must be given.
Status placeInputs(const Program &program, const TensorMap &inputs, Memories &memories);

} // namespace tilerig::emulator
