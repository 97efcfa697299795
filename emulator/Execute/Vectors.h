// Which of the host's means the emulator uses: the best there are, unless the environment asks for others. No
// bit depends on it; tests go through all of them.
#pragma once

#include "isa/Support/Error.h"

#include <string_view>

namespace tilerig {

// TILERIG_EMULATOR_SIMD = avx512, avx2 or baseline: the widest vectors that are used.
// TILERIG_EMULATOR_INT8 = own or onednn: what multiplies bytes. By default oneDNN where the host has
//   AVX512-VNNI or AMX and the vectors are not narrowed, since it is exact only there. Elsewhere `onednn` is
//   for tests whose weights are within ±63: larger ones give other bits.
//
// Fails on anything else. The whole process is meant, so only the first call looks.
Status chooseVectors();

enum class EightBitKernels { own, oneDnn };
// What was chosen; our own if nothing valid was.
EightBitKernels eightBitKernels();

// The choice itself, given the variable (null if there is none), the one for vectors, and whether the host
// makes oneDNN exact.
Result<EightBitKernels> chooseEightBitKernels(const char *asked, std::string_view vectors,
                                              bool oneDnnIsExact);

} // namespace tilerig
