// Instructions as broken hardware carries them out.
#pragma once

#include "emulator/Defects/Defects.h"
#include "emulator/Execute/Prepare.h"

namespace tilerig {

// As prepareWork(), on a tile with these defects. A dead tile writes zeros and reads nothing; a POD with bad
// lanes takes its accumulators through them before anything else is done with these.
std::unique_ptr<Work> prepareDefective(const Instruction &instruction, unsigned tile, const Places &places,
                                       const Defects &defects);

// What is left of a POD or PE instruction of a dead tile: zeros where its output would be.
Instruction deadInstruction(const Instruction &instruction);

} // namespace tilerig
