// Functions that export layers to ONNX, one for each family of layers. Each returns false if the operation is
// of another family.
#pragma once

#include "compiler/Export/LayerWriting.h"
#include "compiler/Layer/IR/Types.h"

namespace tilerig::compiler {

bool writeElementwise(mlir::Operation *operation, LayerWriting &to);
bool writeImages(mlir::Operation *operation, LayerWriting &to);
bool writeMovement(mlir::Operation *operation, LayerWriting &to);
bool writeProducts(mlir::Operation *operation, LayerWriting &to);
bool writeRows(mlir::Operation *operation, LayerWriting &to);

// Axis order of images and weights in ONNX, channels before spatial axes, as indices of the value's axes
// (batch or outputs, rows, columns, channels).
inline const Order imageOrder = {0, 3, 1, 2};

inline mlir::Type resultElement(mlir::Operation *operation) {
  return layer::elementOf(operation->getResult(0));
}

struct ImageWindow {
  llvm::ArrayRef<int64_t> kernel, strides, dilations, pads;
};
void setWindow(onnx::NodeProto &node, const ImageWindow &window);

} // namespace tilerig::compiler
