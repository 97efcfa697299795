// The generations of processors that kernels are compiled for.
//
// A file in the list of kernels (CMakeLists.txt) is compiled once for each level, in a namespace of that
// name, and the highest level that the host has is taken at run time. Results do not depend on it, except for
// Chain::either of Gemm.h on a processor without fused multiply-add. TILERIG_REFERENCE_SIMD=baseline, avx2 or
// avx512 in the environment asks for a lower level than the host's, for tests.
#pragma once

namespace tilerig::reference {

enum class SimdLevel { baseline, avx2, avx512 };

// The same throughout a process.
SimdLevel simdLevel();

// The one of three that belongs to the level in use.
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
