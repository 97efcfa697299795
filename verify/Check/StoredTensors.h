// Converts tensors between a model's types and the types in which a program stores them.
#pragma once

#include "isa/Base/Tensor/Tensor.h"
#include "isa/Program/Program.h"

#include <optional>

namespace tilerig::verify {

// Converts a tensor of the emitted ONNX model to the type in which the program stores it: integers may be
// wider in the ONNX model. Returns the tensor unchanged if values do not fit or are not integers; a
// comparison then reports the difference.
Tensor asStored(const proto::Tensor &placement, const Tensor &tensor);
// Returns a stored tensor in the form that is compared with `emitted`, the same tensor of the compiled ONNX
// model: dequantised if `emitted` has floats and the stored integers represent real numbers, for example if
// the host dequantises an output.
Tensor asEmitted(const proto::Tensor &placement, const Tensor &emitted, const Tensor &stored);
// Converts a stored tensor to the type that it has in the emitted ONNX model, dequantising it.
Result<Tensor> asModel(const proto::Tensor &placement, const Tensor &stored);
// Converts a stored tensor to the type `original` that the tensor has in the original model: inputs and
// outputs that are stored in 8 bits, but are floats in the original, are dequantised.
Result<Tensor> asOriginal(const proto::Tensor &placement, const Tensor &stored, DType original);

// Whether the stored integers of a tensor represent real numbers, that is, whether the tensor has a scale.
bool hasScale(const proto::Tensor &placement);
// Returns a placement with the same stored integers, but with `type` as the type of the tensor in the model.
proto::Tensor withOutsideType(const proto::Tensor &placement, DType type);

// Pads an int64 tensor, whose size along one axis depends on the data, to the shape that the program
// reserves; unused elements hold −1. Returns the tensor unchanged if it already has the shape, or if sizes of
// other axes differ.
Tensor paddedTo(const Tensor &tensor, const Shape &shape);

} // namespace tilerig::verify
