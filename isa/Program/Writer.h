// Writes program files. A program is verified first, the file is written completely or not at all, and equal
// programs give identical bytes. README.md describes the format; Reader.h reads the file back as an equal
// program.
#pragma once

#include "isa/Program/Program.h"

namespace tilerig {

// Writes a program file; the bytes of constants are not copied in memory. An existing file is replaced only
// when the new one is complete, so it may even be the file from which the program's constants are mapped.
Status writeProgram(const Program &program, const std::string &path);
// Returns the bytes of the program file that writeProgram() would write.
Result<std::vector<std::byte>> serialiseProgram(const Program &program);

} // namespace tilerig
