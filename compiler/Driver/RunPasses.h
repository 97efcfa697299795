// Runs passes on a module. The error of a failed pass gives the reason and names the node of the model.
#pragma once

#include "isa/Base/Support/Error.h"

#include <functional>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/Pass/PassManager.h>
#include <string>

namespace tilerig::compiler {

class PassWatch;

// Runs a pipeline given as text, in the syntax of tilerig-opt.
// `watch` judges the passes; null: they are not judged.
Status runPasses(mlir::ModuleOp module, const std::string &model, const std::string &pipeline,
                 PassWatch *watch = nullptr);
Status runPasses(mlir::ModuleOp module, const std::string &model,
                 const std::function<void(mlir::OpPassManager &)> &build, PassWatch *watch = nullptr);

} // namespace tilerig::compiler
