// The float types between operators: 16-bit floats widened and narrowed, and the precision of a run.
#pragma once

#include "isa/Tensor/Tensor.h"

#include <vector>

namespace tilerig::reference {

enum class Precision;

inline bool isHalf(DType type) { return type == DType::f16 || type == DType::bf16; }

// The same values as float32 (from a 16-bit type), or as a 16-bit type (from float32 or float64, rounded half
// even).
Tensor widened(const Tensor &tensor);
Tensor narrowed(const Tensor &tensor, DType halfType);

// Whether a 16-bit float stands among floats of another type.
bool mixesHalves(const std::vector<Tensor> &inputs, const std::vector<bool> &present);
// Widens every 16-bit float among the inputs; returns the type of the first, or float32 if there was none.
DType widenHalves(std::vector<Tensor> &inputs);
// Gives a float32 result its 16-bit type back; anything else passes.
Tensor narrowHalves(Tensor tensor, DType halfType);

// A value that enters a run: in fp64, float32 becomes double; in fp16 and bf16 it is rounded to such a value.
Tensor toPrecision(Tensor tensor, Precision precision);
// A value that an operator made, likewise.
inline Tensor roundToPrecision(Tensor tensor, Precision precision) {
  return toPrecision(std::move(tensor), precision);
}

} // namespace tilerig::reference
