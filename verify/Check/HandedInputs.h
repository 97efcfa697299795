// The inputs of a check in the types that the program takes, such as 8-bit integers for quantised inputs.
#pragma once

#include "isa/Base/Tensor/TensorMap.h"
#include "isa/Program/Program.h"

namespace tilerig::verify {

struct HandedInputs {
  TensorMap integers; // inputs of a run, in the types that the program takes
  TensorMap reals;    // the real numbers that the integers represent, in the types of the model's inputs
};

// Quantises float inputs by the scale and zero point of the program's input. Other inputs are not changed.
Result<HandedInputs> handOver(const Program &program, const TensorMap &inputs);

} // namespace tilerig::verify
