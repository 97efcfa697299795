// Exports convolutions and matrix products with their epilogues (addend, function, rounding).
#include "compiler/Export/LayerFamilies.h"
#include "compiler/Layer/IR/Quantised.h"
#include "compiler/Layer/IR/Scales.h"

#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

namespace {

using namespace layer;
using graph::shapeOf;
using Sizes = llvm::ArrayRef<int64_t>;

// --- Floats ---

// Epilogue of a sum of reals: the addend and the function are computed in float, then the result is rounded
// once to its type.
template <class Product>
std::string floatEpilogue(Product op, std::string sum, Sizes order, LayerWriting &to) {
  const mlir::Type element = resultElement(op);
  if (op.getAddend() || !isBound(op.getFunctionAttr()))
    to.markSum(sum);
  const auto addend = [&] {
    return op.getAddend() ? to.step("Add", {sum, to.real(op.getAddend(), order)}) : sum;
  };
  if (op.getFunctionFirst()) {
    sum = to.apply(op.getFunctionAttr(), sum, element);
    return to.store(addend(), element);
  }
  sum = addend();
  return to.store(to.apply(op.getFunctionAttr(), sum, element), element);
}

// The type to which an integer sum is requantised before the addend is added and the function applied.
template <class Product>
mlir::Type middleOf(Product op) {
  return op.getMiddle().value_or(resultElement(op));
}

// Epilogue of an integer layer in form `qdq`: each rounding is a QuantizeLinear/DequantizeLinear pair. A
// function that only clamps is written in front of the rounding; since rounding is monotonic, the result is
// the same as if the function followed the rounding.
template <class Product>
std::string roundedEpilogue(Product op, std::string sum, Sizes order, LayerWriting &to) {
  const mlir::Type element = resultElement(op), middle = middleOf(op);
  const FunctionAttr function = op.getFunctionAttr();
  const bool bounds = isBound(function);
  const auto rounded = [&](std::string reals, mlir::Type type) {
    return to.real({to.store(std::move(reals), type), type});
  };
  const auto added = [&](std::string reals) {
    return to.step("Add", {std::move(reals), to.real(op.getAddend(), order)});
  };
  const auto applied = [&](std::string reals) { return to.apply(function, std::move(reals), element); };
  if (!op.getAddend())
    return to.store(applied(bounds && middle == element ? sum : rounded(sum, middle)), element);
  if (op.getFunctionFirst())
    return to.store(added(rounded(applied(bounds ? sum : rounded(sum, middle)), middle)), element);
  sum = added(rounded(sum, middle));
  return to.store(applied(bounds ? sum : rounded(sum, element)), element);
}

// The bias of a product that is computed in real numbers; an int32 bias is dequantised with the product of
// the operands' scales.
std::string realBias(mlir::Value a, mlir::Value b, mlir::Value bias, LayerWriting &to) {
  if (!bias || !elementOf(bias).isInteger(32))
    return bias ? to.plainReal(bias) : "";
  const std::vector<float> values = productScales(elementOf(a), elementOf(b), mlir::Type());
  Tensor scales(DType::f32, values.size() == 1 ? Shape{} : Shape{static_cast<int64_t>(values.size())});
  std::ranges::copy(values, scales.mutableAs<float>().begin());
  onnx::NodeProto &node = to.stepNode("DequantizeLinear", {to.plain(bias), to.tensor(scales)});
  setAttribute(node, "axis", int64_t{0});
  return node.output(0);
}

// Whether the product of quantised operands is exported with integer operators: always in form `exact`, in
// form `qdq` only if its result is the 32-bit sum itself.
bool statesIntegers(mlir::Operation *product, LayerWriting &to) {
  return quantisedOf(elementOf(product->getOperand(0))) &&
         (to.isExact() || resultElement(product).isInteger(32));
}

template <class Product>
std::string epilogue(Product op, std::string sum, Sizes order, LayerWriting &to) {
  const bool isRounded = quantisedOf(elementOf(op->getOperand(0))) && quantisedOf(resultElement(op));
  return isRounded ? roundedEpilogue(op, sum, order, to) : floatEpilogue(op, sum, order, to);
}

// --- Quantised ---

// Writes the epilogue (addend and function) of an integer sum of products that has already been requantised
// to the layer's intermediate type.
template <class Product>
std::string quantisedEpilogue(Product op, std::string sum, Sizes order, LayerWriting &to) {
  const mlir::Type element = resultElement(op), middle = middleOf(op);
  if (!op.getAddend())
    return to.lookUp(op.getFunctionAttr(), sum, middle, element);
  if (op.getFunctionFirst())
    sum = to.lookUp(op.getFunctionAttr(), sum, middle, middle);
  const std::string reals = to.step("Add", {to.real({sum, middle}), to.real(op.getAddend(), order)});
  const std::string stored = to.store(reals, element);
  return op.getFunctionFirst() ? stored : to.lookUp(op.getFunctionAttr(), stored, element, element);
}

// The multipliers of a sum of products, one for each output, shaped to broadcast to the sum's tensor.
std::string factors(mlir::Value a, mlir::Value b, mlir::Type result, size_t axesBehind, LayerWriting &to) {
  const std::vector<float> values = productScales(elementOf(a), elementOf(b), result);
  Shape shape(values.size() == 1 ? 0 : 1 + axesBehind, 1);
  if (!shape.empty())
    shape[0] = static_cast<int64_t>(values.size());
  Tensor all(DType::f32, shape);
  std::ranges::copy(values, all.mutableAs<float>().begin());
  return to.tensor(all);
}

std::string requantised(std::string sum, mlir::Value a, mlir::Value b, mlir::Type middle, size_t axesBehind,
                        LayerWriting &to) {
  const std::string reals = to.cast(sum, DType::f32);
  return to.land(to.step("Mul", {reals, factors(a, b, middle, axesBehind, to)}), middle);
}

// Epilogue (addend and function) of an integer sum whose result is stored as a float: the sum is scaled to
// reals first.
template <class Product>
std::string scaledEpilogue(Product op, std::string sum, mlir::Value a, mlir::Value b, Sizes order,
                           size_t axesBehind, LayerWriting &to) {
  const std::string reals =
      to.step("Mul", {to.cast(sum, DType::f32), factors(a, b, mlir::Type(), axesBehind, to)});
  return floatEpilogue(op, reals, order, to);
}

std::string integerSum(std::string sum, mlir::Value bias, size_t axesBehind, LayerWriting &to) {
  if (!bias)
    return sum;
  std::string added = to.plain(bias);
  if (axesBehind > 0) {
    Order shape(1 + axesBehind, 1);
    shape[0] = shapeOf(bias)[0];
    added = to.step("Reshape", {added, to.ints(shape)});
  }
  return to.step("Add", {sum, added});
}

// --- Convolutions ---

void finishConv(ConvOp op, onnx::NodeProto &node) {
  setWindow(node, {shapeOf(op.getWeights()).slice(1, 2), op.getStrides(), op.getDilations(), op.getPads()});
  setAttribute(node, "group", static_cast<int64_t>(op.getGroups()));
}

// QLinearConv cannot produce integers of nine bits. For such results, separate nodes scale and round the
// 32-bit sum.
bool isQLinear(ConvOp op) {
  return quantisedOf(resultElement(op)) && quantisedOf(middleOf(op)).getStorageTypeIntegralWidth() == 8;
}

std::string quantisedConv(ConvOp op, LayerWriting &to) {
  const mlir::Type input = elementOf(op.getInput()), weights = elementOf(op.getWeights()),
                   middle = middleOf(op);
  const std::string x = to.in(op.getInput(), imageOrder), w = to.in(op.getWeights(), imageOrder);
  if (isQLinear(op)) {
    onnx::NodeProto &node =
        to.stepNode("QLinearConv",
                    {x, to.scales(input), to.zeroPoint(input), w, to.scales(weights), to.zeroPoint(weights),
                     to.scales(middle), to.zeroPoint(middle), to.plain(op.getBias())});
    finishConv(op, node);
    return quantisedEpilogue(op, node.output(0), imageOrder, to);
  }
  onnx::NodeProto &node = to.stepNode("ConvInteger", {x, w, to.zeroPoint(input), to.zeroPoint(weights)});
  finishConv(op, node);
  const size_t spatialAxes = 2;
  const std::string sum = integerSum(node.output(0), op.getBias(), spatialAxes, to);
  if (resultElement(op).isInteger(32))
    return sum;
  if (!quantisedOf(resultElement(op)))
    return scaledEpilogue(op, sum, op.getInput(), op.getWeights(), imageOrder, spatialAxes, to);
  return quantisedEpilogue(op, requantised(sum, op.getInput(), op.getWeights(), middle, spatialAxes, to),
                           imageOrder, to);
}

void conv(ConvOp op, LayerWriting &to) {
  if (statesIntegers(op, to))
    return to.give(quantisedConv(op, to), imageOrder);
  onnx::NodeProto &node =
      to.stepNode("Conv", {to.real(op.getInput(), imageOrder), to.real(op.getWeights(), imageOrder),
                           realBias(op.getInput(), op.getWeights(), op.getBias(), to)});
  finishConv(op, node);
  to.give(epilogue(op, node.output(0), imageOrder, to), imageOrder);
}

// Axis order in which the last two axes of a matrix product's right operand b are depth (the summed axis, K)
// and outputs.
Order rightSide(MatMulOp op) {
  Order perm = identityOrder(shapeOf(op.getB()).size());
  if (!op.getTransposedB())
    std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return perm;
}

// A float product with bias is a Gemm; its accumulation starts from the bias. Gemm takes matrices of rank 2.
std::string sumFromBias(MatMulOp op, std::string a, LayerWriting &to) {
  const Sizes shape = shapeOf(op.getA()), result = shapeOf(op.getOutput());
  if (shape.size() > 2)
    a = to.step("Reshape", {a, to.ints({-1, shape.back()})});
  onnx::NodeProto &node =
      to.stepNode("Gemm", {a, to.plainReal(op.getB()), realBias(op.getA(), op.getB(), op.getBias(), to)});
  setAttribute(node, "transB", int64_t{!op.getTransposedB()});
  return shape.size() > 2 ? to.step("Reshape", {node.output(0), to.ints(result)}) : node.output(0);
}

// Writes the sum of a product in reals. Quantised products of rank above 2 are a MatMul followed by an Add of
// the bias: adding the bias last changes no bit of an integer sum, and other tools recognise a MatMul more
// easily than a Gemm between two Reshapes.
std::string realSum(MatMulOp op, LayerWriting &to) {
  const std::string a = to.plainReal(op.getA());
  const bool isWide = quantisedOf(elementOf(op.getA())) && shapeOf(op.getA()).size() > 2;
  if (op.getBias() && !isWide)
    return sumFromBias(op, a, to);
  const std::string sum = to.step("MatMul", {a, to.real(op.getB(), rightSide(op))});
  return op.getBias() ? to.step("Add", {sum, realBias(op.getA(), op.getB(), op.getBias(), to)}) : sum;
}

std::string quantisedMatMul(MatMulOp op, Sizes order, LayerWriting &to) {
  const mlir::Type a = elementOf(op.getA()), b = elementOf(op.getB()), middle = middleOf(op);
  std::string sum = to.step("MatMulInteger", {to.plain(op.getA()), to.in(op.getB(), rightSide(op)),
                                              to.zeroPoint(a), to.zeroPoint(b)});
  sum = integerSum(sum, op.getBias(), 0, to);
  if (resultElement(op).isInteger(32))
    return sum;
  if (!quantisedOf(resultElement(op)))
    return scaledEpilogue(op, sum, op.getA(), op.getB(), order, 0, to);
  return quantisedEpilogue(op, requantised(sum, op.getA(), op.getB(), middle, 0, to), order, to);
}

void matmul(MatMulOp op, LayerWriting &to) {
  const Order order = identityOrder(shapeOf(op.getOutput()).size());
  if (statesIntegers(op, to))
    return to.give(quantisedMatMul(op, order, to), order);
  to.give(epilogue(op, realSum(op, to), order, to), order);
}

} // namespace

bool writeProducts(mlir::Operation *operation, LayerWriting &to) {
  return llvm::TypeSwitch<mlir::Operation *, bool>(operation)
      .Case([&](ConvOp op) { return conv(op, to), true; })
      .Case([&](MatMulOp op) { return matmul(op, to), true; })
      .Default([](mlir::Operation *) { return false; });
}

} // namespace tilerig::compiler
