// Reduces a module for which a pass computes a wrong result to the smallest module that still shows this.
#pragma once

#include "compiler/PassCheck/Compare.h"
#include "compiler/PassCheck/Rerun.h"

namespace tilerig::compiler {

// A reproducer: a module that shows that a pass is wrong, and the tensors for the arguments of its function.
struct Reproducer {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  TensorMap inputs;
  size_t operations = 0; // number of operations in the module, not counting constants
};

// Extracts from the function `before` a small module whose result the pass changes. `wrong` is a value of
// this function whose tensor differs after the pass. Returns nullopt if the pass is right on every part of
// the function.
std::optional<Reproducer> reproduce(mlir::func::FuncOp before, mlir::Value wrong, const Rerun &pass,
                                    const KnownTensors &known, ModelRunner &runner,
                                    ModelRunner::Arithmetic arithmetic);

// Stores the text of a bug (isa/Bugs/Choice.h) that was injected into the wrong pass in a reproducer's module.
// An empty text is not stored.
void noteInjectedBug(mlir::ModuleOp module, const std::string &bug);
// The text of the injected bug that the module of a reproducer states; empty if it states none.
std::string injectedBugOf(mlir::ModuleOp module);

// Whether the results of a reproducer's module before and after the pass have to be equal bit by bit, because
// the module was taken from after the pass decide-precision.
bool isComparedExactly(mlir::ModuleOp module);

// The reproducer's module as text, with the pipeline in the form that `tilerig-opt --run-reproducer` reads.
std::string textOf(const Reproducer &reproducer, const std::string &pipeline);

} // namespace tilerig::compiler
