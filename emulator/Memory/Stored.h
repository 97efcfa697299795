// Elements of the model's type and of the type that the program stores, one tensor into the other.
//
// A type that both sides have moves bit for bit. Floats become fp16, bf16 and fp32 with one rounding, and
// quantised integers as QuantizeLinear makes them (division by the scale, half to even, saturation), and back
// by DequantizeLinear. Integers that do not fit are refused, never bent.
#pragma once

#include "isa/Instructions/Types.h"
#include "isa/Program/Program.h"
#include "isa/Tensor/Tensor.h"

namespace tilerig {

ElementType storedTypeOf(const proto::Tensor &placement);
Shape shapeOf(const proto::Tensor &placement);
// The model's type, and the host's type that has the bits of the stored one: int16 for i9.
DType modelDType(const proto::Tensor &placement);
DType storedDType(const proto::Tensor &placement);

// `tensor` has the model's type; the result has the stored one, and the same shape.
Result<Tensor> toStored(const proto::Tensor &placement, const Tensor &tensor);
Result<Tensor> fromStored(const proto::Tensor &placement, const Tensor &stored);

} // namespace tilerig
