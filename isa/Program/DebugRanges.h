// Which instructions of a program belong to which layer.
#pragma once

#include "isa/Program/Program.h"

namespace tilerig {

// Adds to the program's metadata which instructions belong to which layer: consecutive instructions with the
// same layer and mnemonic form a range.
void describeRanges(Program &program);

} // namespace tilerig
