// Chooses which vector instructions and int8 kernels of the host the emulator uses: the best available,
// unless environment variables ask for others. Results have the same bits in every case; tests run all
// choices.
#pragma once

#include "isa/Base/Support/Error.h"

#include <string_view>

namespace tilerig::emulator {

// TILERIG_EMULATOR_SIMD = avx512, avx2 or baseline: the widest vectors to use.
// TILERIG_EMULATOR_INT8 = own or onednn: the kernels for 8-bit products. The default is oneDNN where the host
//   has AVX512-VNNI or AMX and the first variable allows AVX-512, since oneDNN is exact only there. On other
//   hosts `onednn` is for tests whose weights are within ±63: larger weights give wrong bits.
//
// Chooses vectors and kernels by these environment variables. Returns an error if one of them has any other
// value. The choice holds for the whole process: only the first call reads the variables.
Status chooseVectors();

enum class EightBitKernels { own, oneDnn };
// The int8 kernels that were chosen; `own` if no valid choice was made.
EightBitKernels eightBitKernels();

// Selects the int8 kernels by the rule of chooseVectors(): `asked` is the value of TILERIG_EMULATOR_INT8
// (null if unset), `vectors` the widest vectors to use, and `oneDnnIsExact` tells whether oneDNN is exact on
// this host.
Result<EightBitKernels> chooseEightBitKernels(const char *asked, std::string_view vectors,
                                              bool oneDnnIsExact);

} // namespace tilerig::emulator
