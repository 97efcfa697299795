#include "compiler/Pipelines/RunPasses.h"

#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/Import/UnusedConstants.h"
#include "compiler/Passes/PassErrors.h"
#include "compiler/Pipelines/PassInstruments.h"
#include "compiler/Pipelines/ResolvePasses.h"

#include <fmt/core.h>
#include <mlir/IR/Verifier.h>

namespace tilerig::compiler {

namespace {

// Collects the diagnostics of passes. If there are several errors, returns the first one that this compiler
// reported itself; if MLIR reported all of them, joins their texts. Warnings and remarks are added to the
// notes for the user.
class DiagnosticCollector {
public:
  DiagnosticCollector(mlir::MLIRContext *context, PipelineNotes *notes)
      : notes(notes), handler(context, [this](mlir::Diagnostic &diagnostic) { collect(diagnostic); }) {}

  Error error(const std::string &model) const { return own ? *own : unsupported(model, text); }

private:
  void collect(mlir::Diagnostic &diagnostic) {
    switch (diagnostic.getSeverity()) {
    case mlir::DiagnosticSeverity::Error:
      if (!own)
        own = errorOf(diagnostic);
      text += (text.empty() ? "" : "; ") + textOf(diagnostic);
      break;
    case mlir::DiagnosticSeverity::Warning:
      if (notes)
        tell(notes->warnings, textOf(diagnostic));
      break;
    default:
      if (notes)
        tell(notes->remarks, textOf(diagnostic));
    }
  }

  // Adds a message to the list unless the list already has it, because a pass that runs several times repeats
  // its messages.
  static void tell(std::vector<std::string> &lines, std::string text) {
    if (!llvm::is_contained(lines, text))
      lines.push_back(std::move(text));
  }

  static std::string textOf(mlir::Diagnostic &diagnostic) {
    const std::string node = graph::nodeName(diagnostic.getLocation());
    std::string text = (node.empty() ? "" : fmt::format("node '{}': ", node)) + diagnostic.str();
    for (mlir::Diagnostic &note : diagnostic.getNotes())
      if (const std::string more = note.str(); !llvm::StringRef(more).starts_with("see current operation"))
        text += fmt::format(" ({})", more);
    return text;
  }

  PipelineNotes *notes;
  std::optional<Error> own;
  std::string text;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace

Status PipelineRun::run(PipelinePhase phase) {
  mlir::PassManager manager(module.getContext());
  TILERIG_CHECK_OK(addPhase(manager, phase, options));
  manager.enableVerifier(options.verifiesEach);
  registerAllPasses(); // to repeat a pass, the pass check parses its text, so the pass must be registered
  if (options.instruments)
    options.instruments->add(manager, nameOf(phase));
  if (prepare)
    prepare(manager);
  // Timing is added last, so that the times of passes do not include the work of other instrumentation.
  mlir::TimingScope scope;
  if (options.instruments) {
    scope = options.instruments->time(nameOf(phase));
    manager.enableTiming(scope);
  }
  const DiagnosticCollector diagnostics(module.getContext(), options.notes);
  if (mlir::failed(manager.run(module)) || (!options.verifiesEach && mlir::failed(mlir::verify(module))))
    return diagnostics.error(options.model);
  releaseUnusedConstants(module);
  return success();
}

} // namespace tilerig::compiler
