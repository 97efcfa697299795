#include "compiler/PassCheck/Rerun.h"

#include <llvm/Support/raw_ostream.h>
#include <mlir/Pass/Pass.h>
#include <mlir/Pass/PassRegistry.h>

namespace tilerig::compiler {

mlir::OwningOpRef<mlir::ModuleOp> Rerun::on(mlir::ModuleOp module) const {
  mlir::PassManager passes(module.getContext());
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  if (mlir::failed(mlir::parsePassPipeline(pipeline, passes, stream)))
    return {};
  if (prepare)
    prepare(passes);
  const mlir::ScopedDiagnosticHandler quiet(module.getContext(), [](mlir::Diagnostic &) {});
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  return mlir::succeeded(passes.run(*copy)) ? std::move(copy) : mlir::OwningOpRef<mlir::ModuleOp>();
}

std::string nameOf(const mlir::Pass &pass) {
  return (pass.getArgument().empty() ? pass.getName() : pass.getArgument()).str();
}

bool isAdaptor(const mlir::Pass &pass) {
  return pass.getArgument().empty() && pass.getName().contains("Adaptor");
}

std::string pipelineOf(mlir::Pass &pass, mlir::Operation *operation) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  pass.printAsTextualPipeline(stream);
  return llvm::isa<mlir::ModuleOp>(operation) ? text
                                              : operation->getName().getStringRef().str() + "(" + text + ")";
}

mlir::ModuleOp moduleOf(mlir::Operation *operation) {
  const auto module = llvm::dyn_cast<mlir::ModuleOp>(operation);
  return module ? module : operation->getParentOfType<mlir::ModuleOp>();
}

} // namespace tilerig::compiler
