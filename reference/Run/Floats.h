// Conversion of floats between operators: widening and narrowing of 16-bit floats, and the precision of a
// run.
#pragma once

#include "isa/Base/Tensor/Tensor.h"
#include "reference/Run/RuntimeValue.h"

#include <vector>

namespace tilerig::reference {

enum class Precision;

inline bool isHalf(DType type) { return type == DType::f16 || type == DType::bf16; }

// widened() converts a tensor of a 16-bit type to float32; narrowed() converts a float32 tensor to a 16-bit
// type, rounded half to even.
Tensor widened(const Tensor &tensor);
Tensor narrowed(const Tensor &tensor, DType halfType);

// For inputs that are tensors: whether those that are present contain both a 16-bit float and a float of another type.
bool mixesHalves(const std::vector<RuntimeValue> &inputs, const std::vector<bool> &present);
// Converts every 16-bit float input to float32; returns the former type of the first one, or float32 if no
// input had a 16-bit type.
DType widenHalves(std::vector<RuntimeValue> &inputs);
// Converts a float32 tensor to `halfType`; unchanged if `halfType` is float32 or the tensor is not float32.
Tensor narrowHalves(Tensor tensor, DType halfType);

// Converts a float32 tensor that enters a run: to double for fp64; for fp16 and bf16 its elements are rounded
// to that type and stay float32. Tensors of other types are unchanged.
Tensor toPrecision(Tensor tensor, Precision precision);
// Rounds the float32 result of an operator to the precision of the run.
inline Tensor roundToPrecision(Tensor tensor, Precision precision) {
  return toPrecision(std::move(tensor), precision);
}

} // namespace tilerig::reference
