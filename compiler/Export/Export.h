// From the dialect `graph` back to ONNX, in operator set 21 (IR version 10).
//
// What is written means what the module means, operation by operation; names of nodes and tensors are those
// of the locations, as far as they are still unique.
#pragma once

#include "isa/Support/Error.h"

#include <mlir/IR/BuiltinOps.h>
#include <string>

namespace tilerig {

Status exportModel(mlir::ModuleOp module, const std::string &path);

} // namespace tilerig
