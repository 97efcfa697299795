#include "compiler/Pipelines/RunPasses.h"

#include "compiler/Graph/IR/Origins.h"
#include "compiler/Pipelines/ResolvePasses.h"

#include <fmt/core.h>
#include <llvm/Support/raw_ostream.h>
#include <mlir/Pass/PassRegistry.h>

namespace tilerig::compiler {

namespace {

class Passes {
public:
  Passes(mlir::ModuleOp module, const std::string &model)
      : module(module), model(model), manager(module.getContext()),
        handler(module.getContext(), [this](mlir::Diagnostic &diagnostic) { hear(diagnostic); }) {}

  // Adds a pipeline given as text, in the syntax of tilerig-opt.
  Status add(const std::string &pipeline) {
    registerAllPasses();
    llvm::raw_string_ostream stream(said);
    if (mlir::failed(mlir::parsePassPipeline(pipeline, manager, stream)))
      return usageError("--passes", "the pipeline cannot be parsed: " + said.substr(0, said.find('\n')),
                        "tilerig-opt --help lists the passes");
    return success();
  }
  Status add(const std::function<void(mlir::OpPassManager &)> &build) {
    build(manager);
    return success();
  }
  Status run() { return mlir::failed(manager.run(module)) ? Status(unsupported(model, said)) : success(); }

  void prepare(const PreparePasses &prepare) {
    registerAllPasses(); // passes may be run again from their text
    prepare(manager);
  }

private:
  void hear(mlir::Diagnostic &diagnostic) {
    const std::string node = graph::nodeName(diagnostic.getLocation());
    said += fmt::format("{}{}{}", said.empty() ? "" : "; ",
                        node.empty() ? "" : fmt::format("node '{}': ", node), diagnostic.str());
  }

  mlir::ModuleOp module;
  const std::string &model;
  std::string said;
  mlir::PassManager manager;
  mlir::ScopedDiagnosticHandler handler;
};

template <class Pipeline>
Status addAndRun(mlir::ModuleOp module, const std::string &model, const Pipeline &pipeline,
                 const PreparePasses &prepare) {
  Passes passes(module, model);
  if (prepare)
    passes.prepare(prepare);
  TILERIG_CHECK_OK(passes.add(pipeline));
  return passes.run();
}

} // namespace

Status runPasses(mlir::ModuleOp module, const std::string &model, const std::string &pipeline,
                 const PreparePasses &prepare) {
  return addAndRun(module, model, pipeline, prepare);
}

Status runPasses(mlir::ModuleOp module, const std::string &model,
                 const std::function<void(mlir::OpPassManager &)> &build, const PreparePasses &prepare) {
  return addAndRun(module, model, build, prepare);
}

} // namespace tilerig::compiler
