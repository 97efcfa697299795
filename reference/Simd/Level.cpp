#include "reference/Simd/Level.h"

#include <cstdlib>
#include <string_view>

namespace tilerig::reference {

static SimdLevel chooseLevel() {
  const char *asked = std::getenv("TILERIG_REFERENCE_SIMD");
  std::string_view limit = asked ? asked : "avx512";
  bool hasAvx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  bool hasAvx512 = hasAvx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (hasAvx512 && limit == "avx512")
    return SimdLevel::avx512;
  if (hasAvx2 && limit != "baseline")
    return SimdLevel::avx2;
  return SimdLevel::baseline;
}

SimdLevel simdLevel() {
  static const SimdLevel level = chooseLevel();
  return level;
}

} // namespace tilerig::reference
