// Programs in the forms in which the command writes and reads them.
#pragma once

#include "compiler/Codegen/TileLevel.h"
#include "compiler/Tools/ModuleText.h"
#include "isa/Program/Program.h"

namespace tilerig {

enum class ProgramForm { file, isa, assembly };

Status writeProgramAs(ProgramForm form, const Program &program, const std::string &path);
// As level `tile`, with what was kept of it.
Status writeTiles(const Program &program, const TileLevel &level, const std::string &path);

// A text of level tile or isa, expanded and proved. One that is not is refused, or marked where that is
// allowed.
Result<Program> readProgramText(mlir::MLIRContext &context, const std::string &path, Level level,
                                bool allowUnproved);

} // namespace tilerig
