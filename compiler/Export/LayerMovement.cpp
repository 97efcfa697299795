// Elements that move, as they are stored.
#include "compiler/Export/LayerFamilies.h"
#include "compiler/Import/Constants.h"

#include <llvm/ADT/TypeSwitch.h>

namespace tilerig {

namespace {

using namespace layer;
using graph::shapeOf;
using Sizes = llvm::ArrayRef<int64_t>;

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

// What pads, as the elements are stored.
std::string storedValue(PadOp op, LayerWriting &to) {
  const mlir::Type element = resultElement(op);
  const double value = op.getValue().convertToDouble();
  if (!quantisedOf(element) && element.isInteger())
    return to.cast(to.number(value, element), *dtypeOfElement(element));
  return to.store(to.number(value, element), element);
}

void pad(PadOp op, LayerWriting &to) {
  const Order order(to.home());
  Order pads = moved(op.getPads().take_front(order.size()), order);
  pads.append(moved(op.getPads().drop_front(order.size()), order));
  to.give(to.step("Pad", {to.in(op.getInput(), order), to.ints(pads), storedValue(op, to)}), order);
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

} // namespace tilerig
