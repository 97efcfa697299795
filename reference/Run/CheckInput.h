// Checks an input tensor against the declaration of the model.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Base/Tensor/Tensor.h"
#include "reference/Model/Graph.h"

namespace tilerig::reference {

// Returns an error if an input has another type or shape than the model declares for it.
Status checkInput(const Value &value, DType dtype, const Shape &shape);

} // namespace tilerig::reference
