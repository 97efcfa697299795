// The fingerprint of the instruction encoding. It is stored in every program file, so that instructions
// written by another version are refused instead of being misread.
#pragma once

#include <cstdint>
#include <string>

namespace tilerig {

// The complete encoding as text, one line for each instruction and each field: opcode, mnemonic, length;
// name, bit position, range. The prose descriptions are left out. The texts of two versions can be compared
// line by line.
std::string schemaText();
// A stable hash of the text that schemaText() returns.
uint64_t schemaHash();

} // namespace tilerig
