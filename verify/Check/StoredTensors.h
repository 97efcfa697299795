// Converts tensors between a model's types and the types in which a program stores them.
#pragma once

#include "isa/Base/Tensor/Tensor.h"
#include "isa/Program/Program.h"

#include <optional>

namespace tilerig::verify {

// Converts a tensor of the emitted ONNX model, whose integers may be wider, to the type in which the program
// stores it. Returns the tensor unchanged if its values do not fit this type.
Tensor asStored(const proto::Tensor &placement, const Tensor &tensor);
// Converts a stored tensor for a comparison with `emitted`, the same tensor of the emitted ONNX model. A
// quantised tensor is dequantised if `emitted` has floats.
Tensor asEmitted(const proto::Tensor &placement, const Tensor &emitted, const Tensor &stored);
// Converts a stored tensor to the type that it has in the emitted ONNX model, dequantising it.
Result<Tensor> asModel(const proto::Tensor &placement, const Tensor &stored);
// Converts a stored tensor to the type `original` that it has in the original model. For example, 8-bit
// inputs and outputs are dequantised if the original has floats.
Result<Tensor> asOriginal(const proto::Tensor &placement, const Tensor &stored, DType original);

// Whether the stored integers of a tensor represent real numbers, that is, whether the tensor has a scale.
bool hasScale(const proto::Tensor &placement);
// Returns the description of a tensor with another type that the tensor has in the model; the stored integers
// remain the same.
proto::Tensor withOutsideType(const proto::Tensor &placement, DType type);

// Pads an int64 tensor, whose size along one axis depends on the data, to the shape that the program
// reserves; unused elements hold −1. Returns the tensor unchanged if it cannot be padded to this shape.
Tensor paddedTo(const Tensor &tensor, const Shape &shape);

} // namespace tilerig::verify
