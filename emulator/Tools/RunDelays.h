// Amounts of delay instructions, set when a program is loaded: `--delay ID=CYCLES`, `--delays-from
// STATS.json`.
#pragma once

#include "isa/Program/Program.h"
#include "isa/Timeline/Costs.h"

#include <string>
#include <vector>

namespace tilerig::emulator {

// Returns an error for a text other than ID=CYCLES, a repeated id, and an id that no delay of the program
// has. `measured` is the name of a statistics file, or empty; amounts in `texts` take precedence over those
// in the file. Statistics without delays, or of another program, are an error.
Result<DelayAmounts> readDelays(const std::vector<std::string> &texts, const std::string &measured,
                                const Program &program);

} // namespace tilerig::emulator
