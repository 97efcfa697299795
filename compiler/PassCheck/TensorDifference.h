// Measures the difference of two tensors that should hold the same numbers.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

namespace tilerig::compiler {

struct TensorDifference {
  bool hasOtherForm = false; // whether the tensors differ in type or shape
  bool isFinite = true;      // whether all elements that differ are finite
  double largest = 0;        // largest difference of finite elements
};

TensorDifference differenceOf(const Tensor &a, const Tensor &b);

// Pads a tensor of type i64, whose size is known only at run time, with -1 at the end of each axis to the
// shape `reserved`, in which layers store it. Returns the tensor unchanged if its type is not i64 or if it is
// larger than `reserved`.
Tensor inReserved(const Tensor &tensor, const Shape &reserved);

} // namespace tilerig::compiler
