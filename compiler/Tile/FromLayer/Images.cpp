// Lowering of layers on images: pooling, resizing and other operations on windows and pixel positions.
#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Tile/FromLayer/DeviceOpBuilder.h"

#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

namespace {

using namespace layer;

Status pool(PoolOp op, DeviceOpBuilder &to) {
  TILERIG_TRY(const TensorIndex input, to.tensor(op.getInput()));
  TILERIG_TRY(const TensorIndex result, to.tensor(op.getOutput()));
  const auto kernel = op.getKernel(), strides = op.getStrides(), dilations = op.getDilations(),
             pads = op.getPads();
  if (!fitsIn16(kernel) || !fitsIn16(strides) || !fitsIn16(dilations) || !fitsIn16(pads))
    return to.refuse("a kernel size, stride, dilation or padding exceeds 65535");
  Pool action{.function = op.getKind().getValue(),
              .kernelH = static_cast<uint16_t>(kernel[0]),
              .kernelW = static_cast<uint16_t>(kernel[1])};
  action.window = {static_cast<uint16_t>(strides[0]),
                   static_cast<uint16_t>(strides[1]),
                   static_cast<uint16_t>(dilations[0]),
                   static_cast<uint16_t>(dilations[1]),
                   0,
                   0};
  action.inputAffine = affineOf(elementOf(op.getInput()));
  action.finish = finishOf(op.getFunctionAttr(), elementOf(op.getOutput()));
  DeviceOp deviceOp = to.deviceOp(DeviceOpKind::pool, action, result);
  std::ranges::copy(pads, deviceOp.pads.begin());
  const auto window = [&](int axis) {
    const auto i = static_cast<size_t>(axis) - 1;
    return AxisMap{
        .from = axis, .numerator = strides[i], .offset = -pads[i], .high = (kernel[i] - 1) * dilations[i]};
  };
  deviceOp.operands = {{input, {AxisMap::along(0), window(1), window(2), AxisMap::along(3)}}};
  to.add(std::move(deviceOp));
  return success();
}

Status resize(ResizeOp op, DeviceOpBuilder &to) {
  TILERIG_TRY(const TensorIndex input, to.tensor(op.getInput()));
  TILERIG_TRY(const TensorIndex result, to.tensor(op.getOutput()));
  const ResizeMode mode = op.getKind().getValue();
  const auto axis = [](llvm::ArrayRef<int64_t> positions) {
    return ResizeAxis{static_cast<uint32_t>(positions[0]), static_cast<uint32_t>(positions[1]), positions[2]};
  };
  Resize action{.mode = mode,
                .cubicCoefficient = mode == ResizeMode::cubic ? op.getCubicCoefficient().convertToFloat() : 0,
                .rows = axis(op.getRows()),
                .columns = axis(op.getColumns())};
  action.inputAffine = affineOf(elementOf(op.getInput()));
  action.finish = finishOf(op.getFunctionAttr(), elementOf(op.getOutput()));
  const int64_t before = mode == ResizeMode::cubic ? -1 : 0, behind = mode == ResizeMode::cubic    ? 2
                                                                      : mode == ResizeMode::linear ? 1
                                                                                                   : 0;
  const auto map = [&](int from, llvm::ArrayRef<int64_t> positions) {
    return AxisMap{.from = from,
                   .numerator = positions[0],
                   .denominator = positions[1],
                   .offset = positions[2],
                   .low = before,
                   .high = behind,
                   .isDrawn = true};
  };
  DeviceOp deviceOp = to.deviceOp(DeviceOpKind::resize, action, result);
  deviceOp.operands = {
      {input, {AxisMap::along(0), map(1, op.getRows()), map(2, op.getColumns()), AxisMap::along(3)}}};
  to.add(std::move(deviceOp));
  return success();
}

Status dilate(DilateOp op, DeviceOpBuilder &to) {
  TILERIG_TRY(const TensorIndex input, to.tensor(op.getInput()));
  TILERIG_TRY(const TensorIndex result, to.tensor(op.getOutput()));
  DeviceOp deviceOp = to.deviceOp(DeviceOpKind::dilate, Copy{}, result);
  const auto every = [](int from, int64_t step) { return AxisMap{.from = from, .denominator = step}; };
  deviceOp.operands = {
      {input,
       {AxisMap::along(0), every(1, op.getSteps()[0]), every(2, op.getSteps()[1]), AxisMap::along(3)}}};
  deviceOp.offsets = {1, op.getSteps()[0], op.getSteps()[1], 1};
  deviceOp.fillBits = bitsOf(0, elementOf(op.getOutput()));
  to.add(std::move(deviceOp));
  return success();
}

} // namespace

Result<bool> formImages(mlir::Operation *operation, DeviceOpBuilder &to) {
  return llvm::TypeSwitch<mlir::Operation *, Result<bool>>(operation)
      .Case([&](PoolOp op) { return formed(pool(op, to)); })
      .Case([&](ResizeOp op) { return formed(resize(op, to)); })
      .Case([&](DilateOp op) { return formed(dilate(op, to)); })
      .Default([](mlir::Operation *) { return false; });
}

} // namespace tilerig::compiler
