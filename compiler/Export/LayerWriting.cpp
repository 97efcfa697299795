#include "compiler/Export/LayerWriting.h"

#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Layer/IR/Types.h"

#include <fmt/core.h>

namespace tilerig::compiler {

onnx::NodeProto &LayerWriting::stepNode(llvm::StringRef type, llvm::ArrayRef<std::string> inputs) {
  const std::string name = writer.freshName(fmt::format("{}.{}", base(), type.lower()));
  last = &writer.addNode(type, name, inputs, name);
  return *last;
}

// Position in `order` of the axis along which a quantised type has one scale per index; 0 if the type has a
// single scale.
static int64_t axisOfScales(mlir::Type element, llvm::ArrayRef<int64_t> order) {
  const auto perAxis = llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(element);
  return perAxis ? llvm::find(order, perAxis.getQuantizedDimension()) - order.begin() : 0;
}

WrittenOperand LayerWriting::operand(mlir::Value value, llvm::ArrayRef<int64_t> order) {
  const mlir::Type element = layer::elementOf(value);
  if (isExact() || !layer::quantisedOf(element))
    return {in(value, order), element, axisOfScales(element, order)};
  // Other tools accept nothing between a QuantizeLinear and its DequantizeLinear. So if the stored tensor
  // exists only in another axis order, its dequantised reals are transposed instead.
  const bool isAtHand = names.isAtHand(value, order);
  const auto [stored, from] = isAtHand ? std::pair(in(value, order), Order(order)) : names.anywhere(value);
  std::string reals = real({stored, element, axisOfScales(element, from)});
  if (!isAtHand) {
    onnx::NodeProto &node = stepNode("Transpose", {reals});
    setAttribute(node, "perm", between(from, order));
    reals = node.output(0);
  }
  return {reals, mlir::Float32Type::get(element.getContext())};
}

WrittenOperand LayerWriting::broadcast(mlir::Value value, llvm::ArrayRef<int64_t> order) {
  const auto shape = graph::shapeOf(value);
  if (shape.size() == order.size())
    return operand(value, order);
  const WrittenOperand own = operand(value, identityOrder(shape.size()));
  if (isIdentity(order) || graph::tensorType(value).getNumElements() == 1)
    return own;
  // Pads the shape of the operand with leading ones, then transposes the operand.
  Order full(order.size() - shape.size(), 1), moved;
  full.append(shape.begin(), shape.end());
  const std::string aligned = step("Reshape", {own.name, ints(full)});
  onnx::NodeProto &node = stepNode("Transpose", {aligned});
  setAttribute(node, "perm", order);
  return {node.output(0), own.element};
}

void LayerWriting::give(const std::string &name, llvm::ArrayRef<int64_t> order) {
  const mlir::Value result = operation->getResult(0);
  // A layer that changes nothing has no node that computes its result, but the result needs a name of its
  // own: an Identity node gives it that name.
  if (!last || last->output(0) != name) {
    names.setHome(result, Order(order));
    last = &writer.addNode("Identity", operation, {name});
    names.define(result, order, last->output(0));
    return;
  }
  last->set_output(0, names.forResult(result, order));
  if (const std::string node = graph::nodeName(operation->getLoc()); !node.empty())
    last->set_name(node);
}

namespace {

DType wideOf(mlir::Type element) { return element.isF64() ? DType::f64 : DType::f32; }

DType storageOf(mlir::quant::QuantizedType type) {
  if (type.getStorageTypeIntegralWidth() == 16)
    return DType::i16;
  return type.isSigned() ? DType::i8 : DType::u8;
}

// Scales and zero points of a quantised type: one of each, or one for each channel.
llvm::SmallVector<double> scalesOf(mlir::quant::QuantizedType type) {
  if (const auto uniform = llvm::dyn_cast<mlir::quant::UniformQuantizedType>(type))
    return {uniform.getScale()};
  return llvm::SmallVector<double>(llvm::cast<mlir::quant::UniformQuantizedPerAxisType>(type).getScales());
}
llvm::SmallVector<int64_t> zeroPointsOf(mlir::quant::QuantizedType type) {
  if (const auto uniform = llvm::dyn_cast<mlir::quant::UniformQuantizedType>(type))
    return {uniform.getZeroPoint()};
  return llvm::SmallVector<int64_t>(
      llvm::cast<mlir::quant::UniformQuantizedPerAxisType>(type).getZeroPoints());
}

// Shape of a tensor of `count` scales or zero points; a single one is a scalar.
Shape shapeOfParameters(size_t count) { return count == 1 ? Shape{} : Shape{static_cast<int64_t>(count)}; }

void setInteger(Tensor &to, size_t at, int64_t value) {
  if (to.dtype() == DType::i16)
    to.mutableAs<int16_t>()[at] = static_cast<int16_t>(value);
  else
    to.mutableBytes()[at] = static_cast<std::byte>(value);
}

} // namespace

std::string LayerWriting::cast(std::string input, DType type) {
  onnx::NodeProto &node = stepNode("Cast", {input});
  setAttribute(node, "to", int64_t{onnxNumber(type)});
  return node.output(0);
}

std::string LayerWriting::ints(Sizes values) { return writer.addInts(values, base() + ".sizes"); }

std::string LayerWriting::filled(double value, mlir::Type element, Sizes shape) {
  Tensor all(wideOf(element), Shape(shape.begin(), shape.end()));
  if (all.dtype() == DType::f64)
    std::ranges::fill(all.mutableAs<double>(), value);
  else
    std::ranges::fill(all.mutableAs<float>(), static_cast<float>(value));
  return tensor(all);
}

std::string LayerWriting::number(double value, mlir::Type element) { return filled(value, element, {}); }

std::string LayerWriting::storedInteger(int64_t value, mlir::Type element) {
  Tensor scalar(storageOf(layer::quantisedOf(element)), {});
  setInteger(scalar, 0, value);
  return tensor(scalar);
}

std::string LayerWriting::scales(mlir::Type element) {
  const auto all = scalesOf(layer::quantisedOf(element));
  Tensor values(DType::f32, shapeOfParameters(all.size()));
  std::ranges::transform(all, values.mutableAs<float>().begin(),
                         [](double x) { return static_cast<float>(x); });
  return tensor(values);
}

std::string LayerWriting::zeroPoint(mlir::Type element) {
  const auto type = layer::quantisedOf(element);
  const auto all = zeroPointsOf(type);
  Tensor values(storageOf(type), shapeOfParameters(all.size()));
  for (size_t i = 0; i < all.size(); ++i)
    setInteger(values, i, all[i]);
  return tensor(values);
}

std::string LayerWriting::real(const WrittenOperand &writtenOperand) {
  if (layer::quantisedOf(writtenOperand.element)) {
    onnx::NodeProto &node = stepNode("DequantizeLinear", {writtenOperand.name, scales(writtenOperand.element),
                                                          zeroPoint(writtenOperand.element)});
    if (llvm::isa<mlir::quant::UniformQuantizedPerAxisType>(writtenOperand.element))
      setAttribute(node, "axis", writtenOperand.axis);
    return node.output(0);
  }
  return writtenOperand.element.isF32() || writtenOperand.element.isF64()
             ? writtenOperand.name
             : cast(writtenOperand.name, DType::f32);
}

std::string LayerWriting::truth(const WrittenOperand &writtenOperand) {
  return writtenOperand.element.isInteger(1) ? writtenOperand.name
                                             : cast(writtenOperand.name, DType::boolean);
}

std::string LayerWriting::keep(std::string name, mlir::Type element) {
  return isExact() || !layer::quantisedOf(element) ? name : store(std::move(name), element);
}

// Integers of nine bits are exported in 16 bits, and QuantizeLinear clamps only to the range of 16 bits. So
// the reals are clamped to nine bits before it; the result is the same, because rounding is monotonic.
std::string LayerWriting::clampedToNineBits(std::string reals, double scale, mlir::Type element) {
  const auto type = llvm::dyn_cast<mlir::quant::UniformQuantizedType>(element);
  if (!type || type.getStorageTypeIntegralWidth() == 8)
    return reals;
  const auto bound = [&](int64_t stored) {
    return number(scale * static_cast<double>(stored - type.getZeroPoint()),
                  mlir::Float32Type::get(element.getContext()));
  };
  return step("Clip", {reals, bound(type.getStorageTypeMin()), bound(type.getStorageTypeMax())});
}

std::string LayerWriting::store(std::string reals, mlir::Type element) {
  if (const auto quantised = layer::quantisedOf(element)) {
    const std::string clamped = clampedToNineBits(std::move(reals), scalesOf(quantised)[0], element);
    return step("QuantizeLinear", {clamped, scales(element), zeroPoint(element)});
  }
  return element.isF32() || element.isF64() ? reals : cast(reals, *dtypeOfElement(element));
}

std::string LayerWriting::land(std::string scaled, mlir::Type element) {
  const std::string clamped = clampedToNineBits(std::move(scaled), 1, element);
  return step("QuantizeLinear", {clamped, tensor(Tensor::scalar(1.0F)), zeroPoint(element)});
}

std::string LayerWriting::difference(std::string stored, mlir::Type element) {
  return step("DequantizeLinear", {std::move(stored), tensor(Tensor::scalar(1.0F)), zeroPoint(element)});
}

} // namespace tilerig::compiler
