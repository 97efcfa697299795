// The difference of two tensors that should hold the same numbers.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

namespace tilerig::compiler {

struct TensorDifference {
  bool hasOtherForm = false; // whether types or shapes differ
  bool isFinite = true;      // whether elements that differ are all finite
  double largest = 0;        // of finite elements
};

TensorDifference differenceOf(const Tensor &a, const Tensor &b);

// The tensor of a result whose size depends on values, as layers hold it: in a tensor of the largest size, with
// -1 behind the result. The tensor itself if it is of another type than i64, or larger than `reserved`.
Tensor inReserved(const Tensor &tensor, const Shape &reserved);

} // namespace tilerig::compiler
