// Passes on a module. One that gives up says why, at a node of the model.
#pragma once

#include "isa/Support/Error.h"

#include <functional>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/Pass/PassManager.h>
#include <string>

namespace tilerig {

// What the user asks for by name, as tilerig-opt takes it.
Status runPasses(mlir::ModuleOp module, const std::string &model, const std::string &pipeline);
Status runPasses(mlir::ModuleOp module, const std::string &model,
                 const std::function<void(mlir::OpPassManager &)> &build);

} // namespace tilerig
