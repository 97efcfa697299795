// Conversion of floats between operators: widening and narrowing of 16-bit floats, and the precision of a
// run.
#pragma once

#include "isa/Tensor/Tensor.h"

#include <vector>

namespace tilerig::reference {

enum class Precision;

inline bool isHalf(DType type) { return type == DType::f16 || type == DType::bf16; }

// widened() converts a 16-bit type to float32; narrowed() converts float32 or float64 to a 16-bit type,
// rounded half to even.
Tensor widened(const Tensor &tensor);
Tensor narrowed(const Tensor &tensor, DType halfType);

// Whether the inputs contain both a 16-bit float and a float of another type.
bool mixesHalves(const std::vector<Tensor> &inputs, const std::vector<bool> &present);
// Widens every 16-bit float input; returns the type of the first, or float32 if there was none.
DType widenHalves(std::vector<Tensor> &inputs);
// Converts a float32 result to the 16-bit type; other types are returned unchanged.
Tensor narrowHalves(Tensor tensor, DType halfType);

// Converts a value that enters a run: in fp64, float32 becomes double; in fp16 and bf16, it is rounded to
// that type.
Tensor toPrecision(Tensor tensor, Precision precision);
// Rounds the result of an operator to the precision.
inline Tensor roundToPrecision(Tensor tensor, Precision precision) {
  return toPrecision(std::move(tensor), precision);
}

} // namespace tilerig::reference
