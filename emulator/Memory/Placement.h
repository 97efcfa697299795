// Tensors of the model between the host and where a program keeps them: cut into pieces, laid out, stored in
// another type.
//
// A type that both sides have moves bit for bit. Floats become fp16, bf16 and fp32 with one rounding, and
// quantised integers as QuantizeLinear makes them (division by the scale, half to even, saturation), and back
// by DequantizeLinear. Integers that do not fit are refused, never bent.
#pragma once

#include "emulator/Memory/Memories.h"
#include "isa/Tensor/Tensor.h"

namespace tilerig {

// Writes a tensor to all of its pieces. Refused if type or shape are not those of the model.
Status placeTensor(const proto::Tensor &placement, const Tensor &tensor, Memories &memories);
// Reads it from its pieces, which together hold every element.
Result<Tensor> collectTensor(const proto::Tensor &placement, Memories &memories);

} // namespace tilerig
