#include "compiler/Layer/Precision/SharedScales.h"

#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Layer/IR/LayerBuilder.h"
#include "compiler/Layer/IR/Types.h"

#include <cmath>

namespace tilerig::compiler {

namespace {

double widthOf(ValueRange range) { return static_cast<double>(range.high) - range.low; }

// Range of the finite elements of a constant; 0 ... 0 if the value is not a constant.
ValueRange rangeOfConstant(mlir::Value value) {
  ValueRange range;
  if (const auto elements = elementsOf(value))
    for (const double x : doublesIn(*elements).value_or(std::vector<double>()))
      if (std::isfinite(x)) // infinities occur only in masks, which are not quantised
        range = unionOf(std::array{range, ValueRange::containing(static_cast<float>(x), 0)});
  return range;
}

} // namespace

SharedScales::SharedScales(mlir::Block &block, const Ranges &known) {
  for (const auto &[value, range] : known.values)
    ranges[value] = range;
  for (mlir::Operation &operation : block.without_terminator())
    if (layer::keepsStoredType(&operation)) {
      join(operation.getOperand(0), operation.getResult(0));
      if (auto pad = llvm::dyn_cast<layer::PadOp>(operation);
          pad && std::isfinite(pad.getValue().convertToFloat()))
        widen(pad.getOutput(), ValueRange::containing(pad.getValue().convertToFloat(), 0));
    }
  for (mlir::Operation &operation : block.without_terminator())
    if (auto concat = llvm::dyn_cast<layer::ConcatOp>(operation))
      joinConcatenated(concat);
}

// Lets the result of a concat share a scale with some of its inputs: those whose range is at least half as
// wide as the union of all ranges (of the result and of the inputs). With the scale of the union, these
// inputs lose at most one bit.
void SharedScales::joinConcatenated(layer::ConcatOp concat) {
  ValueRange all = rangeOf(concat.getOutput());
  for (const mlir::Value input : concat.getInputs())
    all = unionOf(std::array{all, rangeOf(input)});
  widen(concat.getOutput(), all);
  for (const mlir::Value input : concat.getInputs())
    if (!input.getDefiningOp<layer::ConstantOp>() && 2 * widthOf(rangeOf(input)) >= widthOf(all))
      join(input, concat.getOutput());
}

mlir::Value SharedScales::leaderOf(mlir::Value value) const {
  for (auto entry = leaders.find(value); entry != leaders.end(); entry = leaders.find(value))
    value = entry->second;
  return value;
}

ValueRange SharedScales::rangeOf(mlir::Value value) const {
  const mlir::Value leader = leaderOf(value);
  const auto entry = ranges.find(leader);
  return entry == ranges.end() ? rangeOfConstant(leader) : entry->second;
}

void SharedScales::widen(mlir::Value value, ValueRange range) {
  const ValueRange both = unionOf(std::array{rangeOf(value), range});
  ranges[leaderOf(value)] = both;
}

void SharedScales::join(mlir::Value a, mlir::Value b) {
  const mlir::Value from = leaderOf(b), to = leaderOf(a);
  if (from == to)
    return;
  widen(to, rangeOf(from));
  leaders[from] = to;
}

} // namespace tilerig::compiler
