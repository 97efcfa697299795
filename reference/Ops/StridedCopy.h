// One loop for all operators that only move elements: a dense result whose element (i0, i1, ...) comes from
// offset + i0*s0 + i1*s1 + ... of the input. Strides may be zero (repeat) or negative (reverse).
#pragma once

#include "reference/Run/Operator.h"

namespace tilerig::reference {

struct StridedView {
  Shape shape;                  // of the result
  std::vector<int64_t> strides; // in elements of the input, one for each dimension
  int64_t offset = 0;
};

// The elements that `view` shows, as a dense tensor. The view must stay inside the input.
Result<Tensor> stridedCopy(const Tensor &input, const StridedView &view, Threads &threads);

// Copies all of `piece` into the box of `whole` that begins at `begin`; types agree.
void insertBox(Tensor &whole, const Tensor &piece, const Shape &begin);

// The whole of a tensor, to be changed into something else.
StridedView viewOf(const Tensor &tensor);

} // namespace tilerig::reference
