// Exports elementwise layers: reals are computed in float between conversions from and to the stored types;
// integers stay integers.
#include "compiler/Export/LayerFamilies.h"
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Layer/IR/Quantised.h"

#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

namespace {

using namespace layer;

bool isInteger(mlir::Type element) {
  return !quantisedOf(element) && element.isInteger() && !element.isInteger(1);
}
bool isTruth(mlir::Type element) { return element.isInteger(1) || element.isUnsignedInteger(8); }

llvm::StringRef binaryType(BinaryFunction kind) {
  static constexpr llvm::StringLiteral types[] = {"Add",   "Sub",  "Mul",         "Div",     "Min",
                                                  "Max",   "Pow",  "Mod",         "Mod",     "PRelu",
                                                  "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual",
                                                  "And",   "Or",   "Xor"};
  static_assert(std::size(types) == EnumNames<BinaryFunction>::values.size());
  return types[static_cast<size_t>(kind)];
}

// The operand in the type that the operator takes: booleans for logic, stored integers if all operands are
// integers, else reals.
std::string operand(mlir::Value value, bool isLogic, bool areIntegers, const Order &order, LayerWriting &to) {
  const WrittenOperand writtenOperand = to.broadcast(value, order);
  if (isLogic)
    return to.truth(writtenOperand);
  return areIntegers ? writtenOperand.name : to.real(writtenOperand);
}

void binary(BinaryOp op, LayerWriting &to) {
  const Order order(to.home());
  const BinaryFunction kind = op.getKind().getValue();
  const mlir::Type element = resultElement(op);
  const bool isComparison = kind >= BinaryFunction::equal, isLogic = kind >= BinaryFunction::logicalAnd;
  const bool areIntegers = isInteger(elementOf(op.getA())) && isInteger(elementOf(op.getB()));
  onnx::NodeProto &node =
      to.stepNode(binaryType(kind), {operand(op.getA(), isLogic, areIntegers, order, to),
                                     operand(op.getB(), isLogic, areIntegers, order, to)});
  if (kind == BinaryFunction::fmod)
    setAttribute(node, "fmod", int64_t{1});
  std::string value = node.output(0);
  if (isComparison)
    return to.give(element.isInteger(1) ? value : to.cast(value, *dtypeOfElement(element)), order);
  value = to.apply(op.getFunctionAttr(), value, element);
  to.give(areIntegers && isInteger(element) ? value : to.store(value, element), order);
}

void select(SelectOp op, LayerWriting &to) {
  const Order order(to.home());
  const mlir::Type element = resultElement(op);
  // If the layer has no function and all its types are equal, elements are only moved, so stored integers
  // need no dequantisation.
  const bool moves = elementOf(op.getA()) == element && elementOf(op.getB()) == element && !op.getFunction();
  const auto side = [&](mlir::Value value) {
    const WrittenOperand writtenOperand = to.broadcast(value, order);
    return moves ? writtenOperand.name : to.real(writtenOperand);
  };
  const std::string condition = to.truth(to.broadcast(op.getCondition(), order));
  const std::string a = side(op.getA()), value = to.step("Where", {condition, a, side(op.getB())});
  to.give(moves ? to.keep(value, element) : to.store(to.apply(op.getFunctionAttr(), value, element), element),
          order);
}

// Applies the layer's function, if it has one, to a value, and converts the result to the layer's result
// type.
std::string converted(ActivateOp op, const WrittenOperand &input, LayerWriting &to) {
  const mlir::Type from = elementOf(op.getInput()), element = resultElement(op);
  const FunctionAttr function = op.getFunctionAttr();
  if (function && function.getKind() == UnaryFunction::logicalNot) {
    const std::string value = to.apply(function, to.truth(input), element);
    return element.isInteger(1) ? value : to.cast(value, *dtypeOfElement(element));
  }
  const bool isTable = to.isExact() && function && quantisedOf(from) && quantisedOf(element) &&
                       quantisedOf(from).getStorageTypeIntegralWidth() == 8 &&
                       quantisedOf(element).getStorageTypeIntegralWidth() == 8;
  if (isTable)
    return to.lookUp(function, input.name, from, element);
  if (isInteger(from) && isInteger(element)) {
    const std::string value = to.apply(function, input.name, element);
    return from == element ? value : to.cast(value, *dtypeOfElement(element));
  }
  if (isTruth(element) && !function)
    return isTruth(from) ? to.cast(input.name, *dtypeOfElement(element))
                         : to.cast(to.real(input), *dtypeOfElement(element));
  const std::string value = to.apply(function, to.real(input), element);
  if (quantisedOf(element))
    return to.store(value, element);
  const mlir::Type computed = from.isF64() ? from : mlir::Float32Type::get(element.getContext());
  return computed == element ? value : to.cast(value, *dtypeOfElement(element));
}

void activate(ActivateOp op, LayerWriting &to) {
  const Order order(to.home());
  to.give(converted(op, to.operand(op.getInput(), order), to), order);
}

} // namespace

bool writeElementwise(mlir::Operation *operation, LayerWriting &to) {
  return llvm::TypeSwitch<mlir::Operation *, bool>(operation)
      .Case([&](ActivateOp op) { return activate(op, to), true; })
      .Case([&](BinaryOp op) { return binary(op, to), true; })
      .Case([&](SelectOp op) { return select(op, to), true; })
      .Default([](mlir::Operation *) { return false; });
}

} // namespace tilerig::compiler
