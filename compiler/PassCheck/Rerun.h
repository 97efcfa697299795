// Repeats single passes of a compilation on copies of modules.
#pragma once

#include <functional>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/OwningOpRef.h>
#include <mlir/Pass/PassManager.h>
#include <string>

namespace tilerig::compiler {

// A pass that can be repeated on copies of modules.
struct Rerun {
  std::string pipeline; // the pass with its options, as a pipeline for a module
  // Function that is called with the pass manager of each repetition; may be empty.
  std::function<void(mlir::PassManager &)> prepare;

  // Runs the pass on a copy of the module. Returns null if the pipeline cannot be parsed, or fails.
  mlir::OwningOpRef<mlir::ModuleOp> on(mlir::ModuleOp module) const;
};

// Name of a pass in messages: its command line flag, or, if it has none, the name of its C++ class.
std::string nameOf(const mlir::Pass &pass);
// Whether a pass is one of MLIR's adaptors, which only run passes on nested operations.
bool isAdaptor(const mlir::Pass &pass);
// A pass with its options, as a textual pipeline for a module. `operation` is the MLIR operation on which the
// pass runs.
std::string pipelineOf(mlir::Pass &pass, mlir::Operation *operation);
// The module that contains the operation, or the operation itself if it is a module.
mlir::ModuleOp moduleOf(mlir::Operation *operation);

} // namespace tilerig::compiler
