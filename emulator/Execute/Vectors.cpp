#include "emulator/Execute/Vectors.h"

#include "isa/Numerics/Targets.h"

#include <cstdlib>
#include <fmt/core.h>
#include <hwy/targets.h>

namespace tilerig {

static Status disableVectors() {
  const char *variable = std::getenv("TILERIG_EMULATOR_SIMD");
  const std::string_view asked = variable ? variable : "avx512";
  if (asked == "baseline")
    hwy::DisableTargets(HWY_AVX2 | HWY_AVX3 | HWY_AVX3_DL);
  else if (asked == "avx2")
    hwy::DisableTargets(HWY_AVX3 | HWY_AVX3_DL);
  else if (asked != "avx512")
    return usageError("TILERIG_EMULATOR_SIMD", fmt::format("'{}' is none of avx512, avx2, baseline", asked));
  return success();
}

Status chooseVectors() {
  static const Status chosen = disableVectors();
  return chosen;
}

} // namespace tilerig
