// Inputs of a run: generated from a seed, or read from a file.
#pragma once

#include "isa/Base/Tensor/TensorMap.h"
#include "isa/Program/Program.h"

namespace tilerig::emulator {

// Random values for every input of a program. The reference generates the same values from the same seed for
// an input of the same name, type and shape (isa/Base/Tensor/SeededTensor.h).
Result<TensorMap> seededInputs(const Program &program, uint64_t seed);

// Reads inputs from a file. A numpy file stores bfloat16 as its bits in uint16; only the program tells which
// inputs are bfloat16. With `steps`, an input may have one tensor for each of so many steps (RunLoop.h).
Result<TensorMap> readInputs(const Program &program, const std::string &path, unsigned steps = 0);

} // namespace tilerig::emulator
