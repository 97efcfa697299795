// The fingerprint of the instruction set's encoding. A program file carries it, so that instructions written
// by another version are refused instead of being read as something else.
#pragma once

#include <cstdint>
#include <string>

namespace tilerig {

// Everything that gives bits their sense, a line for each instruction and each field: opcode, mnemonic,
// length; name, place, range. Meanings, which are prose, are left out. Texts of two versions compare line by
// line.
std::string schemaText();
// A stable hash of that text.
uint64_t schemaHash();

} // namespace tilerig
