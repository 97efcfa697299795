// What is compiled for each level of processors (Simd/Level.h): the innermost loops of a product, and the
// copies that bring operands into the order in which those loops read.
#pragma once

#include "reference/Gemm/Matrix.h"

namespace tilerig::reference {

// A panel of columns: its rows, two vectors wide, one for each step of k. A matrix in memory is one wherever
// it has so many columns.
template <class T>
struct PanelView {
  const T *data;
  int64_t rowStride;
  PanelView from(int64_t step) const { return {data + step * rowStride, rowStride}; }
};

// Rows of c, `rows` of them, by the columns of one panel of b, over `depth` steps of k.
template <class T>
struct Strip {
  const T *a;          // panels of rows, from their first step of k on
  int64_t panelStride; // elements from one panel of a to the next
  int64_t rows;
  PanelView<T> b;
  int64_t depth;
  T *c;
  int64_t rowStride, columns; // of c; columns fill one panel of b or less
  Start<T> start;
};

// A run of positions, for one tap of a convolution: where in a channel's image it reads.
struct PatchRun {
  int64_t position, length;
  int64_t image; // offset of the first element; negative in the padding
  int64_t step;  // from element to element
};

// One channel of a depthwise convolution over an image in which padding is elements like others: output j of
// row i is the chain, from `start`, of image[rows[i] + taps[t] + j] * weights[t] over ascending t. From every
// row and tap on, a vector more than `columns` may be read.
template <class T>
struct TapSums {
  const T *image, *weights;
  const int64_t *taps, *rows;
  int64_t numTaps, numRows, columns;
  T start;
  T *to; // rows without gaps
};

template <class T>
struct TileKernels {
  int64_t panelRows, panelColumns;

  void (*multiply)(const Strip<T> &strip, Chain chain);
  // Rows [row, row + panelRows) of a, over all its depth, as one panel; rows beyond `rows` are left out.
  void (*packRows)(MatrixView<const T> a, int64_t row, int64_t rows, int64_t depth, T *to);
  // Steps [begin, begin + depth) of k of the columns [column, column + panelColumns) of b as one panel; what
  // stands beyond `columns` is not said.
  void (*packColumns)(MatrixView<const T> b, int64_t begin, int64_t depth, int64_t column, int64_t columns,
                      T *to);
  // For each of `channels` images, `stride` apart, one row of a panel. The runs cover the positions in
  // ascending order; nothing at or beyond `end` is read.
  void (*packPatches)(const T *images, int64_t stride, int64_t channels, const PatchRun *runs, int64_t count,
                      const T *end, T *to);
  void (*sumTaps)(const TapSums<T> &sums, Chain chain);
};

template <class T>
const TileKernels<T> &tileKernels();

} // namespace tilerig::reference
