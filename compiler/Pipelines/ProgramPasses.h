// Passes that a user inserts behind lower-to-tile or lower-to-isa.
//
// Without them the compiler takes a short cut: it generates a program without its module. With them the program
// becomes a module of level `tile`, and is lowered by the passes of the phases `tasks` and `instructions`.
#pragma once

#include "compiler/Pipelines/RunPasses.h"

namespace tilerig::compiler {

bool hasProgramPasses(const PipelineOptions &options);

// The module of level `tile` after the inserted passes. `level`: what generateProgram() kept for this level.
Result<mlir::OwningOpRef<mlir::ModuleOp>> runTaskPasses(mlir::MLIRContext &context, const Program &program,
                                                        const TileLevel &level, const PipelineOptions &options,
                                                        const PreparePasses &prepare = {});
// The program after all inserted passes, without a proof.
Result<Program> runProgramPasses(mlir::MLIRContext &context, const Program &program, const TileLevel &level,
                                 const PipelineOptions &options, const PreparePasses &prepare = {});

} // namespace tilerig::compiler
