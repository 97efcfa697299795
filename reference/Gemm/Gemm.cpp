#include "reference/Gemm/Gemm.h"

#include "reference/Run/Threads.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace tilerig::reference {

#define TILERIG_GEMM_VARIANT(name)                                                                           \
  namespace name {                                                                                           \
  void multiplyFloats(MatrixView<const float>, MatrixView<const float>, MatrixView<float>, int64_t, int64_t, \
                      int64_t, bool);                                                                        \
  void multiplyDoubles(MatrixView<const double>, MatrixView<const double>, MatrixView<double>, int64_t,      \
                       int64_t, int64_t, bool);                                                              \
  }
TILERIG_GEMM_VARIANT(baseline)
TILERIG_GEMM_VARIANT(avx2)
TILERIG_GEMM_VARIANT(avx512)
#undef TILERIG_GEMM_VARIANT

namespace {

struct Variant {
  decltype(&baseline::multiplyFloats) floats;
  decltype(&baseline::multiplyDoubles) doubles;
};

Variant chooseVariant() {
  const char *asked = std::getenv("TILERIG_REFERENCE_SIMD");
  std::string_view limit = asked ? asked : "avx512";
  bool hasAvx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  bool hasAvx512 = hasAvx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
  if (hasAvx512 && limit == "avx512")
    return {avx512::multiplyFloats, avx512::multiplyDoubles};
  if (hasAvx2 && limit != "baseline")
    return {avx2::multiplyFloats, avx2::multiplyDoubles};
  return {baseline::multiplyFloats, baseline::multiplyDoubles};
}

const Variant &variant() {
  static const Variant chosen = chooseVariant();
  return chosen;
}

} // namespace

void multiplyBlock(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c, int64_t m,
                   int64_t n, int64_t k, bool accumulate) {
  variant().floats(a, b, c, m, n, k, accumulate);
}
void multiplyBlock(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c, int64_t m,
                   int64_t n, int64_t k, bool accumulate) {
  variant().doubles(a, b, c, m, n, k, accumulate);
}

// Blocks are cut along the longer side: each side of a block is packed anew by Eigen, so blocks are large.
template <class T>
void multiply(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, int64_t m, int64_t n, int64_t k,
              bool accumulate, Threads &threads) {
  constexpr int64_t leastWork = 1 << 18; // multiplications below which a block is not worth a thread
  bool alongRows = m >= n;
  int64_t length = alongRows ? m : n, perLine = std::max<int64_t>(1, (alongRows ? n : m) * k);
  int64_t block = std::max({(length + 7) / 8, leastWork / perLine, int64_t{16}});
  int64_t blocks = (length + block - 1) / block;
  threads.forEach(blocks, 1, [&](int64_t first, int64_t last) {
    int64_t begin = first * block, size = std::min(last * block, length) - begin;
    for (int64_t at = begin; at < begin + size; at += block) {
      int64_t lines = std::min(block, length - at);
      if (alongRows)
        multiplyBlock(a.at(at, 0), b, c.at(at, 0), lines, n, k, accumulate);
      else
        multiplyBlock(a, b.at(0, at), c.at(0, at), m, lines, k, accumulate);
    }
  });
}
template void multiply(MatrixView<const float>, MatrixView<const float>, MatrixView<float>, int64_t, int64_t,
                       int64_t, bool, Threads &);
template void multiply(MatrixView<const double>, MatrixView<const double>, MatrixView<double>, int64_t,
                       int64_t, int64_t, bool, Threads &);

} // namespace tilerig::reference
