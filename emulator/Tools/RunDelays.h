// Amounts of delays that are set where a program is loaded: `--delay ID=CYCLES`.
#pragma once

#include "isa/Program/Program.h"
#include "isa/Timeline/Costs.h"

#include <string>
#include <vector>

namespace tilerig {

// Refuses what is no ID=CYCLES, an id that is given twice, and one that no delay of the program has.
Result<DelayAmounts> readDelays(const std::vector<std::string> &texts, const Program &program);

} // namespace tilerig
