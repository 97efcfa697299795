// Instructions and programs as text that reads back as exactly the same: Parser.h. What the text may look
// like is said in Grammar.h; this writes one canonical form of it, without most of what is at its default.
#pragma once

#include "isa/Instructions/Instruction.h"
#include "isa/Program/Program.h"

#include <cstddef>
#include <optional>
#include <string>

namespace tilerig {

// Longer lines than this are broken, operand by operand.
inline constexpr size_t textWidth = 100;

std::string printInstruction(const Instruction &instruction);
// The same into `out`, where the line already begins with `indent` blanks; further lines get four more. Other
// languages spell floats otherwise.
using FloatSpelling = void (*)(std::string &out, float value);
void printInstruction(const Instruction &instruction, size_t indent, std::string &out,
                      FloatSpelling spelling = nullptr);

struct PrintOptions {
  bool annotate = false;        // each instruction with its index, layer, engine and length, as a comment
  std::optional<size_t> stage;  // only this stage,
  std::optional<unsigned> tile; // only this tile of it, and nothing but stages
};

std::string printProgram(const Program &program, const PrintOptions &options = {});

} // namespace tilerig
