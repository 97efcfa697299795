// Lowering of elementwise layers.
#include "compiler/Layer/IR/Quantised.h"
#include "compiler/Tile/FromLayer/DeviceOpBuilder.h"

#include <cstring>
#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

namespace {

using namespace layer;

bool isWholeNumber(mlir::Type element) {
  return storageOf(element) == ElementType::i32 || element.isUnsignedInteger(8);
}

Status addPointwise(Instruction action, llvm::ArrayRef<mlir::Value> operands, mlir::Value output,
                    DeviceOpBuilder &to, OpVector table = {}) {
  TILERIG_TRY(const TensorIndex result, to.tensor(output));
  DeviceOp deviceOp = to.deviceOp(DeviceOpKind::pointwise, std::move(action), result);
  for (const mlir::Value operand : operands) {
    TILERIG_TRY(const TensorIndex tensor, to.tensor(operand));
    deviceOp.operands.push_back(to.broadcast(tensor, result));
  }
  deviceOp.table = std::move(table);
  to.add(std::move(deviceOp));
  return success();
}

Status binary(BinaryOp op, DeviceOpBuilder &to) {
  if (const std::string_view reason = missingInstruction(op); !reason.empty())
    return to.refuse(std::string(reason));
  Binary action{.function = op.getKind().getValue()};
  action.aAffine = affineOf(elementOf(op.getA()));
  action.bAffine = affineOf(elementOf(op.getB()));
  action.finish = finishOf(op.getFunctionAttr(), elementOf(op.getOutput()));
  return addPointwise(action, {op.getA(), op.getB()}, op.getOutput(), to);
}

Status select(SelectOp op, DeviceOpBuilder &to) {
  Select action;
  action.aAffine = affineOf(elementOf(op.getA()));
  action.bAffine = affineOf(elementOf(op.getB()));
  action.finish = finishOf(op.getFunctionAttr(), elementOf(op.getOutput()));
  return addPointwise(action, {op.getCondition(), op.getA(), op.getB()}, op.getOutput(), to);
}

bool isEightBits(mlir::Type element) {
  return quantisedOf(element) && quantisedOf(element).getStorageTypeIntegralWidth() == 8;
}

Status activate(ActivateOp op, DeviceOpBuilder &to) {
  const mlir::Type from = elementOf(op.getInput()), result = elementOf(op.getOutput());
  if (op.getFunction() && isEightBits(from) && isEightBits(result)) {
    OpVector table{.elementBytes = 1, .perOutput = false, .bytes = {}};
    for (const int32_t entry : tableOf(op.getFunctionAttr(), from, result))
      table.bytes.push_back(static_cast<std::byte>(entry));
    return addPointwise(Lookup{}, op.getInput(), op.getOutput(), to, std::move(table));
  }
  // Conversion to boolean: any value other than zero is true.
  if (result.isInteger(1) && !isTruth(from) && !op.getFunction()) {
    Binary action{.function = BinaryFunction::logicalOr};
    action.aAffine = action.bAffine = affineOf(from);
    action.finish = finishOf({}, result);
    return addPointwise(action, {op.getInput(), op.getInput()}, op.getOutput(), to);
  }
  Activate action;
  action.inputAffine = affineOf(from);
  action.finish = finishOf(op.getFunctionAttr(), result);
  if (isWholeNumber(result) && !isWholeNumber(from) && !isTruth(from))
    action.finish.rounding = RoundingMode::towardZero;
  return addPointwise(action, op.getInput(), op.getOutput(), to);
}

} // namespace

Result<bool> formElementwise(mlir::Operation *operation, DeviceOpBuilder &to) {
  return llvm::TypeSwitch<mlir::Operation *, Result<bool>>(operation)
      .Case([&](ActivateOp op) { return formed(activate(op, to)); })
      .Case([&](BinaryOp op) { return formed(binary(op, to)); })
      .Case([&](SelectOp op) { return formed(select(op, to)); })
      .Default([](mlir::Operation *) { return false; });
}

} // namespace tilerig::compiler
