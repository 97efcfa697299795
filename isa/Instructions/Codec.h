// Encoder and decoder of instructions: the binary words of a program file.
//
// Both are generated at compile time from fields() and contain no code for particular instructions. An
// instruction is a whole number of 16-byte words, little-endian, and begins with its opcode. The decoder
// accepts exactly what the encoder can produce: it refuses unknown opcodes, truncated input, reserved bits
// that are set and values outside a field's range. Rules that go beyond single fields are checked by
// checkInstruction.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Instructions/Instruction.h"

#include <cstddef>
#include <span>
#include <vector>

namespace tilerig {

// Refuses an instruction with a field value that its encoding cannot hold; the error names the field.
Status checkRanges(const Instruction &instruction);

// Appends the instruction's words to `out`. All fields must be in range, as they are in an instruction that
// was decoded, assembled or checked.
void encode(const Instruction &instruction, std::vector<std::byte> &out);

// Decodes one instruction from the front of `cursor` and moves `cursor` behind it; on an error `cursor` does
// not move. Errors name the mnemonic and the field ("conv: input.dims[2].size") or the reserved bit.
Result<Instruction> decode(std::span<const std::byte> &cursor);

// Decodes all instructions of a tile. Errors begin with "instruction 17", counted from 0.
Result<std::vector<Instruction>> decodeAll(std::span<const std::byte> bytes);

} // namespace tilerig
