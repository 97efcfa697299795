// Which instructions of a program belong to which layer.
#pragma once

#include "isa/Program/Program.h"

namespace tilerig {

// Records in the program's metadata which instructions belong to which layer. Consecutive instructions with
// the same layer and mnemonic form one entry, a range.
void describeRanges(Program &program);

} // namespace tilerig
