// Runs passes on a module. The error of a failed pass gives the reason and names the node of the model.
#pragma once

#include "compiler/Pipelines/Pipelines.h"

#include <functional>
#include <mlir/IR/BuiltinOps.h>

namespace tilerig::compiler {

// Called with each pass manager before it runs; may be empty.
using PreparePasses = std::function<void(mlir::PassManager &)>;

// Runs phases of the pipeline on a module, one after another. Constants that a phase has replaced are freed,
// so no other module of the context may be in use.
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
