// Reads and writes programs as files, as texts of levels tile and isa, and as assembly.
#pragma once

#include "compiler/Tile/Emit/TileLevel.h"
#include "compiler/Tools/ModuleText.h"
#include "isa/Program/Program.h"

namespace tilerig::compiler {

enum class ProgramForm { file, isa, assembly };

// Writes the program. In a file, a program that is proved free of races is written with its run plan, which is made
// and kept in the program.
Status writeProgramAs(ProgramForm form, Program &program, const std::string &path);
// Writes the program as text of level `tile`. `level` has the tasks that code generation recorded.
Status writeTiles(const Program &program, const TileLevel &level, const std::string &path);

// Reads a text of level tile or isa, expands it to a program, and proves the program free of races. Refuses a
// program that cannot be proved free of races, or, with `allowUnproved`, marks it as unproved.
Result<Program> readProgramText(mlir::MLIRContext &context, const std::string &path, Level level,
                                bool allowUnproved);

} // namespace tilerig::compiler
