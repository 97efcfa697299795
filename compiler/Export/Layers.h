// What every operation of the dialect `layer` becomes.
#pragma once

#include "compiler/Export/Export.h"
#include "compiler/Export/OrderedNames.h"

namespace tilerig {

// False for operations that have no form in ONNX.
bool writeLayer(mlir::Operation *operation, ModelWriter &writer, OrderedNames &names, OnnxForm form);

} // namespace tilerig
