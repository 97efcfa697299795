// Reduces a module for which a pass computes a wrong result to the smallest module that still shows this.
#pragma once

#include "compiler/PassCheck/Compare.h"
#include "compiler/PassCheck/Rerun.h"

namespace tilerig::compiler {

// The operation that a pass changed wrongly.
struct WrongOperation {
  std::string operation; // as "graph.conv"
  std::string onnxNode;  // name of the last ONNX node from which the operation was made
};

// A reproducer: a module that shows that a pass is wrong, and the tensors for the arguments of its function.
struct Reproducer {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  TensorMap inputs;
  size_t operations = 0; // number of operations in the module, not counting constants
  WrongOperation wrong;
};

// Compares a function before and after a pass. `inputs` has the tensors for the arguments of the function.
// Returns nullopt if the pass is right.
using PassJudge = std::function<std::optional<WrongOperation>(
    mlir::func::FuncOp before, mlir::func::FuncOp after, const TensorMap &inputs)>;

// Extracts from the function `before` a small module on which the pass is wrong. `wrong` is a value of this
// function whose tensor is wrong after the pass; `values` computes the tensors for the arguments of the
// module. Returns nullopt if the pass is right on every part of the function that was tried, and on the whole
// function.
std::optional<Reproducer> reproduce(mlir::func::FuncOp before, mlir::Value wrong, const Rerun &pass,
                                    const MeaningComparer &values, const PassJudge &judge);

// Notes in a reproducer's module that results before and after the pass have to be equal bit by bit, because
// the module was taken from after the pass decide-precision.
void noteExactComparison(mlir::ModuleOp module);
// Whether the module of a reproducer has this note.
bool isComparedExactly(mlir::ModuleOp module);

// Stores the text of a bug (isa/Bugs/Choice.h) that was injected into the wrong pass in a reproducer's module.
// An empty text is not stored.
void noteInjectedBug(mlir::ModuleOp module, const std::string &bug);
// The text of the injected bug that the module of a reproducer states; empty if it states none.
std::string injectedBugOf(mlir::ModuleOp module);

// The reproducer's module as text, with the pipeline in the form that `tilerig-opt --run-reproducer` reads.
std::string textOf(const Reproducer &reproducer, const std::string &pipeline);

} // namespace tilerig::compiler
