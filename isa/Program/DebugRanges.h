// Which instructions of a program belong to which layer.
#pragma once

#include "isa/Program/Program.h"

namespace tilerig {

// Adds the ranges of instructions to the metadata: consecutive instructions with the same layer and mnemonic
// form a range.
void describeRanges(Program &program);

} // namespace tilerig
