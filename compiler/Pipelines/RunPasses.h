// Runs passes on a module. If a pass fails, the error gives the reason and names the ONNX node concerned.
#pragma once

#include "compiler/Pipelines/Pipelines.h"

#include <functional>
#include <mlir/IR/BuiltinOps.h>

namespace tilerig::compiler {

// Function that is called with each pass manager before the manager runs; may be empty.
using PreparePasses = std::function<void(mlir::PassManager &)>;

// Runs phases of the pipeline on a module, one after another. After each phase, frees constants that the
// module no longer uses, so no other module of the same MLIR context may be in use.
class PipelineRun {
public:
  PipelineRun(mlir::ModuleOp module, const PipelineOptions &options, PreparePasses prepare = {})
      : module(module), options(options), prepare(std::move(prepare)) {}

  Status run(PipelinePhase phase);

private:
  mlir::ModuleOp module;
  const PipelineOptions &options;
  PreparePasses prepare;
};

} // namespace tilerig::compiler
