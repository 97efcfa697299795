// Products of stacks of matrices, as MatMul defines them: for its float, integer and quantised forms.
#pragma once

#include "reference/Gemm/Matrix.h"
#include "reference/Run/Operator.h"

namespace tilerig::reference {

// y[batch] = a[batch] (rows × depth) · b[batch] (depth × columns); the batches of the two broadcast. A vector
// counts as a row on the left, as a column on the right, and leaves no dimension in the result.
struct ProductShape {
  int64_t rows, columns, depth;
  Shape result;
  // For every batch, which matrix of a and of b.
  std::vector<std::pair<int64_t, int64_t>> batches;
};

Result<ProductShape> productShape(const OpContext &context, const Shape &a, const Shape &b);

// The machine insists on fused multiply-adds.
inline Chain chainOf(Arithmetic arithmetic) {
  return arithmetic == Arithmetic::machine ? Chain::fused : Chain::either;
}

// For float and double through Gemm, one chain over ascending depth for every element; integers wrap around.
template <class T>
void multiplyBatches(const ProductShape &shape, const T *a, const T *b, T *y, Arithmetic arithmetic,
                     Threads &threads);
// The same for tensors of a float type, or of an integer type of at least 32 bits; y has its shape already.
Status multiplyBatches(OpContext &context, const ProductShape &shape, const Tensor &a, const Tensor &b,
                       Tensor &y);

} // namespace tilerig::reference
