// The inputs as the host hands them to a program: 8-bit integers where the program was compiled to take
// those.
#pragma once

#include "isa/Program/Program.h"
#include "isa/Tensor/TensorMap.h"

namespace tilerig::verify {

struct HandedInputs {
  TensorMap integers; // in the types of the program's inputs
  TensorMap reals;    // what these stand for, in the types of the model's inputs
};

// Converts float inputs by the scale and zero point of the program's input. Other inputs are the same in
// both.
Result<HandedInputs> handOver(const Program &program, const TensorMap &inputs);

} // namespace tilerig::verify
