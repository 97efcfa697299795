// Which vectors of the host the emulator uses: the widest there are, unless the environment asks for less. No
// bit depends on it; tests go through all of them.
#pragma once

#include "isa/Support/Error.h"

namespace tilerig {

// TILERIG_EMULATOR_SIMD = avx512, avx2 or baseline. Fails on anything else. The whole process is meant, so
// only the first call looks.
Status chooseVectors();

} // namespace tilerig
