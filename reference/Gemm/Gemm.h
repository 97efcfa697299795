// Matrix products, through Eigen, at the full width of the processor's vectors.
//
// Eigen chooses its vectors when it is compiled. So the product is compiled once for each generation of
// processors (GemmBaseline.cpp, GemmAvx2.cpp, GemmAvx512.cpp, each with flags of its own and Eigen under a
// name of its own, lest the linker mix them) and the widest that the host has is taken at run time.
// TILERIG_REFERENCE_SIMD=baseline, avx2 or avx512 asks for a narrower one, for tests.
#pragma once

#include <cstdint>

namespace tilerig::reference {

class Threads;

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

// c (m × n) = a (m × k) · b (k × n), or c += where `accumulate`. c is not transposed. In the calling thread
// alone.
void multiplyBlock(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c, int64_t m,
                   int64_t n, int64_t k, bool accumulate);
void multiplyBlock(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c, int64_t m,
                   int64_t n, int64_t k, bool accumulate);

// The same, split over threads into blocks whose borders do not depend on how many threads there are.
template <class T>
void multiply(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, int64_t m, int64_t n, int64_t k,
              bool accumulate, Threads &threads);

} // namespace tilerig::reference
