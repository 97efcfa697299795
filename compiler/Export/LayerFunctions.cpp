// Exports the functions of layers as ONNX operators or lookup tables.
#include "compiler/Export/LayerWriting.h"
#include "compiler/Layer/IR/Quantised.h"

#include <cmath>

namespace tilerig::compiler {

namespace {

struct PlainFunction {
  UnaryFunction kind;
  llvm::StringLiteral type;
  llvm::StringLiteral alpha = "", beta = "";
};

// Functions that are a single ONNX operator, and the names of their attributes.
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
    {UnaryFunction::isNan, "IsNaN"},
    {UnaryFunction::isInf, "IsInf"},
};

} // namespace

// x * 0.5 * (erf(x / sqrt(2)) + 1): Gelu in the form that exporters write, as the operator exists only since
// operator set 20.
static std::string writtenOutGelu(const std::string &x, mlir::Type element, LayerWriting &to) {
  const std::string erf = to.step("Erf", {to.step("Mul", {x, to.number(std::sqrt(0.5), element)})});
  const std::string gate = to.step("Add", {erf, to.number(1, element)});
  return to.step("Mul", {to.step("Mul", {x, gate}), to.number(0.5, element)});
}

std::string LayerWriting::apply(layer::FunctionAttr function, std::string input, mlir::Type element) {
  if (!function || function.getKind() == UnaryFunction::identity)
    return input;
  const float alpha = function.getAlpha().convertToFloat(), beta = function.getBeta().convertToFloat();
  switch (function.getKind()) {
  case UnaryFunction::clip:
    return step("Clip", {input, number(alpha, element), number(beta, element)});
  case UnaryFunction::logicalNot:
    return step("Not", {input});
  case UnaryFunction::silu:
    // The device rounds a Swish once, as ONNX's operator Swish does; a Sigmoid and a Mul would round twice.
    if (isExact())
      return step("Swish", {input});
    return step("Mul", {input, step("Sigmoid", {input})});
  case UnaryFunction::rsqrt:
    return step("Reciprocal", {step("Sqrt", {input})});
  case UnaryFunction::geluErf:
    if (!isExact())
      return writtenOutGelu(input, element, *this);
    [[fallthrough]];
  case UnaryFunction::geluTanh: {
    onnx::NodeProto &node = stepNode("Gelu", {input});
    setAttribute(node, "approximate",
                 llvm::StringRef(function.getKind() == UnaryFunction::geluTanh ? "tanh" : "none"));
    return node.output(0);
  }
  default:
    break;
  }
  const auto *plainFunction = llvm::find_if(
      plainFunctions, [&](const auto &candidate) { return candidate.kind == function.getKind(); });
  onnx::NodeProto &node = stepNode(plainFunction->type, {input});
  if (!plainFunction->alpha.empty())
    setAttribute(node, plainFunction->alpha.str(), alpha);
  if (!plainFunction->beta.empty())
    setAttribute(node, plainFunction->beta.str(), beta);
  return node.output(0);
}

std::string LayerWriting::lookUp(layer::FunctionAttr function, std::string input, mlir::Type from,
                                 mlir::Type to) {
  const std::vector<int32_t> table = layer::tableOf(function, from, to);
  const auto quantised = layer::quantisedOf(to);
  const int64_t lowest = quantised.getStorageTypeMin();
  // A lookup table that only clamps its index is written as a Clip, which is smaller.
  int64_t low = 0, high = static_cast<int64_t>(table.size()) - 1;
  while (low < high && table[low + 1] == table[0])
    ++low;
  while (high > low && table[high - 1] == table.back())
    --high;
  const auto isIdentity = [&](int64_t i) { return table[i] == lowest + i; };
  bool isBound = from == to;
  for (int64_t i = low; isBound && i <= high; ++i)
    isBound = isIdentity(i);
  if (isBound && low == 0 && high + 1 == static_cast<int64_t>(table.size()))
    return input;
  if (isBound)
    return step("Clip", {input, storedInteger(lowest + low, to), storedInteger(lowest + high, to)});
  // The lookup table is rotated so that the entry for input 0 comes first, since negative indices of Gather
  // count from the end.
  Tensor entries(quantised.isSigned() ? DType::i8 : DType::u8, {static_cast<int64_t>(table.size())});
  for (size_t i = 0; i < table.size(); ++i) {
    const int64_t at = static_cast<int64_t>(i) + layer::quantisedOf(from).getStorageTypeMin();
    entries.mutableBytes()[at < 0 ? at + table.size() : at] = static_cast<std::byte>(table[i]);
  }
  return step("Gather", {tensor(entries), cast(input, DType::i32)});
}

} // namespace tilerig::compiler
