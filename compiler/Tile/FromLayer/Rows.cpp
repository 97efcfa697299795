// Lowering of reductions, softmax and normalisation.
#include "compiler/Tile/FromLayer/DeviceOpBuilder.h"

#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

namespace {

using namespace layer;

// Records the axes along which the operation reduces or normalises, and forbids the planner to split them.
void keepWhole(DeviceOp &deviceOp, llvm::ArrayRef<int64_t> axes) {
  deviceOp.axes.assign(axes.begin(), axes.end());
  for (const int64_t axis : axes)
    deviceOp.divisible[static_cast<size_t>(axis)] = false;
}

Operand alongAll(TensorIndex tensor, const DeviceOp &deviceOp) {
  Operand operand{.tensor = tensor, .axes = {}};
  for (size_t i = 0; i < deviceOp.divisible.size(); ++i)
    operand.axes.push_back(AxisMap::along(static_cast<int>(i)));
  return operand;
}

Status reduce(ReduceOp op, DeviceOpBuilder &to) {
  TILERIG_TRY(const TensorIndex input, to.tensor(op.getInput()));
  TILERIG_TRY(const TensorIndex result, to.tensor(op.getOutput()));
  Reduce action{.function = op.getKind().getValue(), .lastIndex = op.getLastIndex()};
  const bool isIndex = action.function == ReduceFunction::argMax || action.function == ReduceFunction::argMin;
  action.inputAffine = affineOf(elementOf(op.getInput()));
  if (!isIndex)
    action.finish = finishOf(op.getFunctionAttr(), elementOf(op.getOutput()));
  DeviceOp deviceOp = to.deviceOp(DeviceOpKind::reduce, action, result);
  keepWhole(deviceOp, op.getAxes());
  Operand operand = alongAll(input, deviceOp);
  for (const int64_t axis : op.getAxes())
    operand.axes[static_cast<size_t>(axis)] = {};
  deviceOp.operands = {operand};
  to.add(std::move(deviceOp));
  return success();
}

Status softmax(SoftmaxOp op, DeviceOpBuilder &to) {
  TILERIG_TRY(const TensorIndex input, to.tensor(op.getInput()));
  TILERIG_TRY(const TensorIndex result, to.tensor(op.getOutput()));
  Softmax action{.logarithm = op.getLogarithm()};
  action.inputAffine = affineOf(elementOf(op.getInput()));
  action.finish = finishOf(op.getFunctionAttr(), elementOf(op.getOutput()));
  DeviceOp deviceOp = to.deviceOp(DeviceOpKind::softmax, action, result);
  keepWhole(deviceOp, static_cast<int64_t>(op.getAxis()));
  deviceOp.operands = {alongAll(input, deviceOp)};
  to.add(std::move(deviceOp));
  return success();
}

Status normalize(NormalizeOp op, DeviceOpBuilder &to) {
  TILERIG_TRY(const TensorIndex input, to.tensor(op.getInput()));
  TILERIG_TRY(const TensorIndex result, to.tensor(op.getOutput()));
  Normalize action{.mode = op.getKind().getValue(), .epsilon = op.getEpsilon().convertToFloat()};
  action.inputAffine = affineOf(elementOf(op.getInput()));
  action.finish = finishOf(op.getFunctionAttr(), elementOf(op.getOutput()));
  DeviceOp deviceOp = to.deviceOp(DeviceOpKind::normalize, action, result);
  keepWhole(deviceOp, op.getAxes());
  llvm::sort(deviceOp.axes);
  deviceOp.operands = {alongAll(input, deviceOp)};
  deviceOp.offsets = {op.getGain() ? 1 : 0, op.getShift() ? 1 : 0};
  for (const mlir::Value optional : {op.getGain(), op.getShift()})
    if (optional) {
      TILERIG_TRY(const TensorIndex tensor, to.tensor(optional));
      deviceOp.operands.push_back(to.broadcast(tensor, result));
    }
  to.add(std::move(deviceOp));
  return success();
}

} // namespace

Result<bool> formRows(mlir::Operation *operation, DeviceOpBuilder &to) {
  return llvm::TypeSwitch<mlir::Operation *, Result<bool>>(operation)
      .Case([&](ReduceOp op) { return formed(reduce(op, to)); })
      .Case([&](SoftmaxOp op) { return formed(softmax(op, to)); })
      .Case([&](NormalizeOp op) { return formed(normalize(op, to)); })
      .Default([](mlir::Operation *) { return false; });
}

} // namespace tilerig::compiler
