// A search for faster ways to cut a network and to order what it loads: what `tilerig compile --search` does.
#pragma once

#include "compiler/Codegen/AssembleProgram.h"
#include "compiler/Search/SearchKnobs.h"

namespace tilerig {

struct ProgramSearch {
  ProgramOptions options; // with what was found
  SearchOutcome outcome;
};

// `options`: where it starts. Layers that its strategy asks anything of stay as they are asked for.
Result<ProgramSearch> searchProgram(const DeviceNetwork &network, const Machine &machine,
                                    ProgramOptions options, unsigned budget, uint64_t seed);

// What came of it, for people.
std::string describeSearch(const ProgramSearch &search);

} // namespace tilerig
