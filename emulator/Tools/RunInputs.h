// What goes into a run.
#pragma once

#include "isa/Program/Program.h"
#include "isa/Tensor/TensorMap.h"

namespace tilerig {

// Values for every input of a program, from a seed: floats even in -1 ... 1, integers even over their range,
// from 16 bits on in -100 ... 100 (0 ... 200 if unsigned).
Result<TensorMap> seededInputs(const Program &program, uint64_t seed);

// From a file. Those of numpy hold bfloat16 as its bits, uint16; only the program tells which they are.
Result<TensorMap> readInputs(const Program &program, const std::string &path);

} // namespace tilerig
