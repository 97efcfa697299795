// Instructions as bytes: the words of a program file.
//
// Encoder and decoder are walks over fields(), unrolled at compile time, and know no instruction by name. An
// instruction is a whole number of words of 16 bytes, little-endian, and begins with its opcode. The decoder
// lets through exactly what the encoder can produce: it refuses unknown opcodes, truncation, reserved bits
// that are set and values outside a field's range. What an instruction means beyond its single fields is
// checkInstruction's part.
#pragma once

#include "isa/Instructions/Instruction.h"
#include "isa/Support/Error.h"

#include <cstddef>
#include <span>
#include <vector>

namespace tilerig {

// Refuses an instruction in memory that cannot be written down, naming the field that is out of its range.
Status checkRanges(const Instruction &instruction);

// Appends the instruction's words. Its fields are in their ranges: it was decoded, assembled or checked.
void encode(const Instruction &instruction, std::vector<std::byte> &out);

// Takes one instruction from the front of `cursor`, which stays where it was when the instruction is refused.
// Errors name the mnemonic and the field ("conv: input.dims[2].size") or the reserved bit.
Result<Instruction> decode(std::span<const std::byte> &cursor);

// All of a tile's instructions. Errors begin with "instruction 17", counted from 0.
Result<std::vector<Instruction>> decodeAll(std::span<const std::byte> bytes);

} // namespace tilerig
