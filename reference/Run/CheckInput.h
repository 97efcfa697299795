// What a model says of its inputs, held against what it is given.
#pragma once

#include "isa/Support/Error.h"
#include "isa/Tensor/Tensor.h"
#include "reference/Model/Graph.h"

namespace tilerig::reference {

// Refuses a tensor of a type or shape that the model does not declare for the input.
Status checkInput(const Value &value, DType dtype, const Shape &shape);

} // namespace tilerig::reference
