// A file with several programs, one for each choice of shapes of the inputs for which a network was compiled.
//
//   magic | version | count | hash of what precedes it and of the table | table: offset and size of each program |
//   programs
//
// Each program is a complete program file (Layout.h) and begins at the next multiple of 4096, so that its constants can
// be mapped; between them are zeros. "FILE#2" is the second program of a file.
#pragma once

#include "isa/Program/Program.h"

#include <optional>

namespace tilerig {

// Limit on the number of programs in a file.
inline constexpr uint32_t mostPrograms = 4096;

// A program as users name it.
struct ProgramName {
  std::string file;
  std::optional<uint64_t> number; // from 1 on; empty if the name has no number
};
// Splits "FILE#2". If a file of the whole name exists, "#2" is part of the file's name.
ProgramName programNameOf(const std::string &name);

// The first bytes of a file with programs of these sizes, up to the end of the table.
std::vector<std::byte> headOfSet(const std::vector<uint64_t> &sizes);
bool isProgramSet(std::span<const std::byte> file);
// The bytes of each program in a file. Checks the table and the gaps, but not the programs.
Result<std::vector<std::span<const std::byte>>> programsIn(std::span<const std::byte> file);

// Writes a file with the programs of these files.
Status writeProgramSet(const std::vector<std::string> &programs, const std::string &path);

// The shapes of a program's inputs, for users: "x=1x3x48x160 mask=1x160".
std::string shapesOfInputs(const Program &program);

} // namespace tilerig
