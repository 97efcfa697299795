// Reads and writes programs as files, as texts of levels tile and isa, and as assembly.
#pragma once

#include "compiler/Tile/Emit/TileLevel.h"
#include "compiler/Tools/ModuleText.h"
#include "isa/Program/Program.h"

namespace tilerig::compiler {

enum class ProgramForm { file, isa, assembly };

Status writeProgramAs(ProgramForm form, const Program &program, const std::string &path);
// Writes the program as text of level `tile`. `level` is what code generation has recorded for this text.
Status writeTiles(const Program &program, const TileLevel &level, const std::string &path);

// Reads a text of level tile or isa, expands it to a program and proves it. A program that fails the proof is
// refused, or with `allowUnproved` marked as unproved.
Result<Program> readProgramText(mlir::MLIRContext &context, const std::string &path, Level level,
                                bool allowUnproved);

} // namespace tilerig::compiler
