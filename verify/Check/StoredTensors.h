// Tensors of a model in the types in which a program stores them, and back.
#pragma once

#include "isa/Program/Program.h"
#include "isa/Tensor/Tensor.h"

#include <optional>

namespace tilerig::verify {

// What the emitted model holds, in the host's type of the stored one: integers may be wider there. As it is
// where they do not fit, or are no integers: a comparison then says so.
Tensor asStored(const proto::Tensor &placement, const Tensor &tensor);
// In the model's type, dequantised.
Result<Tensor> asModel(const proto::Tensor &placement, const Tensor &stored);
// In the type of the same tensor in the original model: of a program's 8-bit input or output that is a float
// there, the reals that its integers stand for.
Result<Tensor> asOriginal(const proto::Tensor &placement, const Tensor &stored, DType original);

// Whether the integers that the program stores stand for reals.
bool hasScale(const proto::Tensor &placement);
// The tensor as one that has another type outside the program, and the same integers inside.
proto::Tensor withOutsideType(const proto::Tensor &placement, DType type);

// Integers whose size along one axis depends on values, in the shape that programs reserve: what is reserved
// and not used holds −1. As it is where it has the shape already, or where other sizes differ.
Tensor inRoom(const Tensor &tensor, const Shape &shape);

} // namespace tilerig::verify
