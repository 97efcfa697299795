// Exports reductions, softmax and normalisations.
#include "compiler/Export/LayerFamilies.h"
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Layer/IR/Scales.h"

#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

namespace {

using namespace layer;
using graph::shapeOf;
using Sizes = llvm::ArrayRef<int64_t>;

llvm::StringRef reduceType(ReduceFunction kind) {
  static constexpr llvm::StringLiteral types[] = {"ReduceSum", "ReduceMean", "ReduceMax",
                                                  "ReduceMin", "ReduceProd", "ReduceSumSquare",
                                                  "ReduceL1",  "ArgMax",     "ArgMin"};
  static_assert(std::size(types) == EnumNames<ReduceFunction>::values.size());
  return types[static_cast<size_t>(kind)];
}

// The axis order in which a reduction is written, and the indices of the reduced axes in that order. It is
// the model's order if that order lists the reduced axes in the same sequence as the value. Otherwise floats
// would be added up in another sequence.
struct ReducedAxes {
  Order order, axes;
};
ReducedAxes reducedAxes(ReduceOp op, Sizes home) {
  Order axes, taken;
  for (size_t i = 0; i < home.size(); ++i)
    if (llvm::is_contained(op.getAxes(), home[i])) {
      axes.push_back(static_cast<int64_t>(i));
      taken.push_back(home[i]);
    }
  if (llvm::is_sorted(taken))
    return {Order(home), axes};
  return {identityOrder(home.size()), Order(op.getAxes())};
}

int64_t countOf(ReduceOp op) {
  int64_t count = 1;
  for (const int64_t axis : op.getAxes())
    count *= shapeOf(op.getInput())[axis];
  return count;
}

// Writes a sum of stored integers q over some axes: the exact sum of (q - zero point), multiplied by a
// factor.
std::string integerSum(ReduceOp op, const std::string &input, const std::string &axes, LayerWriting &to) {
  const mlir::Type from = elementOf(op.getInput());
  const std::string differences =
      to.step("Sub", {to.cast(input, DType::i32), to.cast(to.zeroPoint(from), DType::i32)});
  const std::string sum = to.cast(to.step("ReduceSum", {differences, axes}), DType::f32);
  const int64_t count = op.getKind().getValue() == ReduceFunction::mean ? countOf(op) : 1;
  const float factor = averageFactor(from, resultElement(op), count);
  return to.land(to.step("Mul", {sum, to.tensor(Tensor::scalar(factor))}), resultElement(op));
}

// ONNX Runtime's ArgMax and ArgMin take no 16-bit integers, the type in which integers of nine bits are
// exported, so these are cast to int32.
std::string extreme(ReduceOp op, const std::string &input, int64_t axis, LayerWriting &to) {
  const auto from = quantisedOf(elementOf(op.getInput()));
  const bool isNineBits = to.isExact() && from && from.getStorageTypeIntegralWidth() > 8;
  onnx::NodeProto &node =
      to.stepNode(reduceType(op.getKind().getValue()), {isNineBits ? to.cast(input, DType::i32) : input});
  setAttribute(node, "axis", axis);
  setAttribute(node, "select_last_index", int64_t{op.getLastIndex()});
  const mlir::Type element = resultElement(op);
  return element.isInteger(64) ? node.output(0) : to.cast(node.output(0), *dtypeOfElement(element));
}

std::string reduced(ReduceOp op, const ReducedAxes &at, LayerWriting &to) {
  const ReduceFunction kind = op.getKind().getValue();
  const mlir::Type from = elementOf(op.getInput()), element = resultElement(op);
  const WrittenOperand input = to.operand(op.getInput(), at.order);
  if (kind == ReduceFunction::argMax || kind == ReduceFunction::argMin)
    return extreme(op, input.name, at.axes[0], to);
  const std::string axes = to.ints(at.axes);
  const bool picks = kind == ReduceFunction::max || kind == ReduceFunction::min;
  const bool areIntegers = !quantisedOf(from) && from.isInteger();
  if ((picks || areIntegers) && from == element && !op.getFunction())
    return to.keep(to.step(reduceType(kind), {input.name, axes}), element);
  if (to.isExact() && quantisedOf(from) && quantisedOf(element) &&
      (kind == ReduceFunction::sum || kind == ReduceFunction::mean))
    return integerSum(op, input.name, axes, to);
  const std::string value = to.step(reduceType(kind), {to.real(input), axes});
  return to.store(to.apply(op.getFunctionAttr(), value, element), element);
}

void reduce(ReduceOp op, LayerWriting &to) {
  const ReducedAxes at = reducedAxes(op, to.homeOf(op.getInput()));
  to.give(reduced(op, at, to), at.order);
}

void softmax(SoftmaxOp op, LayerWriting &to) {
  const Order order(to.home());
  const mlir::Type element = resultElement(op);
  onnx::NodeProto &node =
      to.stepNode(op.getLogarithm() ? "LogSoftmax" : "Softmax", {to.real(op.getInput(), order)});
  setAttribute(node, "axis", static_cast<int64_t>(llvm::find(order, op.getAxis()) - order.begin()));
  to.give(to.store(to.apply(op.getFunctionAttr(), node.output(0), element), element), order);
}

// --- Normalisation ---

// The channel axis if the layer is an instance normalisation: statistics are computed for each channel of an
// image, and gain and shift have one number for each channel. Empty for other normalisations.
std::optional<int64_t> instanceAxis(NormalizeOp op) {
  const auto rank = static_cast<int64_t>(shapeOf(op.getInput()).size());
  if (rank < 3 || static_cast<int64_t>(op.getAxes().size()) != rank - 2 || !op.getGain() || !op.getShift())
    return {};
  const int64_t axis = op.getAxes()[0] == 1 ? rank - 1 : 1;
  Order vector(static_cast<size_t>(rank - axis), 1);
  vector[0] = shapeOf(op.getInput())[axis];
  for (int64_t i = 1; i < rank; ++i)
    if (llvm::is_contained(op.getAxes(), i) == (i == axis))
      return {};
  return shapeOf(op.getGain()) == Sizes(vector) && shapeOf(op.getShift()) == Sizes(vector)
             ? std::optional(axis)
             : std::nullopt;
}

std::string real(mlir::Value value, LayerWriting &to) { return value ? to.plainReal(value) : ""; }

// Writes a LayerNormalization, with the normalised axes moved behind the others. Gain and shift have the
// shape of the normalised axes; the lowering has put those of any other shape into separate layers.
std::string layerNorm(NormalizeOp op, Order &order, LayerWriting &to) {
  const Sizes shape = shapeOf(op.getInput());
  order.clear();
  Order sizes;
  for (const bool isNormalised : {false, true})
    for (size_t i = 0; i < shape.size(); ++i)
      if (llvm::is_contained(op.getAxes(), static_cast<int64_t>(i)) == isNormalised)
        order.push_back(static_cast<int64_t>(i));
  for (const int64_t axis : Sizes(order).take_back(op.getAxes().size()))
    sizes.push_back(shape[axis]);
  const mlir::Type element = resultElement(op);
  const std::string gain = op.getGain() ? real(op.getGain(), to) : to.filled(1, element, sizes);
  onnx::NodeProto &node =
      to.stepNode("LayerNormalization", {to.real(op.getInput(), order), gain, real(op.getShift(), to)});
  setAttribute(node, "axis", static_cast<int64_t>(order.size() - sizes.size()));
  setAttribute(node, "epsilon", op.getEpsilon().convertToFloat());
  return node.output(0);
}

void normalize(NormalizeOp op, LayerWriting &to) {
  const mlir::Type element = resultElement(op);
  Order order;
  std::string value;
  if (const auto axis = instanceAxis(op)) {
    order = {0, *axis};
    order.append(op.getAxes().begin(), op.getAxes().end());
    const auto vector = [&](mlir::Value gainOrShift) {
      return to.step("Reshape", {real(gainOrShift, to), to.ints({-1})});
    };
    onnx::NodeProto &node =
        to.stepNode("InstanceNormalization",
                    {to.real(op.getInput(), order), vector(op.getGain()), vector(op.getShift())});
    setAttribute(node, "epsilon", op.getEpsilon().convertToFloat());
    value = node.output(0);
  } else {
    value = layerNorm(op, order, to);
  }
  to.give(to.store(to.apply(op.getFunctionAttr(), value, element), element), order);
}

} // namespace

bool writeRows(mlir::Operation *operation, LayerWriting &to) {
  return llvm::TypeSwitch<mlir::Operation *, bool>(operation)
      .Case([&](ReduceOp op) { return reduce(op, to), true; })
      .Case([&](SoftmaxOp op) { return softmax(op, to), true; })
      .Case([&](NormalizeOp op) { return normalize(op, to), true; })
      .Default([](mlir::Operation *) { return false; });
}

} // namespace tilerig::compiler
