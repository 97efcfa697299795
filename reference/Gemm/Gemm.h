// Matrix products at the full width of the processor's vectors, in the machine's order.
//
// Every element of c is one chain of multiply-adds over ascending k, whatever the blocks, the threads and the
// level of the processor: lanes hold different elements, and a block of k goes on where the last one ended.
// So the order that the accelerator promises costs nothing here.
#pragma once

#include "reference/Gemm/Panels.h"

#include <functional>

namespace tilerig::reference {

// c (m × n) = start + a (m × k) · b (k × n); c is not transposed.
template <class T>
void multiply(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, int64_t m, int64_t n, int64_t k,
              Start<T> start, Chain chain, Threads &threads);

// The same with operands that are packed already.
template <class T>
void multiply(const RowPanels<T> &a, const ColumnPanels<T> &b, MatrixView<T> c, Start<T> start, Chain chain,
              Threads &threads);

// Steps [begin, end) of k.
struct DepthRange {
  int64_t begin, end;
  int64_t length() const { return end - begin; }
};

// A right operand that is not in memory as it is wanted: packs some steps of one panel of columns, or tells
// where they lie.
template <class T>
using PackPanel = std::function<PanelView<T>(int64_t panel, DepthRange depth, T *to)>;

// Called once for every element of c when it is done, with a run of a row.
template <class T>
using FinishRow = std::function<void(T *run, int64_t size, int64_t row)>;

template <class T>
void multiply(const RowPanels<T> &a, int64_t columns, const PackPanel<T> &pack, MatrixView<T> c,
              Start<T> start, Chain chain, Threads &threads, const FinishRow<T> &finish = {});

} // namespace tilerig::reference
