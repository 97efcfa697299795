#include "emulator/Execute/Vectors.h"

#include "emulator/Execute/Pod/OneDnn.h"
#include "isa/Numerics/Targets.h"

#include <cstdlib>
#include <fmt/core.h>
#include <hwy/targets.h>

namespace tilerig::emulator {

static std::string_view askedVectors() {
  const char *variable = std::getenv("TILERIG_EMULATOR_SIMD");
  return variable ? variable : "avx512";
}

static Status disableVectors() {
  const std::string_view asked = askedVectors();
  if (asked == "baseline")
    hwy::DisableTargets(HWY_AVX2 | HWY_AVX3 | HWY_AVX3_DL);
  else if (asked == "avx2")
    hwy::DisableTargets(HWY_AVX3 | HWY_AVX3_DL);
  else if (asked != "avx512")
    return usageError("TILERIG_EMULATOR_SIMD",
                      fmt::format("unknown value '{}', expected avx512, avx2 or baseline", asked));
  return success();
}

Result<EightBitKernels> chooseEightBitKernels(const char *asked, std::string_view vectors,
                                              bool oneDnnIsExact) {
  if (!asked)
    return vectors == "avx512" && oneDnnIsExact ? EightBitKernels::oneDnn : EightBitKernels::own;
  if (asked == std::string_view("own"))
    return EightBitKernels::own;
  if (asked == std::string_view("onednn"))
    return EightBitKernels::oneDnn;
  return usageError("TILERIG_EMULATOR_INT8",
                    fmt::format("unknown value '{}', expected own or onednn", asked));
}

static const Result<EightBitKernels> &chosenEightBitKernels() {
  static const Result<EightBitKernels> chosen =
      chooseEightBitKernels(std::getenv("TILERIG_EMULATOR_INT8"), askedVectors(), pod::oneDnnIsExact());
  return chosen;
}

EightBitKernels eightBitKernels() {
  const Result<EightBitKernels> &chosen = chosenEightBitKernels();
  return chosen ? *chosen : EightBitKernels::own;
}

Status chooseVectors() {
  static const Status chosen = [] {
    const Status vectors = disableVectors();
    const Result<EightBitKernels> &eightBits = chosenEightBitKernels();
    return vectors && !eightBits ? Status(eightBits.error()) : vectors;
  }();
  return chosen;
}

} // namespace tilerig::emulator
