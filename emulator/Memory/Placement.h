// Moves tensors of the model between the host and the place where a program keeps them: converted to the
// stored type (Stored.h), split into pieces and laid out (Box.h).
#pragma once

#include "emulator/Memory/Memories.h"
#include "isa/Base/Tensor/Tensor.h"

namespace tilerig::emulator {

// Checks a tensor that is given for the program's tensor `placement`: returns an error if its type or shape
// differs from that of the model.
Status checkTensor(const proto::Tensor &placement, DType dtype, const Shape &shape);
// Writes a tensor to all memory pieces that `placement` lists. Returns an error if its type or shape differs
// from that of the model.
Status placeTensor(const proto::Tensor &placement, const Tensor &tensor, Memories &memories);
// Reads a tensor from its pieces, which together hold every element; of an element that is stored several
// times, the first copy is used.
Result<Tensor> collectTensor(const proto::Tensor &placement, Memories &memories);

} // namespace tilerig::emulator
