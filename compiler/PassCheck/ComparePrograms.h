// Compares what two modules of level `tile` or `isa` compute, by running them on the emulator.
#pragma once

#include "compiler/PassCheck/PassCheck.h"

#include <mlir/IR/BuiltinOps.h>

namespace tilerig::compiler {

// A tensor that two programs compute differently.
struct ProgramDifference {
  std::string tensor = {};
  std::string kind = {}, node = {}; // kind and last ONNX node of the layer that computes the tensor
  double maxAbs = 0;
  std::string contradiction = {}; // why the program after the pass cannot run; then the other fields are empty
  TensorMap values = {};          // the tensor `before` and `after` the pass
};

// The program in a module of level `tile` or `isa`, without a proof. The module stays as it is.
Result<Program> programIn(mlir::ModuleOp module);

// Returns the first tensor, in the order of layers, of which a bit differs. Fails if the program before the pass
// cannot run.
Result<std::optional<ProgramDifference>> comparePrograms(mlir::ModuleOp before, mlir::ModuleOp after,
                                                         ProgramRunner &runner);

} // namespace tilerig::compiler
