#include "compiler/Tools/ProgramForms.h"

#include "compiler/Isa/IR/Programs.h"
#include "compiler/Tile/IR/TileModule.h"
#include "compiler/Tile/ToIsa/LowerToIsa.h"
#include "isa/Analyser/Analyser.h"
#include "isa/Assembly/Printer.h"
#include "isa/Base/Support/File.h"
#include "isa/Program/Writer.h"
#include "isa/RunPlan/RunPlan.h"

namespace tilerig::compiler {

Status writeProgramAs(ProgramForm form, Program &program, const std::string &path) {
  switch (form) {
  case ProgramForm::file:
    if (program.proof)
      storeRunPlan(program);
    return writeProgram(program, path);
  case ProgramForm::assembly:
    return writeText(path, printProgram(program));
  case ProgramForm::isa: {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    return writeModule(*isa::moduleOf(context, program), path);
  }
  }
  return internalError(path, "the requested form of the program is not known");
}

Status writeTiles(const Program &program, const TileLevel &level, const std::string &path) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  TILERIG_TRY(mlir::OwningOpRef<mlir::ModuleOp> module, tile::moduleOf(context, program, level));
  return writeModule(*module, path);
}

Result<Program> readProgramText(mlir::MLIRContext &context, const std::string &path, Level level,
                                bool allowUnproved) {
  TILERIG_TRY(mlir::OwningOpRef<mlir::ModuleOp> module, readModule(context, path, level));
  isa::ProgramOp source = *module->getOps<isa::ProgramOp>().begin();
  if (level == Level::tile)
    tile::lowerToIsa(source);
  auto read = isa::programOf(source);
  if (!read)
    return read.error().within(path);
  Program program = *std::move(read);
  program.metadata.clear_allow_unproved();
  if (const Status proved = prove(program); !proved) {
    if (!allowUnproved)
      return invalidInput(path,
                          "the analyser cannot prove the program free of races, deadlocks and uninitialised "
                          "reads: " +
                              proved.error().message(),
                          "correct the program, or use --allow-unproved");
    program.metadata.set_allow_unproved(true);
  }
  return program;
}

} // namespace tilerig::compiler
