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

// Integers whose size along one axis depends on values, in the shape that programs reserve: what is reserved
// and not used holds −1. As it is where it has the shape already, or where other sizes differ.
Tensor inRoom(const Tensor &tensor, const Shape &shape);

} // namespace tilerig::verify
