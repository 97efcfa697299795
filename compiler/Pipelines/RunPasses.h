// Runs passes on a module. The error of a failed pass gives the reason and names the node of the model.
#pragma once

#include "isa/Base/Support/Error.h"

#include <functional>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/Pass/PassManager.h>
#include <string>

namespace tilerig::compiler {

// Runs a pipeline given as text, in the syntax of tilerig-opt.
// `prepare` is called with the pass manager before it runs; it may be empty.
using PreparePasses = std::function<void(mlir::PassManager &)>;
Status runPasses(mlir::ModuleOp module, const std::string &model, const std::string &pipeline,
                 const PreparePasses &prepare = {});
Status runPasses(mlir::ModuleOp module, const std::string &model,
                 const std::function<void(mlir::OpPassManager &)> &build, const PreparePasses &prepare = {});

} // namespace tilerig::compiler
