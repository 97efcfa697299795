// The SIMD levels for which kernels are compiled, and the choice between them at run time.
//
// Each kernel file listed in CMakeLists.txt is compiled once for each level, in a namespace of that name, and
// the highest level that the host supports is used. Results do not depend on the level, except for
// Chain::either of Gemm/Matrix.h on a processor without fused multiply-add. The environment variable
// TILERIG_REFERENCE_SIMD=baseline, avx2 or avx512 requests a lower level than the host's, for tests.
#pragma once

namespace tilerig::reference {

enum class SimdLevel { baseline, avx2, avx512 };

// The SIMD level in use; constant within a process.
SimdLevel simdLevel();

// Returns the argument that belongs to the SIMD level in use.
template <class T>
T forLevel(T baseline, T avx2, T avx512) {
  switch (simdLevel()) {
  case SimdLevel::avx512:
    return avx512;
  case SimdLevel::avx2:
    return avx2;
  default:
    return baseline;
  }
}

} // namespace tilerig::reference
