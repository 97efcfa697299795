// Exports one operation of the dialect `layer` as ONNX nodes.
#pragma once

#include "compiler/Export/Export.h"
#include "compiler/Export/OrderedNames.h"

namespace tilerig::compiler {

// Writes a layer as ONNX nodes; returns false, and writes none, for operations that have no ONNX form.
bool writeLayer(mlir::Operation *operation, ModelWriter &writer, OrderedNames &names, OnnxForm form);

} // namespace tilerig::compiler
