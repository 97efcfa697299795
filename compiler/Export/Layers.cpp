#include "compiler/Export/Layers.h"

#include "compiler/Dialect/Layer/Types.h"
#include "compiler/Export/LayerWriting.h"
#include "compiler/Import/Constants.h"

#include <llvm/ADT/TypeSwitch.h>

namespace tilerig {

namespace {

using namespace layer;
using graph::shapeOf;
using Sizes = llvm::ArrayRef<int64_t>;

const Order imageOrder = {0, 3, 1, 2}; // channels in front, as ONNX has images and weights

mlir::Type resultElement(mlir::Operation *operation) { return elementOf(operation->getResult(0)); }

Tensor filled(double value, mlir::Type element, Sizes shape) {
  Tensor tensor(*dtypeOfElement(element), Shape(shape.begin(), shape.end()));
  if (tensor.dtype() == DType::f64)
    std::ranges::fill(tensor.mutableAs<double>(), value);
  else
    std::ranges::fill(tensor.mutableAs<float>(), static_cast<float>(value));
  return tensor;
}

void setWindows(onnx::NodeProto &node, Sizes kernel, Sizes strides, Sizes dilations, Sizes pads) {
  setAttribute(node, "kernel_shape", kernel);
  setAttribute(node, "strides", strides);
  setAttribute(node, "dilations", dilations);
  setAttribute(node, "pads", pads);
}

// What follows the accumulator.
template <class Product>
std::string epilogue(Product op, std::string sum, Sizes order, LayerWriting &to) {
  const mlir::Type element = resultElement(op);
  const auto addend = [&] {
    return op.getAddend() ? to.step("Add", {sum, to.in(op.getAddend(), order)}) : sum;
  };
  if (op.getFunctionFirst()) {
    sum = to.apply(op.getFunctionAttr(), sum, element);
    return addend();
  }
  sum = addend();
  return to.apply(op.getFunctionAttr(), sum, element);
}

void conv(ConvOp op, LayerWriting &to) {
  onnx::NodeProto &node = to.stepNode(
      "Conv", {to.in(op.getInput(), imageOrder), to.in(op.getWeights(), imageOrder), to.plain(op.getBias())});
  setWindows(node, shapeOf(op.getWeights()).slice(1, 2), op.getStrides(), op.getDilations(), op.getPads());
  setAttribute(node, "group", static_cast<int64_t>(op.getGroups()));
  to.give(epilogue(op, node.output(0), imageOrder, to), imageOrder);
}

// A sum that starts at a bias is a Gemm, of one matrix by another.
std::string productWithBias(MatMulOp op, LayerWriting &to) {
  const Sizes a = shapeOf(op.getA()), result = shapeOf(op.getOutput());
  std::string input = to.plain(op.getA());
  if (a.size() > 2)
    input = to.step("Reshape", {input, to.ints({-1, a.back()})});
  onnx::NodeProto &node = to.stepNode("Gemm", {input, to.plain(op.getB()), to.plain(op.getBias())});
  setAttribute(node, "transB", int64_t{!op.getTransposedB()});
  return a.size() > 2 ? to.step("Reshape", {node.output(0), to.ints(result)}) : node.output(0);
}

void matmul(MatMulOp op, LayerWriting &to) {
  Order perm = identityOrder(shapeOf(op.getB()).size());
  if (!op.getTransposedB())
    std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  const std::string sum = op.getBias() ? productWithBias(op, to)
                                       : to.step("MatMul", {to.plain(op.getA()), to.in(op.getB(), perm)});
  const Order order = identityOrder(shapeOf(op.getOutput()).size());
  to.give(epilogue(op, sum, order, to), order);
}

// Whether windows that begin inside the image but end beyond its padding count.
bool roundsUp(PoolOp op) {
  for (size_t i = 0; i < 2; ++i) {
    const int64_t reach = (op.getKernel()[i] - 1) * op.getDilations()[i] + 1;
    const int64_t slack = shapeOf(op.getInput())[i + 1] + op.getPads()[i] + op.getPads()[i + 2] - reach;
    if (slack / op.getStrides()[i] + 1 < shapeOf(op.getOutput())[i + 1] || slack < 0)
      return true;
  }
  return false;
}

void pool(PoolOp op, LayerWriting &to) {
  const PoolFunction kind = op.getKind().getValue();
  const mlir::Type element = resultElement(op);
  const std::string input = to.in(op.getInput(), imageOrder);
  onnx::NodeProto *node = nullptr;
  if (kind == PoolFunction::sum) { // no pool of ONNX's sums; a kernel of ones does
    const int64_t channels = shapeOf(op.getInput())[3];
    const Order kernel = {channels, 1, op.getKernel()[0], op.getKernel()[1]};
    node = &to.stepNode("Conv", {input, to.tensor(filled(1, element, kernel))});
    setAttribute(*node, "group", channels);
  } else {
    node = &to.stepNode(kind == PoolFunction::max ? "MaxPool" : "AveragePool", {input});
    setAttribute(*node, "ceil_mode", int64_t{roundsUp(op)});
    if (kind == PoolFunction::averageWithPadding)
      setAttribute(*node, "count_include_pad", int64_t{1});
  }
  setWindows(*node, op.getKernel(), op.getStrides(), op.getDilations(), op.getPads());
  to.give(to.apply(op.getFunctionAttr(), node->output(0), element), imageOrder);
}

// A transposed convolution of one weight, 1, puts zeros between pixels.
void dilate(DilateOp op, LayerWriting &to) {
  const int64_t channels = shapeOf(op.getInput())[3];
  const std::string ones = to.tensor(filled(1, resultElement(op), {channels, 1, 1, 1}));
  onnx::NodeProto &node = to.stepNode("ConvTranspose", {to.in(op.getInput(), imageOrder), ones});
  setAttribute(node, "strides", op.getSteps());
  setAttribute(node, "group", channels);
  to.give(node.output(0), imageOrder);
}

llvm::StringRef binaryType(BinaryFunction kind) {
  static constexpr llvm::StringLiteral types[] = {"Add",   "Sub",  "Mul",         "Div",     "Min",
                                                  "Max",   "Pow",  "Mod",         "Mod",     "PRelu",
                                                  "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual",
                                                  "And",   "Or",   "Xor"};
  static_assert(std::size(types) == EnumNames<BinaryFunction>::values.size());
  return types[static_cast<size_t>(kind)];
}

void binary(BinaryOp op, LayerWriting &to) {
  const Order order(to.home());
  const BinaryFunction kind = op.getKind().getValue();
  onnx::NodeProto &node =
      to.stepNode(binaryType(kind), {to.broadcast(op.getA(), order), to.broadcast(op.getB(), order)});
  if (kind == BinaryFunction::fmod)
    setAttribute(node, "fmod", int64_t{1});
  to.give(to.apply(op.getFunctionAttr(), node.output(0), resultElement(op)), order);
}

void select(SelectOp op, LayerWriting &to) {
  const Order order(to.home());
  const std::string value =
      to.step("Where", {to.broadcast(op.getCondition(), order), to.broadcast(op.getA(), order),
                        to.broadcast(op.getB(), order)});
  to.give(to.apply(op.getFunctionAttr(), value, resultElement(op)), order);
}

std::string cast(std::string input, mlir::Type element, LayerWriting &to) {
  onnx::NodeProto &node = to.stepNode("Cast", {input});
  setAttribute(node, "to", int64_t{onnxNumber(*dtypeOfElement(element))});
  return node.output(0);
}

void activate(ActivateOp op, LayerWriting &to) {
  const Order order(to.home());
  std::string value = to.apply(op.getFunctionAttr(), to.in(op.getInput(), order), resultElement(op));
  if (elementOf(op.getInput()) != resultElement(op))
    value = cast(value, resultElement(op), to);
  to.give(value, order);
}

llvm::StringRef reduceType(ReduceFunction kind) {
  static constexpr llvm::StringLiteral types[] = {"ReduceSum", "ReduceMean", "ReduceMax",
                                                  "ReduceMin", "ReduceProd", "ReduceSumSquare",
                                                  "ReduceL1",  "ArgMax",     "ArgMin"};
  static_assert(std::size(types) == EnumNames<ReduceFunction>::values.size());
  return types[static_cast<size_t>(kind)];
}

void reduce(ReduceOp op, LayerWriting &to) {
  const ReduceFunction kind = op.getKind().getValue();
  // The order of a sum over several axes is that of the value, so they may not be moved.
  Order order(to.homeOf(op.getInput())), axes;
  for (size_t i = 0; i < order.size(); ++i)
    if (llvm::is_contained(op.getAxes(), order[i]))
      axes.push_back(static_cast<int64_t>(i));
  Order moved;
  for (const int64_t axis : axes)
    moved.push_back(order[axis]);
  if (!llvm::is_sorted(moved)) {
    order = identityOrder(order.size());
    axes = Order(op.getAxes());
  }
  const std::string input = to.in(op.getInput(), order);
  if (kind != ReduceFunction::argMax && kind != ReduceFunction::argMin) {
    const std::string value = to.step(reduceType(kind), {input, to.ints(axes)});
    return to.give(to.apply(op.getFunctionAttr(), value, resultElement(op)), order);
  }
  onnx::NodeProto &node = to.stepNode(reduceType(kind), {input});
  setAttribute(node, "axis", axes[0]);
  setAttribute(node, "select_last_index", int64_t{op.getLastIndex()});
  to.give(resultElement(op).isInteger(64) ? node.output(0) : cast(node.output(0), resultElement(op), to),
          order);
}

void softmax(SoftmaxOp op, LayerWriting &to) {
  const Order order(to.home());
  onnx::NodeProto &node =
      to.stepNode(op.getLogarithm() ? "LogSoftmax" : "Softmax", {to.in(op.getInput(), order)});
  setAttribute(node, "axis", static_cast<int64_t>(llvm::find(order, op.getAxis()) - order.begin()));
  to.give(to.apply(op.getFunctionAttr(), node.output(0), resultElement(op)), order);
}

// The normalised axes behind the others; gain and shift then have the shape that is normalised, or each of
// them is applied by a node of its own.
void normalize(NormalizeOp op, LayerWriting &to) {
  const Sizes shape = shapeOf(op.getInput());
  const mlir::Type element = resultElement(op);
  Order order, sizes;
  for (const bool isNormalised : {false, true})
    for (size_t i = 0; i < shape.size(); ++i)
      if (llvm::is_contained(op.getAxes(), static_cast<int64_t>(i)) == isNormalised)
        order.push_back(static_cast<int64_t>(i));
  for (const int64_t axis : Sizes(order).take_back(op.getAxes().size()))
    sizes.push_back(shape[axis]);
  const auto isInside = [&](mlir::Value value) {
    return !value || (isIdentity(order) && shapeOf(value) == Sizes(sizes));
  };
  const bool isFused = isInside(op.getGain()) && isInside(op.getShift());
  const std::string gain =
      isFused && op.getGain() ? to.plain(op.getGain()) : to.tensor(filled(1, element, sizes));
  onnx::NodeProto &node =
      to.stepNode("LayerNormalization", {to.in(op.getInput(), order), gain,
                                         isFused && op.getShift() ? to.plain(op.getShift()) : std::string()});
  setAttribute(node, "axis", static_cast<int64_t>(order.size() - sizes.size()));
  setAttribute(node, "epsilon", op.getEpsilon().convertToFloat());
  std::string value = node.output(0);
  if (!isFused && op.getGain())
    value = to.step("Mul", {value, to.broadcast(op.getGain(), order)});
  if (!isFused && op.getShift())
    value = to.step("Add", {value, to.broadcast(op.getShift(), order)});
  to.give(to.apply(op.getFunctionAttr(), value, element), order);
}

// --- Movement ---

// Of a list for each axis, in another order.
Order moved(Sizes perAxis, Sizes order) {
  Order result;
  for (const int64_t axis : order)
    result.push_back(perAxis[axis]);
  return result;
}

void transpose(TransposeOp op, LayerWriting &to) {
  // Axis i of the result is axis perm[i] of the input.
  const Order order(to.home());
  to.give(to.in(op.getInput(), moved(op.getPerm(), order)), order);
}

void reshape(ReshapeOp op, LayerWriting &to) {
  to.give(to.step("Reshape", {to.plain(op.getInput()), to.ints(shapeOf(op.getOutput()))}));
}

void concat(ConcatOp op, LayerWriting &to) {
  const Order order(to.home());
  llvm::SmallVector<std::string> inputs;
  for (const mlir::Value input : op.getInputs())
    inputs.push_back(to.in(input, order));
  onnx::NodeProto &node = to.stepNode("Concat", inputs);
  setAttribute(node, "axis", static_cast<int64_t>(llvm::find(order, op.getAxis()) - order.begin()));
  to.give(node.output(0), order);
}

void slice(SliceOp op, LayerWriting &to) {
  const Order order(to.home());
  const Order starts = moved(op.getStarts(), order), steps = moved(op.getSteps(), order),
              counts = moved(shapeOf(op.getOutput()), order);
  Order ends;
  for (size_t i = 0; i < starts.size(); ++i) {
    const int64_t end = starts[i] + counts[i] * steps[i];
    ends.push_back(end < 0 ? INT64_MIN : end); // before the first, which ONNX writes far below zero
  }
  to.give(to.step("Slice", {to.in(op.getInput(), order), to.ints(starts), to.ints(ends),
                            to.ints(identityOrder(order.size())), to.ints(steps)}),
          order);
}

void pad(PadOp op, LayerWriting &to) {
  const Order order(to.home());
  Order pads = moved(op.getPads().take_front(order.size()), order);
  pads.append(moved(op.getPads().drop_front(order.size()), order));
  to.give(to.step("Pad", {to.in(op.getInput(), order), to.ints(pads),
                          to.number(op.getValue().convertToFloat(), resultElement(op))}),
          order);
}

void expand(ExpandOp op, LayerWriting &to) {
  const Order order(to.home());
  to.give(to.step("Expand", {to.in(op.getInput(), order), to.ints(moved(shapeOf(op.getOutput()), order))}),
          order);
}

void gather(GatherOp op, LayerWriting &to) {
  onnx::NodeProto &node = to.stepNode("Gather", {to.plain(op.getInput()), to.plain(op.getIndices())});
  setAttribute(node, "axis", static_cast<int64_t>(op.getAxis()));
  to.give(node.output(0));
}

} // namespace

bool writeLayer(mlir::Operation *operation, ModelWriter &writer, OrderedNames &names) {
  LayerWriting to(operation, writer, names);
  bool isKnown = true;
  llvm::TypeSwitch<mlir::Operation *>(operation)
      .Case([&](ActivateOp op) { activate(op, to); })
      .Case([&](BinaryOp op) { binary(op, to); })
      .Case([&](ConcatOp op) { concat(op, to); })
      .Case([&](ConvOp op) { conv(op, to); })
      .Case([&](DilateOp op) { dilate(op, to); })
      .Case([&](ExpandOp op) { expand(op, to); })
      .Case([&](GatherOp op) { gather(op, to); })
      .Case([&](MatMulOp op) { matmul(op, to); })
      .Case([&](NormalizeOp op) { normalize(op, to); })
      .Case([&](PadOp op) { pad(op, to); })
      .Case([&](PoolOp op) { pool(op, to); })
      .Case([&](ReduceOp op) { reduce(op, to); })
      .Case([&](ReshapeOp op) { reshape(op, to); })
      .Case([&](SelectOp op) { select(op, to); })
      .Case([&](SliceOp op) { slice(op, to); })
      .Case([&](SoftmaxOp op) { softmax(op, to); })
      .Case([&](TransposeOp op) { transpose(op, to); })
      .Default([&](mlir::Operation *) { isKnown = false; });
  return isKnown;
}

} // namespace tilerig
