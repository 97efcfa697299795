// When there is something to be seen in a stage that goes by beats.
#pragma once

#include "emulator/Beats/Jobs.h"
#include "emulator/Observe/Sights.h"

namespace tilerig {

// By sight, the cycle at which the last instruction of its layer, or of one before it, that writes to its
// piece has ended; where the piece lies from the beginning, `begin`. What others have written there by then,
// because nothing keeps them from it, is seen too.
std::vector<uint64_t> sightTimes(const Program &program, uint32_t stage, const std::vector<Job> &jobs,
                                 const std::vector<Sight> &sights, uint64_t begin);

} // namespace tilerig
