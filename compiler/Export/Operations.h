// What every operation of the dialect `graph` becomes.
#pragma once

#include "compiler/Export/NodeWriter.h"

namespace tilerig {

// Attributes as a node of the imported model had them.
void setAttributes(onnx::NodeProto &node, mlir::DictionaryAttr attributes);

// False for operations that ONNX does not know.
bool writeOperation(mlir::Operation *operation, ModelWriter &writer);

} // namespace tilerig
