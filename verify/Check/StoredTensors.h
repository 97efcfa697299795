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

// What has as many rows as values decide, in a room of so many rows as programs reserve: the rows that there
// are not hold −1. As it is where it has the shape already, or is nothing of the kind.
Tensor inRoom(const Tensor &tensor, const Shape &shape);

} // namespace tilerig::verify
