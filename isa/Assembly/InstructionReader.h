// Parses one instruction at a cursor. Internal to the assembler.
#pragma once

#include "isa/Assembly/Cursor.h"
#include "isa/Instructions/Instruction.h"

namespace tilerig {

// Parses one instruction. The cursor must stand at the mnemonic. The instruction ends at the first line that
// does not begin with an operand (`name=`).
bool readInstruction(Cursor &cursor, Instruction &instruction);

} // namespace tilerig
