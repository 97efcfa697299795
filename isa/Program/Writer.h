// Writes a program file: verified first, whole or not at all, and byte for byte the same for the same
// program. The form is described in README.md; what is written reads back as an equal program (Reader.h).
#pragma once

#include "isa/Program/Program.h"

namespace tilerig {

// Constants go straight from where they lie into the file. An existing file is replaced only when the new one
// is complete; one that the program's own constants are mapped from may be replaced by it.
Status writeProgram(const Program &program, const std::string &path);
// The bytes of the file.
Result<std::vector<std::byte>> serialiseProgram(const Program &program);

} // namespace tilerig
