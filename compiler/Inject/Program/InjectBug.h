// Bug injection: generates programs as the compiler would if it had one particular bug.
//
// Input is a clean network. Depending on its kind, a bug changes device operations before planning, the tile
// plan, or tasks before scheduling; all other steps of the compiler are unchanged. Without a bug nothing
// changes.
#pragma once

#include "compiler/Tile/Emit/AssembleProgram.h"
#include "isa/Bugs/Draw.h"

namespace tilerig::compiler {

struct MutantProgram {
  Program program; // the program is not proved free of races: the bug may prevent a proof
  InjectedBug bug;
};

// Generates the program with one bug. `choice` states the bug, and optionally its parameters and the layer;
// `seed` determines what `choice` leaves open. Hardware bugs, which the emulator simulates, cannot be
// injected here. Returns an `unsupported` error if no eligible layer has a place for the bug.
Result<MutantProgram> generateWithBug(const DeviceNetwork &network, const Machine &machine,
                                      ProgramOptions options, const BugChoice &choice, uint64_t seed);

} // namespace tilerig::compiler
