// Exports one operation of the dialect `graph` as ONNX nodes.
#pragma once

#include "compiler/Export/NodeWriter.h"

namespace tilerig::compiler {

// Sets the attributes of an opaque operation (a node that was imported unchanged) on the exported node.
void setAttributes(onnx::NodeProto &node, mlir::DictionaryAttr attributes);

// Writes an operation as ONNX nodes; returns false for operations that ONNX does not have.
bool writeOperation(mlir::Operation *operation, ModelWriter &writer);

} // namespace tilerig::compiler
