// The GEMM micro-kernel and the packing of its operands; compiled once for each SIMD level, see Simd/Level.h.
//
// A tile of the product c = a · b, panelRows × panelColumns, stays in registers while the loop runs over the
// summation index: each step loads a column of a's panel and a row of b's, and does one fused multiply-add
// for each vector of the tile. Vector lanes hold different outputs, so no sum is ever split, and the order of
// every sum is the same at any vector width.
#include "reference/Gemm/TileKernels.h"

#include "reference/Simd/Vector.h"

namespace tilerig::reference::TILERIG_SIMD {

namespace {

// The number of rows of a tile of the product c = a · b. A row needs two registers for its accumulators;
// further registers hold two vectors of b and one of a.
#if defined(__AVX512F__)
constexpr int panelRows = 14;
#else
constexpr int panelRows = 6;
#endif
template <class T>
constexpr int panelColumns = 2 * lanes<T>;

template <class T, int rows, int vectors, bool once>
void multiplyTile(const T *a, PanelView<T> panel, int64_t depth, T *c, int64_t rowStride, Start<T> start) {
  // Prefetches the rows of the product c, which lie far apart, so that they are in the cache when they are
  // stored.
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 2
    for (int j = 0; j < vectors; ++j)
      __builtin_prefetch(c + i * rowStride + j * lanes<T>, 1);
  Vector<T> sums[rows][vectors];
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 2
    for (int j = 0; j < vectors; ++j)
      sums[i][j] =
          start.held ? load(c + i * rowStride + j * lanes<T>) : splat(start.perRow ? start.perRow[i] : T(0));
  const T *b = panel.data;
  for (int64_t k = 0; k < depth; ++k, a += panelRows, b += panel.rowStride) {
    Vector<T> right[vectors];
#pragma GCC unroll 2
    for (int j = 0; j < vectors; ++j)
      right[j] = load(b + j * lanes<T>);
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
      Vector<T> left = splat(a[i]);
#pragma GCC unroll 2
      for (int j = 0; j < vectors; ++j)
        sums[i][j] = multiplyAdd<once>(left, right[j], sums[i][j]);
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 2
    for (int j = 0; j < vectors; ++j)
      store(c + i * rowStride + j * lanes<T>, sums[i][j]);
}

template <class T>
using Tile = void (*)(const T *, PanelView<T>, int64_t, T *, int64_t, Start<T>);

// Returns the GEMM kernel for a tile of the product that has `rows` rows and `vectors` vectors of columns.
template <class T, int vectors, bool once, int most = panelRows>
Tile<T> tileOf(int64_t rows) {
  if constexpr (most > 1)
    if (rows < most)
      return tileOf<T, vectors, once, most - 1>(rows);
  return multiplyTile<T, most, vectors, once>;
}

// Computes a tile of `rows` rows of c of which only the first `strip.columns` columns exist: the whole tile
// is computed in a buffer, and the existing columns are copied to c.
template <class T>
void multiplyAtEdge(Tile<T> tile, const Strip<T> &strip, const T *a, int64_t row, int64_t rows,
                    Start<T> start) {
  alignas(64) T edge[panelRows * panelColumns<T>] = {};
  T *c = strip.c + row * strip.rowStride;
  if (start.held)
    for (int64_t i = 0; i < rows; ++i)
      __builtin_memcpy(edge + i * panelColumns<T>, c + i * strip.rowStride,
                       static_cast<size_t>(strip.columns) * sizeof(T));
  tile(a, strip.b, strip.depth, edge, panelColumns<T>, start);
  for (int64_t i = 0; i < rows; ++i)
    __builtin_memcpy(c + i * strip.rowStride, edge + i * panelColumns<T>,
                     static_cast<size_t>(strip.columns) * sizeof(T));
}

template <class T, int vectors, bool once>
void multiplyStrip(const Strip<T> &strip) {
  const T *a = strip.a;
  for (int64_t row = 0; row < strip.rows; row += panelRows, a += strip.panelStride) {
    int64_t rows = strip.rows - row < panelRows ? strip.rows - row : panelRows;
    Tile<T> tile = tileOf<T, vectors, once>(rows);
    Start<T> start{strip.start.held, strip.start.perRow ? strip.start.perRow + row : nullptr};
    if (strip.columns == vectors * lanes<T>)
      tile(a, strip.b, strip.depth, strip.c + row * strip.rowStride, strip.rowStride, start);
    else
      multiplyAtEdge(tile, strip, a, row, rows, start);
  }
}

template <class T, bool once>
void multiplyColumns(const Strip<T> &strip) {
  if (strip.columns > lanes<T>)
    multiplyStrip<T, 2, once>(strip);
  else
    multiplyStrip<T, 1, once>(strip);
}

template <class T>
void multiply(const Strip<T> &strip, Chain chain) {
  if (chain == Chain::fused || vectorBytes > 16)
    multiplyColumns<T, true>(strip);
  else
    multiplyColumns<T, false>(strip);
}

template <class T>
void packRows(MatrixView<const T> a, int64_t row, int64_t rows, int64_t depth, T *to) {
  if (depth == 0)
    return;
  int64_t height = rows - row < panelRows ? rows - row : panelRows;
  int64_t rowStep = a.transposed ? 1 : a.rowStride, step = a.transposed ? a.rowStride : 1;
  const T *from = a.data + row * rowStep;
  for (int64_t k = 0; k < depth; ++k, to += panelRows, from += step)
    for (int64_t i = 0; i < height; ++i)
      to[i] = from[i * rowStep];
}

// Transposes a 4 × 4 block.
inline void transposeFour(const float *from, int64_t stride, float *to, int64_t toStride) {
  __m128 a = _mm_loadu_ps(from), b = _mm_loadu_ps(from + stride), c = _mm_loadu_ps(from + 2 * stride),
         d = _mm_loadu_ps(from + 3 * stride);
  _MM_TRANSPOSE4_PS(a, b, c, d);
  _mm_storeu_ps(to, a);
  _mm_storeu_ps(to + toStride, b);
  _mm_storeu_ps(to + 2 * toStride, c);
  _mm_storeu_ps(to + 3 * toStride, d);
}
inline void transposeFour(const double *from, int64_t stride, double *to, int64_t toStride) {
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      to[i * toStride + j] = from[j * stride + i];
}

template <class T>
void packTransposed(const T *from, int64_t stride, int64_t depth, int64_t width, T *to) {
  constexpr int64_t columns = panelColumns<T>;
  for (int64_t j = 0; j < width; j += 4) {
    const T *source = from + j * stride;
    int64_t k = 0;
    if (width - j >= 4)
      for (; k + 4 <= depth; k += 4)
        transposeFour(source + k, stride, to + k * columns + j, columns);
    for (; k < depth; ++k)
      for (int64_t i = 0; i < 4 && j + i < width; ++i)
        to[k * columns + j + i] = source[i * stride + k];
  }
  for (int64_t k = 0; width < columns && k < depth; ++k)
    for (int64_t j = width; j < columns; ++j)
      to[k * columns + j] = 0;
}

template <class T>
void packColumns(MatrixView<const T> b, int64_t begin, int64_t depth, int64_t column, int64_t columns,
                 T *to) {
  if (depth == 0) // the matrix b is empty, so b.at() must not be called
    return;
  int64_t width = columns - column < panelColumns<T> ? columns - column : panelColumns<T>;
  const T *from = b.at(begin, column).data;
  if (b.transposed)
    return packTransposed(from, b.rowStride, depth, width, to);
  // Packed elements beyond the end of a row are not used and may have any value. So whole vectors are copied,
  // except at the end of the matrix, where they would extend beyond its memory.
  const T *last = from + (depth - 1) * b.rowStride + width - panelColumns<T>;
  for (int64_t k = 0; k < depth; ++k, from += b.rowStride, to += panelColumns<T>)
    if (from <= last) {
      store(to, load(from));
      store(to + lanes<T>, load(from + lanes<T>));
    } else {
      for (int64_t j = 0; j < panelColumns<T>; ++j)
        to[j] = j < width ? from[j] : T(0);
    }
}

// Packs the image elements that a run of positions reads into a row of a panel. Whole vectors are copied,
// except in the last row (`isLast`): elements beyond the run are overwritten later.
template <class T>
inline void packRun(const PatchRun &run, const T *from, const T *end, T *to, bool isLast) {
  if (run.image < 0) {
    for (int64_t i = 0; i < (isLast ? run.length : panelColumns<T>); ++i)
      to[i] = 0;
  } else if (run.step == 1 && end - from >= panelColumns<T> && (!isLast || run.length == panelColumns<T>)) {
    store(to, load(from));
    store(to + lanes<T>, load(from + lanes<T>));
  } else {
    for (int64_t i = 0; i < run.length; ++i)
      to[i] = from[i * run.step];
  }
}

template <class T>
void packPatches(const T *images, int64_t stride, int64_t channels, const PatchRun *runs, int64_t count,
                 const T *end, T *to) {
  for (int64_t channel = 0; channel < channels; ++channel, images += stride, to += panelColumns<T>)
    for (const PatchRun *run = runs; run != runs + count; ++run)
      packRun(*run, images + run->image, end, to + run->position, channel + 1 == channels);
}

// Computes the outputs of a depthwise convolution in a tile of `rows` rows by `vectors` vectors. The sums
// stay in registers during the loop over the taps (elements of the kernel). In place of rows beyond the last
// row, the last row is computed again.
template <class T, int rows, int vectors, bool once>
inline void sumTile(const TapSums<T> &tapSums, int64_t row, int64_t column,
                    Vector<T> (&sums)[rows][vectors]) {
  const T *from[rows];
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
    int64_t last = tapSums.numRows - 1;
    from[i] = tapSums.image + tapSums.rows[row + i < last ? row + i : last] + column;
#pragma GCC unroll 2
    for (int j = 0; j < vectors; ++j)
      sums[i][j] = splat(tapSums.start);
  }
  for (int64_t t = 0; t < tapSums.numTaps; ++t) {
    Vector<T> weight = splat(tapSums.weights[t]);
    int64_t tap = tapSums.taps[t];
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i)
#pragma GCC unroll 2
      for (int j = 0; j < vectors; ++j)
        sums[i][j] = multiplyAdd<once>(load(from[i] + tap + j * lanes<T>), weight, sums[i][j]);
  }
}

// Computes rows of outputs that are shorter than a vector: computes a whole vector for each row and stores
// only the elements that the row has.
template <class T, bool once>
void sumNarrowRows(const TapSums<T> &tapSums) {
  constexpr int rows = 8;
  for (int64_t row = 0; row < tapSums.numRows; row += rows) {
    Vector<T> sums[rows][1];
    sumTile<T, rows, 1, once>(tapSums, row, 0, sums);
    for (int i = 0; i < rows && row + i < tapSums.numRows; ++i)
      __builtin_memcpy(tapSums.to + (row + i) * tapSums.columns, &sums[i][0],
                       static_cast<size_t>(tapSums.columns) * sizeof(T));
  }
}

template <class T, int rows, int vectors, bool once>
void sumWideRows(const TapSums<T> &tapSums) {
  constexpr int64_t width = vectors * lanes<T>;
  for (int64_t row = 0; row < tapSums.numRows; row += rows)
    for (int64_t begin = 0; begin < tapSums.columns; begin += width) {
      int64_t column = begin + width <= tapSums.columns ? begin : tapSums.columns - width;
      Vector<T> sums[rows][vectors];
      sumTile<T, rows, vectors, once>(tapSums, row, column, sums);
#pragma GCC unroll 8
      for (int i = 0; i < rows; ++i)
        if (row + i < tapSums.numRows)
#pragma GCC unroll 2
          for (int j = 0; j < vectors; ++j)
            store(tapSums.to + (row + i) * tapSums.columns + column + j * lanes<T>, sums[i][j]);
    }
}

template <class T, bool once>
void sumRows(const TapSums<T> &tapSums) {
  if (tapSums.columns < lanes<T>)
    sumNarrowRows<T, once>(tapSums);
  else if (tapSums.columns < 2 * lanes<T>)
    sumWideRows<T, 8, 1, once>(tapSums);
  else
    sumWideRows<T, 4, 2, once>(tapSums);
}

template <class T>
void sumTaps(const TapSums<T> &sums, Chain chain) {
  if (chain == Chain::fused || vectorBytes > 16)
    sumRows<T, true>(sums);
  else
    sumRows<T, false>(sums);
}

template <class T>
constexpr TileKernels<T> table = {panelRows,      panelColumns<T>, multiply<T>, packRows<T>,
                                  packColumns<T>, packPatches<T>,  sumTaps<T>};

} // namespace

const TileKernels<float> &floatKernels() { return table<float>; }
const TileKernels<double> &doubleKernels() { return table<double>; }

} // namespace tilerig::reference::TILERIG_SIMD
