#include "compiler/Export/LayerWriting.h"

#include "compiler/Import/Constants.h"

#include <fmt/core.h>

namespace tilerig {

onnx::NodeProto &LayerWriting::stepNode(llvm::StringRef type, llvm::ArrayRef<std::string> inputs) {
  const std::string name = writer.freshName(fmt::format("{}.{}", base(), type.lower()));
  last = &writer.addNode(type, name, inputs, name);
  return *last;
}

std::string LayerWriting::step(llvm::StringRef type, llvm::ArrayRef<std::string> inputs) {
  return stepNode(type, inputs).output(0);
}

std::string LayerWriting::ints(llvm::ArrayRef<int64_t> values) {
  return writer.addInts(values, base() + ".sizes");
}

std::string LayerWriting::number(double value, mlir::Type element) {
  if (element.isF64())
    return tensor(Tensor::scalar(value));
  return tensor(Tensor::scalar(static_cast<float>(value)));
}

std::string LayerWriting::broadcast(mlir::Value value, llvm::ArrayRef<int64_t> order) {
  const auto shape = graph::shapeOf(value);
  if (shape.size() == order.size())
    return in(value, order);
  const std::string own = plain(value);
  if (isIdentity(order) || graph::tensorType(value).getNumElements() == 1)
    return own;
  // Aligned at its last axis, then moved.
  Order full(order.size() - shape.size(), 1), moved;
  full.append(shape.begin(), shape.end());
  const std::string aligned = step("Reshape", {own, ints(full)});
  onnx::NodeProto &node = stepNode("Transpose", {aligned});
  setAttribute(node, "perm", order);
  return node.output(0);
}

void LayerWriting::give(const std::string &name, llvm::ArrayRef<int64_t> order) {
  const mlir::Value result = operation->getResult(0);
  // A layer that changes nothing is another name for its input; a result of the model wants its own.
  if (!last || last->output(0) != name) {
    names.setHome(result, Order(order));
    last = &writer.addNode("Identity", operation, {name});
    names.define(result, order, last->output(0));
    return;
  }
  last->set_output(0, names.forResult(result, order));
  if (const std::string node = nodeName(operation->getLoc()); !node.empty())
    last->set_name(node);
}

namespace {

struct PlainFunction {
  UnaryFunction kind;
  llvm::StringLiteral type;
  llvm::StringLiteral alpha = "", beta = "";
};

// Functions that are one operator of ONNX, and what it calls their parameters.
constexpr PlainFunction plainFunctions[] = {
    {UnaryFunction::relu, "Relu"},
    {UnaryFunction::leakyRelu, "LeakyRelu", "alpha"},
    {UnaryFunction::thresholdedRelu, "ThresholdedRelu", "alpha"},
    {UnaryFunction::elu, "Elu", "alpha"},
    {UnaryFunction::selu, "Selu", "alpha", "gamma"},
    {UnaryFunction::celu, "Celu", "alpha"},
    {UnaryFunction::sigmoid, "Sigmoid"},
    {UnaryFunction::hardSigmoid, "HardSigmoid", "alpha", "beta"},
    {UnaryFunction::tanh, "Tanh"},
    {UnaryFunction::softplus, "Softplus"},
    {UnaryFunction::softsign, "Softsign"},
    {UnaryFunction::hardSwish, "HardSwish"},
    {UnaryFunction::mish, "Mish"},
    {UnaryFunction::exp, "Exp"},
    {UnaryFunction::log, "Log"},
    {UnaryFunction::sqrt, "Sqrt"},
    {UnaryFunction::reciprocal, "Reciprocal"},
    {UnaryFunction::erf, "Erf"},
    {UnaryFunction::abs, "Abs"},
    {UnaryFunction::neg, "Neg"},
    {UnaryFunction::floor, "Floor"},
    {UnaryFunction::ceil, "Ceil"},
    {UnaryFunction::round, "Round"},
    {UnaryFunction::sign, "Sign"},
    {UnaryFunction::sin, "Sin"},
    {UnaryFunction::cos, "Cos"},
    {UnaryFunction::tan, "Tan"},
    {UnaryFunction::asin, "Asin"},
    {UnaryFunction::acos, "Acos"},
    {UnaryFunction::atan, "Atan"},
    {UnaryFunction::sinh, "Sinh"},
    {UnaryFunction::cosh, "Cosh"},
    {UnaryFunction::asinh, "Asinh"},
    {UnaryFunction::acosh, "Acosh"},
    {UnaryFunction::atanh, "Atanh"},
    {UnaryFunction::logicalNot, "Not"},
    {UnaryFunction::isNan, "IsNaN"},
    {UnaryFunction::isInf, "IsInf"},
};

} // namespace

std::string LayerWriting::apply(layer::FunctionAttr function, std::string input, mlir::Type element) {
  if (!function || function.getKind() == UnaryFunction::identity)
    return input;
  const float alpha = function.getAlpha().convertToFloat(), beta = function.getBeta().convertToFloat();
  switch (function.getKind()) {
  case UnaryFunction::clip:
    return step("Clip", {input, number(alpha, element), number(beta, element)});
  case UnaryFunction::silu:
    return step("Mul", {input, step("Sigmoid", {input})});
  case UnaryFunction::rsqrt:
    return step("Reciprocal", {step("Sqrt", {input})});
  case UnaryFunction::geluErf:
  case UnaryFunction::geluTanh: {
    onnx::NodeProto &node = stepNode("Gelu", {input});
    setAttribute(node, "approximate",
                 llvm::StringRef(function.getKind() == UnaryFunction::geluTanh ? "tanh" : "none"));
    return node.output(0);
  }
  default:
    break;
  }
  const auto *found =
      llvm::find_if(plainFunctions, [&](const auto &it) { return it.kind == function.getKind(); });
  onnx::NodeProto &node = stepNode(found->type, {input});
  if (!found->alpha.empty())
    setAttribute(node, found->alpha.str(), alpha);
  if (!found->beta.empty())
    setAttribute(node, found->beta.str(), beta);
  return node.output(0);
}

} // namespace tilerig
