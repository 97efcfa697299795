// The product itself, to be compiled once for each set of vector instructions. The including file has named
// its namespace in TILERIG_GEMM_NAMESPACE and renamed Eigen; nothing else may be included before.
#pragma once

#include "reference/Gemm/Gemm.h"

#include <Eigen/Core>

namespace tilerig::reference::TILERIG_GEMM_NAMESPACE {

template <class T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using ColumnMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;
template <class Matrix>
using View = Eigen::Map<Matrix, Eigen::Unaligned, Eigen::OuterStride<>>;

template <class T, class Use>
static void withOperand(MatrixView<const T> view, int64_t rows, int64_t columns, Use use) {
  if (view.transposed)
    use(View<const ColumnMajor<T>>(view.data, rows, columns, Eigen::OuterStride<>(view.rowStride)));
  else
    use(View<const RowMajor<T>>(view.data, rows, columns, Eigen::OuterStride<>(view.rowStride)));
}

template <class T>
static void multiplyWithEigen(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, int64_t m,
                              int64_t n, int64_t k, bool accumulate) {
  View<RowMajor<T>> result(c.data, m, n, Eigen::OuterStride<>(c.rowStride));
  withOperand(a, m, k, [&](const auto &left) {
    withOperand(b, k, n, [&](const auto &right) {
      if (accumulate)
        result.noalias() += left * right;
      else
        result.noalias() = left * right;
    });
  });
}

void multiplyFloats(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c, int64_t m,
                    int64_t n, int64_t k, bool accumulate) {
  multiplyWithEigen(a, b, c, m, n, k, accumulate);
}
void multiplyDoubles(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c, int64_t m,
                     int64_t n, int64_t k, bool accumulate) {
  multiplyWithEigen(a, b, c, m, n, k, accumulate);
}

} // namespace tilerig::reference::TILERIG_GEMM_NAMESPACE
