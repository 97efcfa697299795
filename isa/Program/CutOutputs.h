// Outputs whose shape depends on the values of other tensors. The program computes such an output at the greatest sizes
// that it can have, and its sizes as another output; the host cuts the first by the second.
#pragma once

#include "isa/Base/Tensor/TensorMap.h"
#include "isa/Program/Program.h"

namespace tilerig {

// The name of the output with the sizes of a tensor; empty if its shape does not depend on data.
std::string sizesOf(const Program &program, const std::string &name);

// Cuts every tensor among `tensors` for which the program states sizes. Tensors of sizes are left out of the result, unless
// `keepsSizes` is set. An error if sizes are not among the tensors, or are larger than the tensor that they cut.
Result<TensorMap> cutToSizes(const Program &program, TensorMap tensors, bool keepsSizes = false);

} // namespace tilerig
