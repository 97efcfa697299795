// What every operation of the dialect `graph` becomes.
#pragma once

#include "compiler/Export/NodeWriter.h"

namespace tilerig {

// False for operations that ONNX does not know.
bool writeOperation(mlir::Operation *operation, ModelWriter &writer);

} // namespace tilerig
