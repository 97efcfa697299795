// Finds the smallest module on which a pass shows a wrong result.
#pragma once

#include "compiler/PassCheck/Compare.h"

#include <mlir/IR/OwningOpRef.h>

namespace tilerig::compiler {

// Runs the pipeline on a copy of the module; null if it cannot be parsed, or fails.
mlir::OwningOpRef<mlir::ModuleOp> rerun(mlir::ModuleOp module, const std::string &pipeline);

// A module with the tensors for its arguments.
struct Reproducer {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  TensorMap inputs;
  size_t operations = 0; // in it, without constants
};

// Extracts from the function `before` a small module that the pipeline changes to one with another result.
// `wrong`: a value of that function whose tensor the pipeline computes wrongly. None if the pass is right on
// every part of the function.
std::optional<Reproducer> reproduce(mlir::func::FuncOp before, mlir::Value wrong, const std::string &pipeline,
                                    const TensorMap &known, ModelRunner &runner,
                                    ModelRunner::Arithmetic arithmetic);

// The module as text, with the pipeline as the comment that `tilerig-opt --run-reproducer` reads.
std::string textOf(const Reproducer &reproducer, const std::string &pipeline);

} // namespace tilerig::compiler
