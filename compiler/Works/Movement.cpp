// Lowering of layers that move elements without changing them: transpose, slice, reshape, concat, pad,
// gather, ...
#include "compiler/Dialect/Graph/Shapes.h"
#include "compiler/Works/WorkBuilder.h"

#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

namespace {

using namespace layer;

// Adds a copy. map(operand) states how the operand's axes depend on the axes of the result.
template <class Map>
Status copy(mlir::Value input, mlir::Value output, WorkBuilder &to, Map map) {
  TILERIG_TRY(const TensorIndex from, to.tensor(input));
  TILERIG_TRY(const TensorIndex result, to.tensor(output));
  Work work = to.work(WorkKind::pointwise, Copy{}, result);
  Operand operand{.tensor = from, .axes = std::vector<AxisMap>(to.shapeOf(from).size())};
  map(operand);
  work.operands = {operand};
  to.add(std::move(work));
  return success();
}

Status transpose(TransposeOp op, WorkBuilder &to) {
  return copy(op.getInput(), op.getOutput(), to, [&](Operand &operand) {
    for (size_t i = 0; i < op.getPerm().size(); ++i)
      operand.axes[static_cast<size_t>(op.getPerm()[i])] = AxisMap::along(static_cast<int>(i));
  });
}

Status slice(SliceOp op, WorkBuilder &to) {
  return copy(op.getInput(), op.getOutput(), to, [&](Operand &operand) {
    for (size_t i = 0; i < op.getStarts().size(); ++i)
      operand.axes[i] = AxisMap::strided(static_cast<int>(i), op.getStarts()[i], op.getSteps()[i]);
  });
}

Status expand(ExpandOp op, WorkBuilder &to) {
  TILERIG_TRY(const TensorIndex from, to.tensor(op.getInput()));
  TILERIG_TRY(const TensorIndex result, to.tensor(op.getOutput()));
  Work work = to.work(WorkKind::pointwise, Copy{}, result);
  work.operands = {to.broadcast(from, result)};
  to.add(std::move(work));
  return success();
}

Status reshape(ReshapeOp op, WorkBuilder &to) {
  TILERIG_TRY(const TensorIndex from, to.tensor(op.getInput()));
  TILERIG_TRY(const TensorIndex result, to.tensor(op.getOutput()));
  Work work = to.work(WorkKind::reshape, Copy{}, result);
  ReshapeAxes axes = axesOfReshape(to.shapeOf(from), to.shapeOf(result));
  work.divisible = std::move(axes.divisible);
  work.operands = {{.tensor = from, .axes = std::move(axes.maps)}};
  to.add(std::move(work));
  return success();
}

Status concat(ConcatOp op, WorkBuilder &to) {
  TILERIG_TRY(const TensorIndex result, to.tensor(op.getOutput()));
  Work work = to.work(WorkKind::concat, Copy{}, result);
  const auto axis = static_cast<size_t>(op.getAxis());
  work.axes = {static_cast<int64_t>(axis)};
  int64_t start = 0;
  for (const mlir::Value input : op.getInputs()) {
    TILERIG_TRY(const TensorIndex tensor, to.tensor(input));
    Operand operand = {.tensor = tensor, .axes = {}};
    for (size_t i = 0; i < to.shapeOf(tensor).size(); ++i)
      operand.axes.push_back(AxisMap::strided(static_cast<int>(i), i == axis ? -start : 0, 1));
    work.operands.push_back(operand);
    work.offsets.push_back(start);
    start += to.shapeOf(tensor)[axis];
  }
  to.add(std::move(work));
  return success();
}

Status pad(PadOp op, WorkBuilder &to) {
  TILERIG_TRY(const TensorIndex from, to.tensor(op.getInput()));
  TILERIG_TRY(const TensorIndex result, to.tensor(op.getOutput()));
  Work work = to.work(WorkKind::pad, Copy{}, result);
  Operand operand{.tensor = from, .axes = {}};
  for (size_t i = 0; i < to.shapeOf(from).size(); ++i) {
    const int64_t front = op.getPads().empty() ? 0 : op.getPads()[i];
    operand.axes.push_back(AxisMap::strided(static_cast<int>(i), -front, 1));
    work.offsets.push_back(front);
  }
  work.operands = {operand};
  work.fillBits = bitsOf(op.getValue().convertToDouble(), elementOf(op.getOutput()));
  to.add(std::move(work));
  return success();
}

Status gather(GatherOp op, WorkBuilder &to) {
  TILERIG_TRY(const TensorIndex table, to.tensor(op.getInput()));
  TILERIG_TRY(const TensorIndex indices, to.tensor(op.getIndices()));
  TILERIG_TRY(const TensorIndex result, to.tensor(op.getOutput()));
  const size_t axis = op.getAxis(), numIndices = graph::shapeOf(op.getIndices()).size();
  Work work = to.work(WorkKind::gather, Gather{}, result);
  work.axes = {static_cast<int64_t>(axis)};
  work.offsets = {static_cast<int64_t>(numIndices)};
  Operand rows{.tensor = table, .axes = {}}, which{.tensor = indices, .axes = {}};
  for (size_t i = 0; i < to.shapeOf(table).size(); ++i)
    rows.axes.push_back(i == axis ? AxisMap{}
                                  : AxisMap::along(static_cast<int>(i < axis ? i : i + numIndices - 1)));
  for (size_t i = 0; i < to.shapeOf(indices).size(); ++i) {
    which.axes.push_back(i < numIndices ? AxisMap::along(static_cast<int>(axis + i)) : AxisMap{});
    if (i > 0) // all axes of the indices count as one
      work.divisible[axis + i] = false;
  }
  work.operands = {rows, which};
  to.add(std::move(work));
  return success();
}

} // namespace

Result<bool> formMovement(mlir::Operation *operation, WorkBuilder &to) {
  return llvm::TypeSwitch<mlir::Operation *, Result<bool>>(operation)
      .Case([&](TransposeOp op) { return formed(transpose(op, to)); })
      .Case([&](SliceOp op) { return formed(slice(op, to)); })
      .Case([&](ExpandOp op) { return formed(expand(op, to)); })
      .Case([&](ReshapeOp op) { return formed(reshape(op, to)); })
      .Case([&](ConcatOp op) { return formed(concat(op, to)); })
      .Case([&](PadOp op) { return formed(pad(op, to)); })
      .Case([&](GatherOp op) { return formed(gather(op, to)); })
      .Default([](mlir::Operation *) { return false; });
}

} // namespace tilerig::compiler
