// Runs the passes that a user inserts behind lower-to-tile or lower-to-isa.
//
// Without inserted passes, the compiler generates the program directly and builds no module of it. With
// inserted passes, it converts the program to a module of level `tile`, which the phases `tasks` and
// `instructions` lower.
#pragma once

#include "compiler/Pipelines/RunPasses.h"

namespace tilerig::compiler {

bool hasProgramPasses(const PipelineOptions &options);

// Runs the passes that the user inserted behind lower-to-tile, and returns the program as a module of level
// `tile`. `level` has the tasks that generateProgram() recorded.
Result<mlir::OwningOpRef<mlir::ModuleOp>> runTaskPasses(mlir::MLIRContext &context, const Program &program,
                                                        const TileLevel &level,
                                                        const PipelineOptions &options,
                                                        const PreparePasses &prepare = {});
// Runs all passes that the user inserted on the program, and returns the resulting program, which is not yet
// proved free of races.
Result<Program> runProgramPasses(mlir::MLIRContext &context, const Program &program, const TileLevel &level,
                                 const PipelineOptions &options, const PreparePasses &prepare = {});

} // namespace tilerig::compiler
