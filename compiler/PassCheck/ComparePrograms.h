// Compares what two modules of level `tile` or `isa` compute, by running them on the emulator.
#pragma once

#include "compiler/PassCheck/PassCheck.h"

#include <mlir/IR/BuiltinOps.h>

namespace tilerig::compiler {

// A tensor that differs between the program before a pass and the program after it.
struct ProgramDifference {
  std::string tensor = {};
  std::string kind = {}, node = {}; // kind and last ONNX node of the layer that computes the tensor
  double maxAbs = 0;
  std::string contradiction = {}; // why the program after the pass cannot run; else empty
  TensorMap values = {};          // the tensor, as "before" and "after" the pass
};

// Converts a module of level `tile` or `isa` to a program, without proving the program free of races. Does
// not change the module.
Result<Program> programIn(mlir::ModuleOp module);

// Runs both modules' programs, and returns the first tensor, in the order of layers, of which a bit differs.
// Fails if the program before the pass cannot run.
Result<std::optional<ProgramDifference>> comparePrograms(mlir::ModuleOp before, mlir::ModuleOp after,
                                                         ProgramRunner &runner);

} // namespace tilerig::compiler
