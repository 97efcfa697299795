// The kernels of a matrix product that are compiled for each SIMD level (Simd/Level.h): the innermost loops,
// and the packing of operands for these loops.
#pragma once

#include "reference/Gemm/Matrix.h"

namespace tilerig::reference {

// A panel of columns of the right operand: two vectors of elements for each value of the summation index k;
// those of successive k are `rowStride` elements apart. An unpacked matrix can itself serve as a panel
// wherever it has enough columns.
template <class T>
struct PanelView {
  const T *data;
  int64_t rowStride;
  PanelView from(int64_t step) const { return {data + step * rowStride, rowStride}; }
};

// Parameters of a kernel call, which multiplies `rows` rows of the left operand by one panel of columns of
// the right operand, over `depth` steps of the summation index.
template <class T>
struct Strip {
  const T *a;          // left operand: first panel of rows, at the first step of the summation index
  int64_t panelStride; // number of elements from one panel of the left operand to the next
  int64_t rows;
  PanelView<T> b;
  int64_t depth;
  T *c;
  int64_t rowStride; // distance between rows of the product, in elements
  int64_t columns;   // number of columns of the product
  Start<T> start;
};

// A run of consecutive positions and, for one tap of a convolution, the elements that these positions read in
// the image of a channel.
struct PatchRun {
  int64_t position, length;
  int64_t image; // offset of the first element in the image; negative if the run lies in the padding
  int64_t step;  // distance between consecutive elements of the run
};

// One channel of a depthwise convolution, over an image that includes its padding. Output j of row i is the
// sum, from `start`, of image[rows[i] + taps[t] + j] * weights[t] over ascending t. Up to one vector beyond
// `columns` may be read in every row.
template <class T>
struct TapSums {
  const T *image, *weights;
  const int64_t *taps, *rows;
  int64_t numTaps, numRows, columns;
  T start;
  T *to; // output rows, contiguous
};

template <class T>
struct TileKernels {
  int64_t panelRows, panelColumns;

  void (*multiply)(const Strip<T> &strip, Chain chain);
  // Packs rows [row, row + panelRows) of the left operand a, with all their columns, as a panel; rows at or
  // beyond `rows` are skipped.
  void (*packRows)(MatrixView<const T> a, int64_t row, int64_t rows, int64_t depth, T *to);
  // Packs columns [column, column + panelColumns) of the right operand b as a panel, with its rows
  // [begin, begin + depth); entries beyond `columns` are unspecified.
  void (*packColumns)(MatrixView<const T> b, int64_t begin, int64_t depth, int64_t column, int64_t columns,
                      T *to);
  // Packs the right operand of a convolution for one tap: a row of a panel for each of `channels` images,
  // which are `stride` elements apart. The row holds the elements that the positions in `runs` read through
  // the tap; nothing at or beyond `end` is read.
  void (*packPatches)(const T *images, int64_t stride, int64_t channels, const PatchRun *runs, int64_t count,
                      const T *end, T *to);
  void (*sumTaps)(const TapSums<T> &sums, Chain chain);
};

template <class T>
const TileKernels<T> &tileKernels();

} // namespace tilerig::reference
