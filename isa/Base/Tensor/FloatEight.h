// 8-bit floats of ONNX (float8e4m3fn, float8e5m2), which models use to store weights. Tensors hold them as float32,
// which has all their values.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

#include <span>

namespace tilerig {

// Whether this is the number of one of these types in onnx.TensorProto.DataType.
bool isFloatEight(int64_t number);

// Widens floats of the type with this number to float32. Refuses another number of bytes than the shape needs.
Result<Tensor> widenedFloatEight(int64_t number, const Shape &shape, std::span<const std::byte> bytes);

} // namespace tilerig
