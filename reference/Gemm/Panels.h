// Packed operands of a matrix product, in the order in which the innermost loop reads them.
//
// The left operand is split into panels of a few rows, the right operand into panels of as many columns as
// two vectors hold. Within a panel, the elements with the same k (the summation index) are contiguous.
// Packing costs about as much as reading an operand twice; constant operands are packed once and kept.
#pragma once

#include "reference/Gemm/TileKernels.h"
#include "reference/Run/Scratch.h"

namespace tilerig::reference {

class Threads;

// The packed left operand of a matrix product: panels of `height` rows.
template <class T>
class RowPanels {
public:
  // Allocates the panels without initialising them; the caller fills them.
  RowPanels(int64_t rows, int64_t depth)
      : rows(rows), depth(depth), height(tileKernels<T>().panelRows), buffer(count() * panelStride()) {}
  static RowPanels pack(MatrixView<const T> a, int64_t rows, int64_t depth, Threads &threads);

  int64_t rows, depth, height;

  int64_t count() const { return (rows + height - 1) / height; }
  int64_t panelStride() const { return height * depth; }
  T *panel(int64_t index) const { return buffer.data() + index * panelStride(); }

private:
  Scratch<T> buffer;
};

// The packed right operand of a matrix product: panels of `width` columns.
template <class T>
class ColumnPanels {
public:
  ColumnPanels(int64_t columns, int64_t depth)
      : columns(columns), depth(depth), width(tileKernels<T>().panelColumns),
        buffer(count() * panelStride()) {}
  static ColumnPanels pack(MatrixView<const T> b, int64_t columns, int64_t depth, Threads &threads);

  int64_t columns, depth, width;

  int64_t count() const { return (columns + width - 1) / width; }
  int64_t panelStride() const { return width * depth; }
  T *panel(int64_t index) const { return buffer.data() + index * panelStride(); }

private:
  Scratch<T> buffer;
};

} // namespace tilerig::reference
