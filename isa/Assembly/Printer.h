// Prints instructions and programs as assembly text, from which Parser.h restores exactly the same
// instructions and programs. The output is a canonical form of the syntax in Grammar.h, without most operands
// that have their default value.
#pragma once

#include "isa/Instructions/Instruction.h"
#include "isa/Program/Program.h"

#include <cstddef>
#include <optional>
#include <string>

namespace tilerig {

// Maximum width of a line in characters; longer instructions are broken between operands.
inline constexpr size_t textWidth = 100;

std::string printInstruction(const Instruction &instruction);
// Appends the text of the instruction to `out`, whose last line already begins with `indent` blanks;
// continuation lines are indented by four more. `spelling` replaces the notation of floats, for output in
// other languages.
using FloatSpelling = void (*)(std::string &out, float value);
void printInstruction(const Instruction &instruction, size_t indent, std::string &out,
                      FloatSpelling spelling = nullptr);

struct PrintOptions {
  bool annotate = false;       // whether comments state index, layer, engine and size of instructions
  std::optional<size_t> stage; // index of the only stage to print; if not set, all stages are printed
  // Index of the only tile to print; if not set, all tiles are printed. If `tile` or `stage` is set, the only
  // directives printed are .stage and .tile.
  std::optional<unsigned> tile;
};

std::string printProgram(const Program &program, const PrintOptions &options = {});

} // namespace tilerig
