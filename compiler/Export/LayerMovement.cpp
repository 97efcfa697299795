// Exports layers that move elements. The exported nodes move elements as they are stored, or, in the QDQ form
// (float operators between QuantizeLinear and DequantizeLinear), dequantised reals.
#include "compiler/Export/LayerFamilies.h"
#include "compiler/Graph/IR/TensorAttributes.h"

#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

namespace {

using namespace layer;
using graph::shapeOf;
using Sizes = llvm::ArrayRef<int64_t>;

// Returns the entries of `perAxis`, which has one for each axis of a value, in the given order of axes.
Order moved(Sizes perAxis, Sizes order) {
  Order result;
  for (const int64_t axis : order)
    result.push_back(perAxis[axis]);
  return result;
}

void keep(mlir::Operation *mover, const std::string &name, Sizes order, LayerWriting &to) {
  to.give(to.keep(name, resultElement(mover)), order);
}

// The tensor of an operand with the axes in the order of the MLIR value, not in that of the model.
std::string plain(mlir::Value value, LayerWriting &to) {
  return to.operand(value, identityOrder(shapeOf(value).size())).name;
}

void transpose(TransposeOp op, LayerWriting &to) {
  // Axis i of the transposed result is axis perm[i] of the input.
  const Order order(to.home());
  keep(op, to.operand(op.getInput(), moved(op.getPerm(), order)).name, order, to);
}

void reshape(ReshapeOp op, LayerWriting &to) {
  const auto shape = shapeOf(op.getOutput());
  keep(op, to.step("Reshape", {plain(op.getInput(), to), to.ints(shape)}), identityOrder(shape.size()), to);
}

void concat(ConcatOp op, LayerWriting &to) {
  const Order order(to.home());
  llvm::SmallVector<std::string> inputs;
  for (const mlir::Value input : op.getInputs())
    inputs.push_back(to.operand(input, order).name);
  onnx::NodeProto &node = to.stepNode("Concat", inputs);
  setAttribute(node, "axis", static_cast<int64_t>(llvm::find(order, op.getAxis()) - order.begin()));
  keep(op, node.output(0), order, to);
}

void slice(SliceOp op, LayerWriting &to) {
  const Order order(to.home());
  const Order starts = moved(op.getStarts(), order), steps = moved(op.getSteps(), order),
              counts = moved(shapeOf(op.getOutput()), order);
  Order ends;
  for (size_t i = 0; i < starts.size(); ++i)
    ends.push_back(endOfSlice(starts[i], steps[i], counts[i]));
  keep(op,
       to.step("Slice", {to.operand(op.getInput(), order).name, to.ints(starts), to.ints(ends),
                         to.ints(identityOrder(order.size())), to.ints(steps)}),
       order, to);
}

// The padding value as a scalar, in the type of the elements that are padded.
std::string paddingOf(PadOp op, LayerWriting &to) {
  const mlir::Type element = resultElement(op);
  const double value = op.getValue().convertToDouble();
  if (!quantisedOf(element) && element.isInteger())
    return to.cast(to.number(value, element), *dtypeOfElement(element));
  const std::string number = to.number(value, element);
  return quantisedOf(element) && !to.isExact() ? number : to.store(number, element);
}

void pad(PadOp op, LayerWriting &to) {
  const Order order(to.home());
  Order pads = moved(op.getPads().take_front(order.size()), order);
  pads.append(moved(op.getPads().drop_front(order.size()), order));
  keep(op, to.step("Pad", {to.operand(op.getInput(), order).name, to.ints(pads), paddingOf(op, to)}), order,
       to);
}

void expand(ExpandOp op, LayerWriting &to) {
  const Order order(to.home());
  const Order sizes = moved(shapeOf(op.getOutput()), order);
  keep(op, to.step("Expand", {to.operand(op.getInput(), order).name, to.ints(sizes)}), order, to);
}

void gather(GatherOp op, LayerWriting &to) {
  onnx::NodeProto &node = to.stepNode("Gather", {plain(op.getInput(), to), to.plain(op.getIndices())});
  setAttribute(node, "axis", static_cast<int64_t>(op.getAxis()));
  keep(op, node.output(0), identityOrder(shapeOf(op.getOutput()).size()), to);
}

} // namespace

bool writeMovement(mlir::Operation *operation, LayerWriting &to) {
  return llvm::TypeSwitch<mlir::Operation *, bool>(operation)
      .Case([&](ConcatOp op) { return concat(op, to), true; })
      .Case([&](ExpandOp op) { return expand(op, to), true; })
      .Case([&](GatherOp op) { return gather(op, to), true; })
      .Case([&](PadOp op) { return pad(op, to), true; })
      .Case([&](ReshapeOp op) { return reshape(op, to), true; })
      .Case([&](SliceOp op) { return slice(op, to), true; })
      .Case([&](TransposeOp op) { return transpose(op, to), true; })
      .Default([](mlir::Operation *) { return false; });
}

} // namespace tilerig::compiler
