// Lowering of reductions, softmax and normalisation.
#include "compiler/Works/WorkBuilder.h"

#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

namespace {

using namespace layer;

// Records the axes over which the operation reduces or normalises, and forbids to split them.
void keepWhole(Work &work, llvm::ArrayRef<int64_t> axes) {
  work.axes.assign(axes.begin(), axes.end());
  for (const int64_t axis : axes)
    work.divisible[static_cast<size_t>(axis)] = false;
}

Operand alongAll(TensorIndex tensor, const Work &work) {
  Operand operand{.tensor = tensor, .axes = {}};
  for (size_t i = 0; i < work.divisible.size(); ++i)
    operand.axes.push_back(AxisMap::along(static_cast<int>(i)));
  return operand;
}

Status reduce(ReduceOp op, WorkBuilder &to) {
  TILERIG_TRY(const TensorIndex input, to.tensor(op.getInput()));
  TILERIG_TRY(const TensorIndex result, to.tensor(op.getOutput()));
  Reduce action{.function = op.getKind().getValue(), .lastIndex = op.getLastIndex()};
  const bool isIndex = action.function == ReduceFunction::argMax || action.function == ReduceFunction::argMin;
  action.inputAffine = affineOf(elementOf(op.getInput()));
  if (!isIndex)
    action.finish = finishOf(op.getFunctionAttr(), elementOf(op.getOutput()));
  Work work = to.work(WorkKind::reduce, action, result);
  keepWhole(work, op.getAxes());
  Operand operand = alongAll(input, work);
  for (const int64_t axis : op.getAxes())
    operand.axes[static_cast<size_t>(axis)] = {};
  work.operands = {operand};
  to.add(std::move(work));
  return success();
}

Status softmax(SoftmaxOp op, WorkBuilder &to) {
  TILERIG_TRY(const TensorIndex input, to.tensor(op.getInput()));
  TILERIG_TRY(const TensorIndex result, to.tensor(op.getOutput()));
  Softmax action{.logarithm = op.getLogarithm()};
  action.inputAffine = affineOf(elementOf(op.getInput()));
  action.finish = finishOf(op.getFunctionAttr(), elementOf(op.getOutput()));
  Work work = to.work(WorkKind::softmax, action, result);
  keepWhole(work, static_cast<int64_t>(op.getAxis()));
  work.operands = {alongAll(input, work)};
  to.add(std::move(work));
  return success();
}

Status normalize(NormalizeOp op, WorkBuilder &to) {
  TILERIG_TRY(const TensorIndex input, to.tensor(op.getInput()));
  TILERIG_TRY(const TensorIndex result, to.tensor(op.getOutput()));
  Normalize action{.mode = op.getKind().getValue(), .epsilon = op.getEpsilon().convertToFloat()};
  action.inputAffine = affineOf(elementOf(op.getInput()));
  action.finish = finishOf(op.getFunctionAttr(), elementOf(op.getOutput()));
  Work work = to.work(WorkKind::normalize, action, result);
  keepWhole(work, op.getAxes());
  llvm::sort(work.axes);
  work.operands = {alongAll(input, work)};
  work.offsets = {op.getGain() ? 1 : 0, op.getShift() ? 1 : 0};
  for (const mlir::Value optional : {op.getGain(), op.getShift()})
    if (optional) {
      TILERIG_TRY(const TensorIndex tensor, to.tensor(optional));
      work.operands.push_back(to.broadcast(tensor, result));
    }
  to.add(std::move(work));
  return success();
}

} // namespace

Result<bool> formRows(mlir::Operation *operation, WorkBuilder &to) {
  return llvm::TypeSwitch<mlir::Operation *, Result<bool>>(operation)
      .Case([&](ReduceOp op) { return formed(reduce(op, to)); })
      .Case([&](SoftmaxOp op) { return formed(softmax(op, to)); })
      .Case([&](NormalizeOp op) { return formed(normalize(op, to)); })
      .Default([](mlir::Operation *) { return false; });
}

} // namespace tilerig::compiler
