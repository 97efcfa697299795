#include "compiler/Layer/IR/Types.h"

#include "compiler/Graph/IR/Shapes.h"

#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler::layer {

mlir::Type elementOf(mlir::Value value) { return graph::tensorType(value).getElementType(); }

mlir::quant::QuantizedType quantisedOf(mlir::Type element) {
  return llvm::dyn_cast<mlir::quant::QuantizedType>(element);
}

std::optional<ElementType> storedAs(mlir::Type element) {
  const auto quantised = quantisedOf(element);
  if (!quantised)
    return element.isF32()                 ? std::optional(ElementType::fp32)
           : element.isF16()               ? std::optional(ElementType::fp16)
           : element.isBF16()              ? std::optional(ElementType::bf16)
           : element.isSignlessInteger(32) ? std::optional(ElementType::i32)
           : element.isUnsignedInteger(8)  ? std::optional(ElementType::u8)
                                           : std::nullopt;
  const int64_t low = quantised.getStorageTypeMin(), high = quantised.getStorageTypeMax();
  if (quantised.getStorageTypeIntegralWidth() == 8)
    return quantised.isSigned() ? ElementType::i8 : ElementType::u8;
  if (quantised.getStorageTypeIntegralWidth() == 16 && quantised.isSigned() && low == -256 && high == 255)
    return ElementType::i9;
  return {};
}

bool isForInstructions(mlir::Type element) {
  return element.isInteger(1) || element.isSignlessInteger(64) || storedAs(element).has_value();
}

bool isFloatForInstructions(mlir::Type element) {
  return llvm::isa<mlir::FloatType>(element) && isForInstructions(element);
}

std::string_view missingInstruction(BinaryOp op) {
  const mlir::Type element = elementOf(op.getOutput());
  const BinaryFunction kind = op.getKind().getValue();
  const bool isComparison = kind >= BinaryFunction::equal;
  const bool isSelection = kind == BinaryFunction::min || kind == BinaryFunction::max || isComparison;
  // Arithmetic on 8-bit integers without a scale would have to wrap around on overflow, which the vector
  // engine does not do.
  if (element.isUnsignedInteger(8) && !isSelection)
    return "arithmetic on 8-bit integers without a quantisation scale is not supported";
  const bool isInteger = element.isSignlessInteger(64) || element.isSignlessInteger(32);
  if (kind == BinaryFunction::pow && (isInteger || element.isUnsignedInteger(8)))
    return "a power with an integer result is not supported";
  return {};
}

bool keepsStoredType(mlir::Operation *operation) {
  return llvm::TypeSwitch<mlir::Operation *, bool>(operation)
      .Case<ReshapeOp, TransposeOp, ExpandOp, SliceOp, PadOp, GatherOp, DilateOp>([](auto) { return true; })
      .Case([](PoolOp op) { return op.getKind().getValue() == PoolFunction::max && !op.getFunction(); })
      .Case([](ReduceOp op) {
        const ReduceFunction kind = op.getKind().getValue();
        return (kind == ReduceFunction::max || kind == ReduceFunction::min) && !op.getFunction();
      })
      .Case([](ResizeOp op) { return op.getKind().getValue() == ResizeMode::nearest && !op.getFunction(); })
      .Default([](mlir::Operation *) { return false; });
}

llvm::LogicalResult keepsType(mlir::Operation *operation) {
  const mlir::Type expected = elementOf(operation->getOperand(0));
  const auto complain = [&](mlir::Value value) {
    return operation->emitOpError() << "operands and result must have the same element type, not "
                                    << elementOf(value) << " and " << expected;
  };
  if (elementOf(operation->getResult(0)) != expected)
    return complain(operation->getResult(0));
  if (auto concat = llvm::dyn_cast<ConcatOp>(operation))
    for (const mlir::Value input : concat.getInputs())
      if (elementOf(input) != expected)
        return complain(input);
  return llvm::success();
}

llvm::LogicalResult holdsItsType(ConstantOp constant) {
  const mlir::Type element = elementOf(constant.getOutput()),
                   held = constant.getValue().getShapedType().getElementType();
  const auto quantised = quantisedOf(element);
  const bool isInteger = quantised && held.isInteger(quantised.getStorageTypeIntegralWidth()) &&
                         held.isUnsignedInteger() == !quantised.isSigned();
  if (held == element || isInteger)
    return llvm::success();
  return constant.emitOpError() << "the value has elements of type " << held << ", which do not fit type "
                                << element;
}

llvm::LogicalResult verifyProductTypes(mlir::Operation *operation, mlir::Value bias, mlir::Value addend,
                                       std::optional<mlir::Type> middle) {
  const mlir::Type a = elementOf(operation->getOperand(0)), b = elementOf(operation->getOperand(1)),
                   result = elementOf(operation->getResult(0));
  const auto complain = [&](auto &&...parts) {
    mlir::InFlightDiagnostic diagnostic = operation->emitOpError();
    (diagnostic << ... << parts);
    return diagnostic;
  };
  if (static_cast<bool>(quantisedOf(a)) != static_cast<bool>(quantisedOf(b)) || (!quantisedOf(a) && a != b))
    return complain("cannot multiply ", a, " by ", b);
  if (middle && !quantisedOf(*middle))
    return complain("attribute 'middle' has type ", *middle, ", which is not quantised");
  if (llvm::isa<mlir::FloatType>(a) && bias && !llvm::isa<mlir::FloatType>(elementOf(bias)))
    return complain("the bias has type ", elementOf(bias), ", but the sums are floats");
  if (!quantisedOf(a))
    return middle ? complain("the layer has the attribute 'middle' (the quantised type of its sums), but no "
                             "quantised operands")
                  : llvm::success();
  if (storedAs(a) == ElementType::i9 || storedAs(b) == ElementType::i9)
    return complain("the machine cannot multiply 9-bit integers");
  if (bias && !elementOf(bias).isInteger(32))
    return complain("the bias has type ", elementOf(bias), ", but the sums are 32-bit integers");
  if (result.isInteger(32) && (addend || middle || operation->getAttr("function")))
    return complain(
        "the layer's result is the 32-bit sums, so it cannot have an addend, a function or the attribute "
        "'middle'");
  if (addend && quantisedOf(result) && !middle)
    return complain(
        "the layer has an addend and a quantised result, so it needs the attribute 'middle': the type to "
        "which its sums are quantised before the addition");
  return llvm::success();
}

} // namespace tilerig::compiler::layer
