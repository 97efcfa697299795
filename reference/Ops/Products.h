// Batched matrix products with the shapes of MatMul: for its float, integer and quantised variants.
#pragma once

#include "reference/Gemm/Matrix.h"
#include "reference/Run/Operator.h"

namespace tilerig::reference {

// The product y[batch] = a[batch] (rows × depth) · b[batch] (depth × columns); the batch dimensions are
// broadcast. A vector is a row on the left or a column on the right, and its added dimension is removed from
// the result.
struct ProductShape {
  int64_t rows, columns, depth;
  Shape result;
  // For every batch, the indices of the left and of the right matrix that are multiplied.
  std::vector<std::pair<int64_t, int64_t>> batches;
};

Result<ProductShape> productShape(const OpContext &context, const Shape &a, const Shape &b);

// How sums of products are computed: the machine's arithmetic requires fused multiply-adds, the fast one
// accepts either kind.
inline Chain chainOf(Arithmetic arithmetic) {
  return arithmetic == Arithmetic::machine ? Chain::fused : Chain::either;
}

// Computes the matrix products y = a · b of all batches. Floats and doubles are multiplied by the kernels of
// the folder Gemm, which add the terms of every sum in ascending order; sums of integers wrap around.
template <class T>
void multiplyBatches(const ProductShape &shape, const T *a, const T *b, T *y, Arithmetic arithmetic,
                     Threads &threads);
// Computes the matrix products y = a · b of tensors of any float type, or of an integer type of at least 32
// bits; y already has the result's shape.
Status multiplyBatches(OpContext &context, const ProductShape &shape, const Tensor &a, const Tensor &b,
                       Tensor &y);

} // namespace tilerig::reference
