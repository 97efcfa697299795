// Reads one instruction at a cursor. Internal to the assembler.
#pragma once

#include "isa/Assembly/Cursor.h"
#include "isa/Instructions/Instruction.h"

namespace tilerig {

// The instruction begins with its mnemonic where the cursor stands, and goes on for as long as operands
// follow.
bool readInstruction(Cursor &cursor, Instruction &instruction);

} // namespace tilerig
