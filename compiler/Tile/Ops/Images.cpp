// Instructions of pooling and resizing of images (batch, rows, columns, channels).
#include "compiler/Tile/Ops/Families.h"
#include "compiler/Tile/Ops/Walk.h"
#include "compiler/Tile/Ops/Windows.h"

namespace tilerig::compiler {

namespace {

uint32_t padBehind(int64_t pad, Range input, int64_t size) {
  return input.end == size ? static_cast<uint32_t>(pad) : 0;
}

// Adjusts the offset of a resize on one tile: input positions count from the first row that the tile has, not
// from the first row of the image.
ResizeAxis axisAt(ResizeAxis axis, Range result, Range input) {
  axis.offset += result.begin * static_cast<int64_t>(axis.numerator) -
                 input.begin * static_cast<int64_t>(axis.denominator);
  return axis;
}

} // namespace

Window windowAt(Window whole, const std::array<int64_t, 4> &pads, const Box &result, const Box &input) {
  const auto padAt = [&](size_t axis, int64_t stride, int64_t pad) {
    return static_cast<uint16_t>(input[axis].begin - (result[axis].begin * stride - pad));
  };
  whole.padTop = padAt(rowAxis, whole.strideH, pads[0]);
  whole.padLeft = padAt(columnAxis, whole.strideW, pads[1]);
  return whole;
}

void writePool(StepWriting &step) {
  Pool pool = std::get<Pool>(step.deviceOp.action);
  const Box &result = step.places.result, input = step.needed(0);
  const std::vector<int64_t> &shape = step.operandTensor(0).shape;
  pool.window = windowAt(pool.window, step.deviceOp.pads, result, input);
  if (pool.function == PoolFunction::averageWithPadding) {
    pool.padBottom = padBehind(step.deviceOp.pads[2], input[rowAxis], shape[rowAxis]);
    pool.padRight = padBehind(step.deviceOp.pads[3], input[columnAxis], shape[columnAxis]);
  }
  pool.input = streamOf(step.places.from[0], input);
  pool.output = streamOf(step.places.to, result);
  step.add(pool);
}

void writeResize(StepWriting &step) {
  Resize resize = std::get<Resize>(step.deviceOp.action);
  const Box &result = step.places.result, input = step.needed(0);
  resize.rows = axisAt(resize.rows, result[rowAxis], input[rowAxis]);
  resize.columns = axisAt(resize.columns, result[columnAxis], input[columnAxis]);
  resize.input = streamOf(step.places.from[0], input);
  resize.output = streamOf(step.places.to, result);
  step.add(resize);
}

} // namespace tilerig::compiler
