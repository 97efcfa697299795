#include "compiler/Graph/Folding/Evaluate.h"

#include "compiler/Graph/Folding/Families.h"
#include "compiler/Graph/IR/TensorAttributes.h"

namespace tilerig::compiler {

std::optional<Tensor> evaluate(mlir::Operation *operation) {
  if (operation->getNumResults() != 1 || operation->getNumOperands() == 0)
    return {};
  Operands operands;
  for (const mlir::Value operand : operation->getOperands()) {
    auto constant = operand.getDefiningOp<graph::ConstantOp>();
    if (!constant)
      return {};
    operands.push_back(tensorOf(constant.getValue()));
  }
  std::optional<Tensor> result = evaluateArithmetic(operation, operands);
  return result ? result : evaluateMovement(operation, operands);
}

} // namespace tilerig::compiler
