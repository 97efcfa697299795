// Programs with a bug that the compiler made on purpose.
//
// A clean network goes in, and what comes out is the program that the compiler would have made had it been
// wrong in just that place: bugs change works before they are planned, the plan, or instructions before they
// are ordered; all else is done as ever. Nothing is changed where nothing is planted.
#pragma once

#include "compiler/Codegen/AssembleProgram.h"
#include "isa/Bugs/Draw.h"

namespace tilerig {

struct MutantProgram {
  Program program; // without a proof: whoever wants one proves it, if that can be done
  PlantedBug bug;
};

// Bugs of all stages but the hardware's. Refuses, as unsupported, a bug for which no layer that
// may be meant has a place.
Result<MutantProgram> generateWithBug(const DeviceNetwork &network, const Machine &machine,
                                      ProgramOptions options, const BugChoice &choice, uint64_t seed);

} // namespace tilerig
