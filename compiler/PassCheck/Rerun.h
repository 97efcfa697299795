// Runs passes of a compilation again, alone.
#pragma once

#include <functional>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/OwningOpRef.h>
#include <mlir/Pass/PassManager.h>
#include <string>

namespace tilerig::compiler {

// A pass to run again.
struct Rerun {
  std::string pipeline;                             // the pass with its options, as a pipeline for a module
  std::function<void(mlir::PassManager &)> prepare; // called with the manager before it runs; may be empty

  // Runs the pass on a copy of the module. Returns null if the pipeline cannot be parsed, or fails.
  mlir::OwningOpRef<mlir::ModuleOp> on(mlir::ModuleOp module) const;
};

// For instrumentation: the argument of a pass, or, if it has none, its name.
std::string nameOf(const mlir::Pass &pass);
// Adaptors, which run passes on nested operations, are no passes of their own.
bool isAdaptor(const mlir::Pass &pass);
// The pass with its options, as a pipeline for a module. `operation`: on which the pass runs.
std::string pipelineOf(mlir::Pass &pass, mlir::Operation *operation);
// The module that contains the operation.
mlir::ModuleOp moduleOf(mlir::Operation *operation);

} // namespace tilerig::compiler
