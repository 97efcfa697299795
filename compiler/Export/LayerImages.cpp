// Exports pooling, resizing and dilation of images.
#include "compiler/Export/LayerFamilies.h"
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Layer/IR/ResizePositions.h"
#include "compiler/Layer/IR/Scales.h"

#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

void setWindow(onnx::NodeProto &node, const ImageWindow &window) {
  setAttribute(node, "kernel_shape", window.kernel);
  setAttribute(node, "strides", window.strides);
  setAttribute(node, "dilations", window.dilations);
  setAttribute(node, "pads", window.pads);
}

namespace {

using namespace layer;
using graph::shapeOf;

int64_t slack(PoolOp op, size_t axis) {
  const int64_t reach = (op.getKernel()[axis] - 1) * op.getDilations()[axis] + 1;
  return shapeOf(op.getInput())[axis + 1] + op.getPads()[axis] + op.getPads()[axis + 2] - reach;
}

// Whether the pool rounds its output size up: some windows begin inside the image but end beyond its padding.
bool roundsUp(PoolOp op) {
  for (size_t i = 0; i < 2; ++i)
    if (slack(op, i) < 0 || slack(op, i) / op.getStrides()[i] + 1 < shapeOf(op.getOutput())[i + 1])
      return true;
  return false;
}

// Number of kernel elements along one axis that lie inside the image (with `withPadding`: inside the image or
// its padding), for the window at `position` of the result.
int64_t taps(PoolOp op, size_t axis, int64_t position, bool withPadding) {
  const int64_t size = shapeOf(op.getInput())[axis + 1], before = op.getPads()[axis],
                after = op.getPads()[axis + 2];
  int64_t count = 0;
  for (int64_t k = 0; k < op.getKernel()[axis]; ++k) {
    const int64_t at = position * op.getStrides()[axis] - before + k * op.getDilations()[axis];
    count += withPadding ? at >= -before && at < size + after : at >= 0 && at < size;
  }
  return count;
}

// The factor by which a pool multiplies the integer sum of a window, for each position of the result.
Tensor factors(PoolOp op) {
  const auto result = shapeOf(op.getOutput());
  const PoolFunction kind = op.getKind().getValue();
  Tensor all(DType::f32, {1, 1, result[1], result[2]});
  float *to = all.mutableAs<float>().data();
  for (int64_t row = 0; row < result[1]; ++row)
    for (int64_t column = 0; column < result[2]; ++column) {
      const bool withPadding = kind == PoolFunction::averageWithPadding;
      const int64_t count =
          kind == PoolFunction::sum ? 1 : taps(op, 0, row, withPadding) * taps(op, 1, column, withPadding);
      *to++ = averageFactor(elementOf(op.getInput()), resultElement(op), count);
    }
  return all;
}

// Padding of the convolution that computes the sums of a pool. If output sizes are rounded up, windows may
// end beyond the padding of the pool, so the padding is extended.
Order padsOfSum(PoolOp op) {
  Order pads(op.getPads());
  for (size_t i = 0; i < 2; ++i) {
    const int64_t needed = (shapeOf(op.getOutput())[i + 1] - 1) * op.getStrides()[i] - slack(op, i);
    pads[i + 2] += std::max<int64_t>(0, needed);
  }
  return pads;
}

onnx::NodeProto &floatSum(PoolOp op, const std::string &input, mlir::Type element, LayerWriting &to) {
  const int64_t channels = shapeOf(op.getInput())[3];
  onnx::NodeProto &node = to.stepNode(
      "Conv", {input, to.filled(1, element, {channels, 1, op.getKernel()[0], op.getKernel()[1]})});
  setWindow(node, {op.getKernel(), op.getStrides(), op.getDilations(), padsOfSum(op)});
  setAttribute(node, "group", channels);
  return node;
}

// Sums the integers in each window by a convolution with a kernel of ones. Integers of nine bits are added in
// floats, because ConvInteger takes only 8 bits; their sum is exact, because a window has few enough elements
// (compiler/Layer/Precision/NineBits.h).
std::string integerSum(PoolOp op, const std::string &input, LayerWriting &to) {
  const mlir::Type from = elementOf(op.getInput());
  if (quantisedOf(from).getStorageTypeIntegralWidth() > 8)
    return floatSum(op, to.difference(input, from), from, to).output(0);
  const int64_t channels = shapeOf(op.getInput())[3];
  Tensor ones(DType::i8, {channels, 1, op.getKernel()[0], op.getKernel()[1]});
  std::ranges::fill(ones.mutableAs<int8_t>(), int8_t{1});
  onnx::NodeProto &node = to.stepNode("ConvInteger", {input, to.tensor(ones), to.zeroPoint(from)});
  setWindow(node, {op.getKernel(), op.getStrides(), op.getDilations(), padsOfSum(op)});
  setAttribute(node, "group", channels);
  return to.cast(node.output(0), DType::f32);
}

std::string pooled(PoolOp op, const std::string &input, LayerWriting &to) {
  const PoolFunction kind = op.getKind().getValue();
  onnx::NodeProto &node = to.stepNode(kind == PoolFunction::max ? "MaxPool" : "AveragePool", {input});
  setAttribute(node, "ceil_mode", int64_t{roundsUp(op)});
  if (kind == PoolFunction::averageWithPadding)
    setAttribute(node, "count_include_pad", int64_t{1});
  setWindow(node, {op.getKernel(), op.getStrides(), op.getDilations(), op.getPads()});
  return node.output(0);
}

void pool(PoolOp op, LayerWriting &to) {
  const PoolFunction kind = op.getKind().getValue();
  const mlir::Type from = elementOf(op.getInput()), element = resultElement(op);
  const WrittenOperand input = to.operand(op.getInput(), imageOrder);
  // Max pooling only selects elements, so integers need not be dequantised.
  if (kind == PoolFunction::max && !op.getFunction())
    return to.give(to.keep(pooled(op, input.name, to), element), imageOrder);
  if (quantisedOf(from) && quantisedOf(element) && to.isExact()) {
    const std::string sum = integerSum(op, input.name, to);
    return to.give(to.land(to.step("Mul", {sum, to.tensor(factors(op))}), element), imageOrder);
  }
  const std::string reals = to.real(input);
  const std::string value =
      kind == PoolFunction::sum ? floatSum(op, reals, element, to).output(0) : pooled(op, reals, to);
  to.give(to.store(to.apply(op.getFunctionAttr(), value, element), element), imageOrder);
}

// Writes a dilation, which inserts zeros between pixels, as a transposed convolution with a kernel of a
// single 1. Quantised integers are dequantised before and quantised after the convolution, which restores
// them exactly.
void dilate(DilateOp op, LayerWriting &to) {
  const mlir::Type element = resultElement(op);
  const int64_t channels = shapeOf(op.getInput())[3];
  onnx::NodeProto &node = to.stepNode(
      "ConvTranspose", {to.real(op.getInput(), imageOrder), to.filled(1, element, {channels, 1, 1, 1})});
  setAttribute(node, "strides", op.getSteps());
  setAttribute(node, "group", channels);
  to.give(to.store(node.output(0), element), imageOrder);
}

// --- Resizing ---

AxisPositions positionsOf(llvm::ArrayRef<int64_t> numbers) { return {numbers[0], numbers[1], numbers[2]}; }

// Writes an ONNX Resize, with the scales that `axes` state or, if they state none, with the result's sizes.
std::string resized(ResizeOp op, const std::array<AxisResize, 2> &axes, const std::string &input,
                    LayerWriting &to) {
  const auto shape = shapeOf(op.getOutput());
  std::string scales, sizes;
  if (axes[0].scale) {
    Tensor all(DType::f32, {4});
    std::ranges::copy(std::array{1.0F, 1.0F, *axes[0].scale, *axes[1].scale}, all.mutableAs<float>().begin());
    scales = to.tensor(all);
  } else {
    sizes = to.ints({shape[0], shape[3], shape[1], shape[2]});
  }
  onnx::NodeProto &node = to.stepNode("Resize", {input, "", scales, sizes});
  setAttribute(node, "mode", nameOfKind(op.getKind().getValue()));
  setAttribute(node, "coordinate_transformation_mode", graph::stringifyCoordinates(axes[0].coordinates));
  if (axes[0].nearest)
    setAttribute(node, "nearest_mode", graph::stringifyNearestMode(*axes[0].nearest));
  setAttribute(node, "cubic_coeff_a", op.getCubicCoefficient().convertToFloat());
  return node.output(0);
}

void resize(ResizeOp op, const std::array<AxisResize, 2> &axes, LayerWriting &to) {
  const mlir::Type from = elementOf(op.getInput()), element = resultElement(op);
  const WrittenOperand input = to.operand(op.getInput(), imageOrder);
  if (op.getKind().getValue() == ResizeMode::nearest && from == element &&
      !op.getFunction()) // mode nearest only selects elements, so integers need not be dequantised
    return to.give(to.keep(resized(op, axes, input.name, to), element), imageOrder);
  const std::string value = resized(op, axes, to.real(input), to);
  to.give(to.store(to.apply(op.getFunctionAttr(), value, element), element), imageOrder);
}

// Writes a resize layer. Returns false if no ONNX resize mode reads from the input positions that the layer
// uses.
bool resize(ResizeOp op, LayerWriting &to) {
  const auto from = shapeOf(op.getInput()), result = shapeOf(op.getOutput());
  const auto axes =
      resizeOf({positionsOf(op.getRows()), positionsOf(op.getColumns())},
               op.getKind().getValue() == ResizeMode::nearest, {from[1], from[2]}, {result[1], result[2]});
  if (!axes)
    return false;
  resize(op, *axes, to);
  return true;
}

} // namespace

bool writeImages(mlir::Operation *operation, LayerWriting &to) {
  return llvm::TypeSwitch<mlir::Operation *, bool>(operation)
      .Case([&](PoolOp op) { return pool(op, to), true; })
      .Case([&](DilateOp op) { return dilate(op, to), true; })
      .Case([&](ResizeOp op) { return resize(op, to); })
      .Default([](mlir::Operation *) { return false; });
}

} // namespace tilerig::compiler
