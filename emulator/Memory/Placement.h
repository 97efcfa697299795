// Tensors of the model between the host and where a program keeps them: stored in another type (Stored.h),
// cut into pieces and laid out (Box.h).
#pragma once

#include "emulator/Memory/Memories.h"
#include "isa/Tensor/Tensor.h"

namespace tilerig {

// Refused if type or shape are not those of the model.
Status checkTensor(const proto::Tensor &placement, DType dtype, const Shape &shape);
// Writes a tensor to all of its pieces. Refused if type or shape are not those of the model.
Status placeTensor(const proto::Tensor &placement, const Tensor &tensor, Memories &memories);
// Reads it from its pieces, which together hold every element; of several copies the first counts.
Result<Tensor> collectTensor(const proto::Tensor &placement, Memories &memories);

} // namespace tilerig
