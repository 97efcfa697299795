// Matrix products (GEMM) with the full vector width of the processor, in the machine's order of summation.
//
// Every element of c is a single chain of multiply-adds over ascending k, regardless of blocking, threads and
// SIMD level: vector lanes hold different elements of c, and each block of k continues the sums of the
// previous one. The order that the accelerator promises therefore costs nothing here.
#pragma once

#include "reference/Gemm/Panels.h"

#include <functional>

namespace tilerig::reference {

// Computes the matrix product c (m × n) = start + a (m × k) · b (k × n); c must not be transposed.
template <class T>
void multiply(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, int64_t m, int64_t n, int64_t k,
              Start<T> start, Chain chain, Threads &threads);

// Like the multiply() for matrices in memory, but with operands that are already packed into panels.
template <class T>
void multiply(const RowPanels<T> &a, const ColumnPanels<T> &b, MatrixView<T> c, Start<T> start, Chain chain,
              Threads &threads);

// A half-open range [begin, end) of k, the summation index of a matrix product.
struct DepthRange {
  int64_t begin, end;
  int64_t length() const { return end - begin; }
};

// Provides a right operand that is not a matrix in memory: packs the given range of k of one panel of columns
// into `to` and returns a view of it, or returns a view of memory where these elements already lie in order.
template <class T>
using PackPanel = std::function<PanelView<T>(int64_t panel, DepthRange depth, T *to)>;

// A callback that receives every element of the product c once, after its sum is complete. Each call passes
// `size` consecutive elements of a row.
template <class T>
using FinishRow = std::function<void(T *run, int64_t size, int64_t row)>;

template <class T>
void multiply(const RowPanels<T> &a, int64_t columns, const PackPanel<T> &pack, MatrixView<T> c,
              Start<T> start, Chain chain, Threads &threads, const FinishRow<T> &finish = {});

} // namespace tilerig::reference
