// Descriptions of matrices in memory and of the starting values of sums, for the products of this folder.
#pragma once

#include <cstdint>

namespace tilerig::reference {

// A matrix in memory: element (i, j) at data[i * rowStride + j], or transposed at data[j * rowStride + i].
template <class T>
struct MatrixView {
  T *data;
  int64_t rowStride;
  bool transposed = false;

  // The submatrix that begins at row i, column j.
  MatrixView at(int64_t i, int64_t j) const {
    return {data + (transposed ? j * rowStride + i : i * rowStride + j), rowStride, transposed};
  }
};

// Starting values of the sums of a product c: the contents of c (`held`), or the number perRow[i] for row i,
// or zero if `perRow` is null.
template <class T>
struct Start {
  bool held = false;
  const T *perRow = nullptr;
};

// How the terms of a sum are added; always in a single chain over ascending k. `fused`: by fused
// multiply-adds, as the machine promises. `either`: also by multiplications and additions that are rounded
// separately, on a processor without fused multiply-add.
enum class Chain { fused, either };

} // namespace tilerig::reference
