// Writes program files. A program is verified first, the file is written completely or not at all, and equal
// programs give identical bytes. README.md describes the format; Reader.h reads the file back as an equal
// program.
#pragma once

#include "isa/Program/Program.h"

namespace tilerig {

// Writes a program file without copying the bytes of constants in memory. An existing file is replaced only
// when the new one is complete. The program may therefore use constants that are mapped from that file.
Status writeProgram(const Program &program, const std::string &path);
// Returns the bytes of the program file that writeProgram() would write.
Result<std::vector<std::byte>> serialiseProgram(const Program &program);

} // namespace tilerig
