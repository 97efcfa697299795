#include "compiler/Inject/Passes/Edit.h"

#include "compiler/Graph/IR/TensorAttributes.h"

#include <mlir/IR/Builders.h>

namespace tilerig::compiler {

namespace {

mlir::ElementsAttr elementsAttributeOf(mlir::Value value) {
  if (auto constant = value.getDefiningOp<graph::ConstantOp>())
    return constant.getValue();
  if (auto constant = value.getDefiningOp<layer::ConstantOp>())
    return constant.getValue();
  return {};
}

} // namespace

std::optional<Doubles> floatsOf(mlir::Value value) {
  const mlir::ElementsAttr elements = value ? elementsAttributeOf(value) : mlir::ElementsAttr();
  return elements ? doublesIn(tensorOf(elements)) : std::nullopt;
}

void setConstant(mlir::OpOperand &operand, const Doubles &elements) {
  setConstant(operand,
              [&](const Tensor &tensor) { return floatTensor(tensor.dtype(), tensor.shape(), elements); });
}

void setConstant(mlir::OpOperand &operand, const std::function<Tensor(const Tensor &)> &reorder) {
  mlir::Operation *const constant = operand.get().getDefiningOp();
  mlir::OpBuilder builder(constant);
  const Tensor tensor = reorder(tensorOf(elementsAttributeOf(operand.get())));
  mlir::Operation *const copy = builder.clone(*constant);
  copy->setAttr("value", attributeOf(*builder.getContext(), tensor, "injected"));
  operand.set(copy->getResult(0));
}

} // namespace tilerig::compiler
