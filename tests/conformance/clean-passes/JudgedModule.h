// A module (an imported ONNX model with its inputs, or a function of an MLIR text) on which compiler passes
// run, so that each pass can be checked.
#pragma once

#include "compiler/PassCheck/PassWatch.h"
#include "reference/Run/Threads.h"
#include "verify/Check/SourceModel.h"

#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/MLIRContext.h>
#include <mlir/IR/OwningOpRef.h>

namespace tilerig::meaning {

// Which compiler passes to run over a module, and for which precision.
struct PassRun {
  std::string name;                      // for messages
  std::string pipeline = {};             // passes on level `graph`; if empty, the compiler's usual passes
  std::vector<std::string> without = {}; // passes to leave out of the usual pipeline
  // Whether the usual passes that lower the module to level `layer` run after these passes.
  bool makesLayers = true;
  // The precision for the passes that choose the type and the place (host or accelerator) of every layer. If
  // empty, these passes do not run.
  std::string precision = {};
};

struct PassJudgement {
  // The results of the check, one for each pass that ran. If the compiler refused the module, the later
  // passes have no result.
  compiler::PassCheckResult passes;
  std::string refusal; // why the compiler refused to make layers; empty if it made them
};

class JudgedModule {
public:
  using Module = mlir::OwningOpRef<mlir::ModuleOp>;

  // `threads` must outlive the module. Fails if the reference or the importer refuses the model.
  static Result<JudgedModule> import(const verify::SourceModel &source, const TensorMap &inputs,
                                     reference::Threads &threads);
  // An MLIR text whose function is `main`, with inputs drawn from a seed.
  static Result<JudgedModule> of(const std::string &text, std::string name, uint64_t seed,
                                 reference::Threads &threads);

  Result<PassJudgement> judge(const PassRun &run) const;

private:
  // Each run has a module and a context of its own, since passes release constants that their module does not
  // use any more.
  using Load = std::function<Result<Module>(mlir::MLIRContext &context)>;
  JudgedModule(Load load, std::string name, TensorMap inputs, TensorMap original, reference::Threads &threads)
      : load(std::move(load)), name(std::move(name)), inputs(std::move(inputs)),
        original(std::move(original)), threads(&threads) {}
  Status lower(mlir::ModuleOp module, const PassRun &run, compiler::PassWatch &watch) const;

  Load load;
  std::string name;
  TensorMap inputs;
  TensorMap original; // tensors of the original model, computed in doubles, and its inputs
  reference::Threads *threads;
};

} // namespace tilerig::meaning
