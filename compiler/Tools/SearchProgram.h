// Search for a faster program, over layer splits and load order: `tilerig compile --search`.
#pragma once

#include "compiler/Planning/Search/SearchKnobs.h"
#include "compiler/Tile/Emit/AssembleProgram.h"

namespace tilerig::compiler {

struct ProgramSearch {
  ProgramOptions options; // with the best strategy that was found
  SearchOutcome outcome;
};

// `options`: the starting point. Layers for which its strategy already has hints keep these hints.
Result<ProgramSearch> searchProgram(const DeviceNetwork &network, const Machine &machine,
                                    ProgramOptions options, unsigned budget, uint64_t seed);

// The outcome of the search as text for users.
std::string describeSearch(const ProgramSearch &search);

} // namespace tilerig::compiler
