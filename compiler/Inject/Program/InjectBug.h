// Bug injection: generates programs as the compiler would if the compiler had one particular bug.
//
// Input is a network without a bug. Depending on its kind, a bug changes device operations before planning,
// the tile plan, or tasks before scheduling; all other steps of the compiler are unchanged.
#pragma once

#include "compiler/Tile/Emit/AssembleProgram.h"
#include "isa/Bugs/Draw.h"

#include <span>

namespace tilerig::compiler {

struct MutantProgram {
  Program program; // not proved free of races, because a bug may cause races
  std::vector<InjectedBug> bugs;
};

// Generates the program with bugs, usually one. A choice states the bug, and optionally its parameters and the layer; A seed for each
// choice determines what it leaves open. Hardware bugs, which the emulator simulates, cannot
// be injected here. Returns an `unsupported` error if a bug can be injected into no layer.
Result<MutantProgram> generateWithBugs(const DeviceNetwork &network, const Machine &machine,
                                       ProgramOptions options, std::span<const BugChoice> choices,
                                       std::span<const uint64_t> seeds);

} // namespace tilerig::compiler
