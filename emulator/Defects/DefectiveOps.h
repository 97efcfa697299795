// Prepares instructions for execution on defective hardware.
#pragma once

#include "emulator/Defects/Defects.h"
#include "emulator/Execute/Prepare.h"

namespace tilerig::emulator {

// Like prepareOp(), on a tile with these defects. An instruction of a dead tile writes zeros and reads
// nothing. Defects of lanes of the POD (the tile's matrix engine) change the accumulators before the
// epilogue.
std::unique_ptr<PreparedOp> prepareDefective(const Instruction &instruction, unsigned tile,
                                             const Places &places, const Defects &defects);

// The instruction that a dead tile executes instead of an instruction of its POD (matrix engine) or PE
// (vector engine): it fills the output with zeros.
Instruction deadInstruction(const Instruction &instruction);

} // namespace tilerig::emulator
