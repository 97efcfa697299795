// Search for a faster program, over layer splits and load order: `tilerig compile --search`.
#pragma once

#include "compiler/Planning/Search/SearchKnobs.h"
#include "compiler/Tile/Emit/AssembleProgram.h"

namespace tilerig::compiler {

struct ProgramSearch {
  ProgramOptions options; // the program's options with the best strategy found
  SearchOutcome outcome;
};

// Searches for a faster program, beginning with `options`. If options.strategy has hints for a layer, the
// layer keeps them.
Result<ProgramSearch> searchProgram(const DeviceNetwork &network, const Machine &machine,
                                    ProgramOptions options, unsigned budget, uint64_t seed);

// Describes the outcome of a search in text for users.
std::string describeSearch(const ProgramSearch &search);

} // namespace tilerig::compiler
