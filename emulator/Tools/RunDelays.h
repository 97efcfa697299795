// Amounts of delays that are set where a program is loaded: `--delay ID=CYCLES`, `--delays-from STATS.json`.
#pragma once

#include "isa/Program/Program.h"
#include "isa/Timeline/Costs.h"

#include <string>
#include <vector>

namespace tilerig {

// Refuses what is no ID=CYCLES, an id that is given twice, and one that no delay of the program has. Of
// delays that `measured`, a file of statistics, has too, the amount in `texts` counts; an empty name is none.
// Refuses statistics without delays, and those of another program.
Result<DelayAmounts> readDelays(const std::vector<std::string> &texts, const std::string &measured,
                                const Program &program);

} // namespace tilerig
