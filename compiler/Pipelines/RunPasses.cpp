#include "compiler/Pipelines/RunPasses.h"

#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/Import/UnusedConstants.h"
#include "compiler/Passes/PassErrors.h"
#include "compiler/Pipelines/ResolvePasses.h"

#include <fmt/core.h>

namespace tilerig::compiler {

namespace {

// Collects what passes report. The first of our own errors is kept as it is; other diagnostics become text.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext *context)
      : handler(context, [this](mlir::Diagnostic &diagnostic) { note(diagnostic); }) {}

  Error error(const std::string &model) const { return own ? *own : unsupported(model, text); }

private:
  void note(mlir::Diagnostic &diagnostic) {
    if (!own)
      own = errorOf(diagnostic);
    const std::string node = graph::nodeName(diagnostic.getLocation());
    text += fmt::format("{}{}{}", text.empty() ? "" : "; ",
                        node.empty() ? "" : fmt::format("node '{}': ", node), diagnostic.str());
  }

  std::optional<Error> own;
  std::string text;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace

Status PipelineRun::run(PipelinePhase phase) {
  mlir::PassManager manager(module.getContext());
  TILERIG_CHECK_OK(addPhase(manager, phase, options));
  if (prepare) {
    registerAllPasses(); // passes may be run again from their text
    prepare(manager);
  }
  const DiagnosticCollector diagnostics(module.getContext());
  if (mlir::failed(manager.run(module)))
    return diagnostics.error(options.model);
  releaseUnusedConstants(module);
  return success();
}

} // namespace tilerig::compiler
