// Converts tensors between the model's element type and the type that the program stores.
//
// If the two types are the same, elements are copied bit for bit. Floats are stored as fp16, bf16 or fp32
// with one rounding, or quantised as by QuantizeLinear (division by the scale, half to even, saturation) and
// converted back by DequantizeLinear. An integer of the model that does not fit into the stored type is an
// error; it is never clamped.
#pragma once

#include "isa/Base/Tensor/Tensor.h"
#include "isa/Program/StoredType.h"

namespace tilerig::emulator {

Shape shapeOf(const proto::Tensor &placement);
// modelDType: the tensor's element type in the model. storedDType: the host type that holds the bits of the
// type in which the program stores the tensor; for i9 it is int16.
DType modelDType(const proto::Tensor &placement);
DType storedDType(const proto::Tensor &placement);

// toStored converts a tensor of the model's type to the stored type and keeps the shape; fromStored converts
// back.
Result<Tensor> toStored(const proto::Tensor &placement, const Tensor &tensor);
Result<Tensor> fromStored(const proto::Tensor &placement, const Tensor &stored);

} // namespace tilerig::emulator
