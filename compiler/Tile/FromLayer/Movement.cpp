// Lowering of layers that move elements without changing them: transpose, slice, reshape, concat, pad,
// gather, ...
#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Tile/FromLayer/DeviceOpBuilder.h"

#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

namespace {

using namespace layer;

// Adds a copy operation. map(operand) states how each axis of the operand depends on the axes of the result.
template <class Map>
Status copy(mlir::Value input, mlir::Value output, DeviceOpBuilder &to, Map map) {
  TILERIG_TRY(const TensorIndex from, to.tensor(input));
  TILERIG_TRY(const TensorIndex result, to.tensor(output));
  DeviceOp deviceOp = to.deviceOp(DeviceOpKind::pointwise, Copy{}, result);
  Operand operand{.tensor = from, .axes = std::vector<AxisMap>(to.shapeOf(from).size())};
  map(operand);
  deviceOp.operands = {operand};
  to.add(std::move(deviceOp));
  return success();
}

Status transpose(TransposeOp op, DeviceOpBuilder &to) {
  return copy(op.getInput(), op.getOutput(), to, [&](Operand &operand) {
    for (size_t i = 0; i < op.getPerm().size(); ++i)
      operand.axes[static_cast<size_t>(op.getPerm()[i])] = AxisMap::along(static_cast<int>(i));
  });
}

Status slice(SliceOp op, DeviceOpBuilder &to) {
  return copy(op.getInput(), op.getOutput(), to, [&](Operand &operand) {
    for (size_t i = 0; i < op.getStarts().size(); ++i)
      operand.axes[i] = AxisMap::strided(static_cast<int>(i), op.getStarts()[i], op.getSteps()[i]);
  });
}

Status expand(ExpandOp op, DeviceOpBuilder &to) {
  TILERIG_TRY(const TensorIndex from, to.tensor(op.getInput()));
  TILERIG_TRY(const TensorIndex result, to.tensor(op.getOutput()));
  DeviceOp deviceOp = to.deviceOp(DeviceOpKind::pointwise, Copy{}, result);
  deviceOp.operands = {to.broadcast(from, result)};
  to.add(std::move(deviceOp));
  return success();
}

Status reshape(ReshapeOp op, DeviceOpBuilder &to) {
  TILERIG_TRY(const TensorIndex from, to.tensor(op.getInput()));
  TILERIG_TRY(const TensorIndex result, to.tensor(op.getOutput()));
  DeviceOp deviceOp = to.deviceOp(DeviceOpKind::reshape, Copy{}, result);
  ReshapeAxes axes = axesOfReshape(to.shapeOf(from), to.shapeOf(result));
  deviceOp.divisible = std::move(axes.divisible);
  deviceOp.operands = {{.tensor = from, .axes = std::move(axes.maps)}};
  to.add(std::move(deviceOp));
  return success();
}

Status concat(ConcatOp op, DeviceOpBuilder &to) {
  TILERIG_TRY(const TensorIndex result, to.tensor(op.getOutput()));
  DeviceOp deviceOp = to.deviceOp(DeviceOpKind::concat, Copy{}, result);
  const auto axis = static_cast<size_t>(op.getAxis());
  deviceOp.axes = {static_cast<int64_t>(axis)};
  int64_t start = 0;
  for (const mlir::Value input : op.getInputs()) {
    TILERIG_TRY(const TensorIndex tensor, to.tensor(input));
    Operand operand = {.tensor = tensor, .axes = {}};
    for (size_t i = 0; i < to.shapeOf(tensor).size(); ++i)
      operand.axes.push_back(AxisMap::strided(static_cast<int>(i), i == axis ? -start : 0, 1));
    deviceOp.operands.push_back(operand);
    deviceOp.offsets.push_back(start);
    start += to.shapeOf(tensor)[axis];
  }
  to.add(std::move(deviceOp));
  return success();
}

Status pad(PadOp op, DeviceOpBuilder &to) {
  TILERIG_TRY(const TensorIndex from, to.tensor(op.getInput()));
  TILERIG_TRY(const TensorIndex result, to.tensor(op.getOutput()));
  DeviceOp deviceOp = to.deviceOp(DeviceOpKind::pad, Copy{}, result);
  Operand operand{.tensor = from, .axes = {}};
  for (size_t i = 0; i < to.shapeOf(from).size(); ++i) {
    const int64_t front = op.getPads().empty() ? 0 : op.getPads()[i];
    operand.axes.push_back(AxisMap::strided(static_cast<int>(i), -front, 1));
    deviceOp.offsets.push_back(front);
  }
  deviceOp.operands = {operand};
  deviceOp.fillBits = bitsOf(op.getValue().convertToDouble(), elementOf(op.getOutput()));
  to.add(std::move(deviceOp));
  return success();
}

Status gather(GatherOp op, DeviceOpBuilder &to) {
  TILERIG_TRY(const TensorIndex table, to.tensor(op.getInput()));
  TILERIG_TRY(const TensorIndex indices, to.tensor(op.getIndices()));
  TILERIG_TRY(const TensorIndex result, to.tensor(op.getOutput()));
  const size_t axis = op.getAxis(), numIndices = graph::shapeOf(op.getIndices()).size();
  DeviceOp deviceOp = to.deviceOp(DeviceOpKind::gather, Gather{}, result);
  deviceOp.axes = {static_cast<int64_t>(axis)};
  deviceOp.offsets = {static_cast<int64_t>(numIndices)};
  Operand rows{.tensor = table, .axes = {}}, which{.tensor = indices, .axes = {}};
  for (size_t i = 0; i < to.shapeOf(table).size(); ++i)
    rows.axes.push_back(i == axis ? AxisMap{}
                                  : AxisMap::along(static_cast<int>(i < axis ? i : i + numIndices - 1)));
  for (size_t i = 0; i < to.shapeOf(indices).size(); ++i) {
    which.axes.push_back(i < numIndices ? AxisMap::along(static_cast<int>(axis + i)) : AxisMap{});
    if (i > 0) // of the axes that the indices of the gather have, only the first may be split among tiles
      deviceOp.divisible[axis + i] = false;
  }
  deviceOp.operands = {rows, which};
  to.add(std::move(deviceOp));
  return success();
}

} // namespace

Result<bool> formMovement(mlir::Operation *operation, DeviceOpBuilder &to) {
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
