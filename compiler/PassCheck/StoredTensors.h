// Converts tensors of the model to the types in which layers store them, and back.
#pragma once

#include "compiler/PassCheck/Expressions.h"
#include "isa/Base/Tensor/Tensor.h"

namespace tilerig::compiler {

// Converts elements to the type `element`: quantises them with its scale, or rounds them to the float type.
// With `keepsDoubles`, doubles are not rounded to float32. Elements that already have the type are returned
// unchanged.
Result<Tensor> storedTensor(const Tensor &elements, mlir::Type element, bool keepsDoubles);

// Converts a tensor, as a layer stores it, to the form that users see: in the model's order of axes, and
// dequantised if it is a result that the machine returns as integers.
Tensor seenTensor(const Tensor &stored, const NamedValue &value);
// The reals that stored elements represent; unchanged if they are not quantised.
Tensor realsOf(const Tensor &stored, mlir::Type element);

} // namespace tilerig::compiler
