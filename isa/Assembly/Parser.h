// Parses assembly text into instructions and programs. Grammar.h states the syntax; Printer.h is the inverse.
//
// Parsing stops at the first error and reports its place ("halo.trasm:12:9"), what was found and what was
// expected. The parser accepts everything that can be encoded, so that tests can state illegal programs.
// Whether instructions are legal is checked elsewhere (checkInstruction, verifyProgram, the analyser).
#pragma once

#include "isa/Assembly/ProgramTest.h"
#include "isa/Base/Support/Error.h"
#include "isa/Program/Program.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilerig {

// Parses one instruction that uses no names defined by a surrounding program.
Result<Instruction> parseInstruction(std::string_view text, const std::string &place = "instruction");

// Parses a program. `place` is the name of the text in messages, usually its file.
Result<Program> parseProgram(std::string_view text, const std::string &place);

// The result of parsing a text: the program, its tests, and the lines of its instructions.
struct Assembly {
  Program program;
  ProgramTest test;
  // Line of the text at which each instruction begins: lines[stage][tile][instruction]. A halt that the
  // assembler added has line 0.
  std::vector<std::vector<std::vector<uint32_t>>> lines;
};

// Limits on the memory that a short assembly text can demand.
struct ParseLimits {
  // Limit in bytes on what `value*count` and ranges may expand to, over all data of a text together.
  uint64_t unfoldedBytes = uint64_t{4} << 30;
};

// Parses a program together with its tests and line numbers.
Result<Assembly> parseAssembly(std::string_view text, const std::string &place,
                               const ParseLimits &limits = {});

} // namespace tilerig
