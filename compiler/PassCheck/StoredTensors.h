// Tensors of the model in the types in which layers store them, and back.
#pragma once

#include "compiler/PassCheck/Expressions.h"
#include "isa/Base/Tensor/Tensor.h"

namespace tilerig::compiler {

// The elements as a value of this type stores them: quantised with its scale, or rounded to its float type.
// Floats of 32 bits stay doubles if `keepsDoubles`. Elements that are stored in the type already stay as they
// are.
Result<Tensor> storedTensor(const Tensor &elements, mlir::Type element, bool keepsDoubles);

// The tensor as users see it, whose axes have the order of the model: the host dequantises it if it is a
// result that leaves the machine as integers.
Tensor seenTensor(const Tensor &stored, const NamedValue &value);
// The reals that stored elements represent; unchanged if they are not quantised.
Tensor realsOf(const Tensor &stored, mlir::Type element);

} // namespace tilerig::compiler
