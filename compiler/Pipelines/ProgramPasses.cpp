#include "compiler/Pipelines/ProgramPasses.h"

#include "compiler/Isa/IR/Programs.h"
#include "compiler/Tile/IR/TileModule.h"

namespace tilerig::compiler {

bool hasProgramPasses(const PipelineOptions &options) {
  return llvm::any_of(options.inserted, [](const InsertedPass &pass) { return pass.isOnProgram(); });
}

Result<mlir::OwningOpRef<mlir::ModuleOp>> runTaskPasses(mlir::MLIRContext &context, const Program &program,
                                                        const TileLevel &level,
                                                        const PipelineOptions &options,
                                                        const PreparePasses &prepare) {
  TILERIG_TRY(mlir::OwningOpRef<mlir::ModuleOp> module, tile::moduleOf(context, program, level));
  TILERIG_CHECK_OK(PipelineRun(*module, options, prepare).run(PipelinePhase::tasks));
  return module;
}

Result<Program> runProgramPasses(mlir::MLIRContext &context, const Program &program, const TileLevel &level,
                                 const PipelineOptions &options, const PreparePasses &prepare) {
  TILERIG_TRY(mlir::OwningOpRef<mlir::ModuleOp> module,
              runTaskPasses(context, program, level, options, prepare));
  TILERIG_CHECK_OK(PipelineRun(*module, options, prepare).run(PipelinePhase::instructions));
  auto programs = module->getOps<isa::ProgramOp>();
  if (!llvm::hasSingleElement(programs))
    return invalidInput(options.model,
                        "the inserted passes do not leave exactly one isa.program in the module");
  return isa::programOf(*programs.begin());
}

} // namespace tilerig::compiler
