// How matrices and the beginnings of sums are told to the products of this folder.
#pragma once

#include <cstdint>

namespace tilerig::reference {

// A matrix in memory: element (i, j) at data[i * rowStride + j], or transposed at data[j * rowStride + i].
template <class T>
struct MatrixView {
  T *data;
  int64_t rowStride;
  bool transposed = false;

  // The same matrix from row i, column j on.
  MatrixView at(int64_t i, int64_t j) const {
    return {data + (transposed ? j * rowStride + i : i * rowStride + j), rowStride, transposed};
  }
};

// What the sums of a product begin with: what c holds, one number for each row, or zero where that is null.
template <class T>
struct Start {
  bool held = false;
  const T *perRow = nullptr;
};

// Every sum is one chain over ascending k. `fused`: of fused multiply-adds, as the machine promises.
// `either`: where the processor has no such instruction, product and sum may be rounded one after the other.
enum class Chain { fused, either };

} // namespace tilerig::reference
