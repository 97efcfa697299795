// Assembly text as instructions and programs. The syntax is stated in Grammar.h; Printer.h writes it.
//
// A text is refused at its first mistake, with its place ("halo.trasm:12:9"), what was found there and what
// was expected. Whether instructions make sense is asked elsewhere (checkInstruction, verifyProgram, the
// analyser): the parser lets through what can be encoded, so that tests can write down what must be refused.
#pragma once

#include "isa/Assembly/ProgramTest.h"
#include "isa/Program/Program.h"
#include "isa/Support/Error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilerig {

// One instruction, without names from a program around it.
Result<Instruction> parseInstruction(std::string_view text, const std::string &place = "instruction");

// `place` is the name of the text in messages, usually its file.
Result<Program> parseProgram(std::string_view text, const std::string &place);

struct Assembly {
  Program program;
  ProgramTest test;
  // The line of the text in which an instruction begins: lines[stage][tile][instruction]. A halt that the
  // text left to the assembler has line 0.
  std::vector<std::vector<std::vector<uint32_t>>> lines;
};

struct ParseLimits {
  // Bytes that `value*count` and ranges may unfold to, all data of a text together.
  uint64_t unfoldedBytes = uint64_t{4} << 30;
};

// A program with everything that its text says besides.
Result<Assembly> parseAssembly(std::string_view text, const std::string &place,
                               const ParseLimits &limits = {});

} // namespace tilerig
