// Finds the smallest module on which a pass shows a wrong result.
#pragma once

#include "compiler/PassCheck/Compare.h"
#include "compiler/PassCheck/Rerun.h"

namespace tilerig::compiler {

// A module with the tensors for its arguments.
struct Reproducer {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  TensorMap inputs;
  size_t operations = 0; // in it, without constants
};

// Extracts from the function `before` a small module that the pass changes to one with another result.
// `wrong`: a value of that function whose tensor the pass computes wrongly. None if the pass is right on
// every part of the function.
std::optional<Reproducer> reproduce(mlir::func::FuncOp before, mlir::Value wrong, const Rerun &pass,
                                    const KnownTensors &known, ModelRunner &runner,
                                    ModelRunner::Arithmetic arithmetic);

// Whether the module of a reproducer is compared bit by bit, because its precisions are decided.
bool isComparedExactly(mlir::ModuleOp module);

// The module as text, with the pipeline as the comment that `tilerig-opt --run-reproducer` reads.
std::string textOf(const Reproducer &reproducer, const std::string &pipeline);

} // namespace tilerig::compiler
