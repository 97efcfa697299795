// The copy loop of all operators that only move elements: makes a dense result whose element (i0, i1, ...) is
// the input's element at offset + i0*s0 + i1*s1 + ... Strides may be zero (repeat) or negative (reverse).
#pragma once

#include "reference/Run/Operator.h"

namespace tilerig::reference {

struct StridedView {
  Shape shape;                  // shape of the dense result
  std::vector<int64_t> strides; // stride of each dimension, in elements of the input
  int64_t offset = 0;
};

// Copies the elements that `view` selects into a dense tensor. The view must lie inside the input.
Result<Tensor> stridedCopy(const Tensor &input, const StridedView &view, Threads &threads);

// Copies the tensor `piece` into the tensor `whole`, to the box that begins at the indices `begin`; both
// tensors have the same type.
void insertBox(Tensor &whole, const Tensor &piece, const Shape &begin);

// The view that selects a whole tensor in its own order; callers derive other views from it.
StridedView viewOf(const Tensor &tensor);

} // namespace tilerig::reference
