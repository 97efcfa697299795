#include "compiler/Passes/InsertedPasses.h"

#include "isa/Base/Support/Nearest.h"

#include <fmt/core.h>
#include <llvm/Support/raw_ostream.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/Pass/Pass.h>
#include <mlir/Pass/PassRegistry.h>

namespace tilerig::compiler {

namespace {

// The text of a pipeline that runs the inserted passes on a module. The passes are nested in the module's
// function or program if that is possible; otherwise they are used exactly as the user wrote them. Empty if
// neither can be parsed.
std::optional<std::string> forModules(const std::string &text, bool isOnProgram, std::string &problem) {
  const std::string inside = isOnProgram ? "isa.program" : "func.func";
  for (const std::string &pipeline : {inside + "(" + text + ")", text}) {
    problem.clear();
    llvm::raw_string_ostream stream(problem);
    mlir::OpPassManager manager(mlir::ModuleOp::getOperationName());
    if (mlir::succeeded(mlir::parsePassPipeline(pipeline, manager, stream)))
      return pipeline;
  }
  return {};
}

} // namespace

Result<InsertedPass> parseInsertedPass(const std::string &text) {
  InsertedPass pass{text, ""};
  if (const size_t at = text.rfind('@'); at != std::string::npos && text.find('}', at) == std::string::npos) {
    const std::string place = text.substr(at + 1);
    const size_t equals = place.find('=');
    const std::string side = place.substr(0, equals);
    if (equals == std::string::npos || equals + 1 == place.size() || (side != "after" && side != "before"))
      return usageError("--insert-pass", fmt::format("'{}' is not a place in the pipeline", place),
                        "write NAME@after=PASS or NAME@before=PASS");
    pass = {text.substr(0, at), place.substr(equals + 1), side == "before"};
  }
  std::string problem;
  const auto pipeline =
      pass.pipeline.empty() ? std::nullopt : forModules(pass.pipeline, pass.isOnProgram(), problem);
  if (!pipeline)
    return usageError(
        "--insert-pass",
        fmt::format("'{}' is not a pass: {}", pass.pipeline, problem.substr(0, problem.find('\n'))),
        "tilerig-opt --help lists the passes, with --load-pass-plugin=FILE also those of a plugin");
  pass.pipeline = *pipeline;
  return pass;
}

Status checkAnchors(llvm::ArrayRef<InsertedPass> inserted, llvm::ArrayRef<std::string> names) {
  const std::vector<std::string_view> known(names.begin(), names.end());
  for (const InsertedPass &pass : inserted)
    if (!pass.anchor.empty() && !llvm::is_contained(names, pass.anchor))
      return usageError("--insert-pass", fmt::format("the pipeline has no pass '{}'", pass.anchor),
                        suggestion(pass.anchor, known));
  return success();
}

void PassSequence::add(std::unique_ptr<mlir::Pass> pass) {
  const std::string name = pass->getArgument().str();
  insert(name, true);
  addAlone(std::move(pass));
  insert(name, false);
}

void PassSequence::addAlone(std::unique_ptr<mlir::Pass> pass) {
  if (pass->getOpName() == mlir::ModuleOp::getOperationName())
    module.addPass(std::move(pass));
  else
    module.addNestedPass<mlir::func::FuncOp>(std::move(pass));
}

void PassSequence::insert(llvm::StringRef anchor, bool isBefore) {
  if (names && !anchor.empty() && !llvm::is_contained(*names, anchor))
    names->push_back(anchor.str());
  for (const InsertedPass &pass : inserted)
    if (pass.anchor == anchor && pass.isBefore == isBefore) {
      // Parsing the pipeline here cannot fail, because parseInsertedPass() has already parsed the same text.
      (void)mlir::parsePassPipeline(pass.pipeline, module);
    }
}

} // namespace tilerig::compiler
