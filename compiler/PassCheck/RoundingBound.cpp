#include "compiler/PassCheck/RoundingBound.h"

#include "compiler/Graph/IR/TensorAttributes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

namespace tilerig::compiler {

namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();
// Error of an elementary function such as exp or erf, in multiples of u; those of our interpreter and of
// libm are below 4.
constexpr double ofFunction = 8;

struct Operand {
  Magnitude magnitude;
  double error = 0;
};

// One node, with what its operands and its first result are known to be.
struct Node {
  const onnx::NodeProto &proto;
  std::vector<Operand> operands; // an absent operand has the type i64 and the magnitude 0
  Magnitude result;
  double u; // unit roundoff of the result

  size_t count() const { return operands.size(); }
  double error(size_t i) const { return i < count() ? operands[i].error : 0; }
  double most(size_t i) const { return i < count() ? operands[i].magnitude.most : 0; }
  double least(size_t i) const { return i < count() ? operands[i].magnitude.least : 0; }
  const Shape &shape(size_t i) const { return operands[i].magnitude.shape; }
  double largestError() const {
    double largest = 0;
    for (const Operand &operand : operands)
      largest = std::max(largest, operand.error);
    return largest;
  }
  double real(std::string_view name, double otherwise) const {
    for (const onnx::AttributeProto &attribute : proto.attribute())
      if (attribute.name() == name)
        return static_cast<double>(attribute.f());
    return otherwise;
  }
  bool isTrue(std::string_view name) const {
    for (const onnx::AttributeProto &attribute : proto.attribute())
      if (attribute.name() == name)
        return attribute.i() != 0;
    return false;
  }
  // The error of rounding the result.
  double rounding(double times = 1) const { return times * u * result.most; }
};

double elementsOf(const Shape &shape) {
  double count = 1;
  for (const int64_t size : shape)
    count *= static_cast<double>(size);
  return count;
}

// --- Rules, one for each kind of operator ---

// Elements are moved or selected.
double moved(const Node &node) { return node.largestError(); }
// Numbers that are nearly equal are rounded to the same integer or to two that differ by one.
double rounded(const Node &node) { return node.error(0) > 0 ? node.error(0) + 1 : 0; }
double quantised(const Node &node) {
  return node.error(0) > 0 || node.error(1) > 0
             ? (node.error(0) + node.most(0) * node.error(1) / node.least(1)) / node.least(1) + 1
             : 0;
}
// Elements are moved or selected by conditions or indices that must be exact.
double exactOrUnknown(const Node &node) { return node.largestError() > 0 ? unknown : 0; }

double added(const Node &node) {
  double sum = 0;
  for (const Operand &operand : node.operands)
    sum += operand.error;
  return sum + node.rounding(static_cast<double>(node.count()));
}

double multiplied(const Node &node) {
  return node.most(0) * node.error(1) + node.most(1) * node.error(0) + node.error(0) * node.error(1) +
         node.rounding();
}

double divided(const Node &node) {
  const double least = node.least(1) - node.error(1);
  if (node.error(1) == 0)
    return (node.error(0) > 0 ? node.error(0) / node.least(1) : 0) + node.rounding();
  return least > 0 ? (node.error(0) + node.result.most * node.error(1)) / least + node.rounding() : unknown;
}

// A function whose derivative is at most `slope`.
std::function<double(const Node &)> function(double slope) {
  return [slope](const Node &node) {
    return slope * node.error(0) + ofFunction * node.u * std::max(node.result.most, 1.0);
  };
}

double leaky(const Node &node) {
  return std::max(1.0, std::abs(node.real("alpha", 0.01))) * node.error(0) + node.rounding();
}
double exponentialUnit(const Node &node) {
  const double alpha = std::abs(node.real("alpha", 1)), gamma = std::abs(node.real("gamma", 1));
  return std::max(1.0, 2 * alpha) * std::max(1.0, gamma) * node.error(0) +
         ofFunction * node.u * std::max(node.result.most, 1.0);
}
double parametric(const Node &node) {
  return std::max(1.0, node.most(1)) * node.error(0) + node.most(0) * node.error(1) + node.rounding();
}
double exponential(const Node &node) {
  return node.result.most * std::expm1(node.error(0)) + node.rounding(ofFunction);
}
double logarithm(const Node &node) {
  const double least = node.least(0) - node.error(0);
  return (node.error(0) == 0 ? 0
          : least > 0        ? node.error(0) / least
                             : unknown) +
         ofFunction * node.u * std::max(node.result.most, 1.0);
}
double squareRoot(const Node &node) {
  const double error = node.error(0), least = node.least(0) - error;
  const double byLeast = least > 0 ? error / (2 * std::sqrt(least)) : unknown;
  return (error == 0 ? 0 : std::min(byLeast, std::sqrt(error))) + node.rounding();
}
double reciprocal(const Node &node) {
  const double least = node.least(0) - node.error(0);
  return (node.error(0) == 0 ? 0
          : least > 0        ? node.result.most * node.error(0) / least
                             : unknown) +
         node.rounding();
}
// The derivative of a power is largest for the largest base if the exponent is at least 1, else for the
// smallest.
double power(const Node &node) {
  const double exponent = node.most(1);
  if (node.error(1) > 0 || elementsOf(node.shape(1)) != 1)
    return unknown;
  const double from = exponent >= 1 ? node.most(0) + node.error(0) : node.least(0) - node.error(0);
  const double slope = from > 0 ? exponent * std::pow(from, exponent - 1) : unknown;
  return (node.error(0) == 0 ? 0 : slope * node.error(0)) + node.rounding(ofFunction);
}

// x / (bias + alpha / size * sum of x^2 over the channels beside)^beta, for a bias of at least 1: then no
// derivative of the quotient is larger than that of x times the sum's.
double localResponse(const Node &node) {
  const double alpha = node.real("alpha", 1e-4), beta = node.real("beta", 0.75), most = node.most(0);
  if (node.real("bias", 1) < 1)
    return unknown;
  return node.error(0) * (1 + 2 * alpha * beta * most * most) +
         (elementsOf(node.shape(0)) / static_cast<double>(node.shape(0)[0]) + ofFunction) * node.u *
             node.result.most;
}

// A sum of `terms` products.
double products(const Node &node, double terms) {
  const double sum =
      terms * (node.most(0) * node.error(1) + node.most(1) * node.error(0) + node.error(0) * node.error(1));
  return sum + terms * node.u * terms * node.most(0) * node.most(1);
}
double matrixProduct(const Node &node) {
  return products(node, node.shape(0).empty() ? 1 : static_cast<double>(node.shape(0).back()));
}
double generalProduct(const Node &node) {
  const double terms = static_cast<double>(node.shape(0)[node.isTrue("transA") ? 0 : 1]);
  return std::abs(node.real("alpha", 1)) * products(node, terms) +
         std::abs(node.real("beta", 1)) * (node.error(2) + node.u * node.most(2)) + node.rounding(2);
}
double convolution(const Node &node) {
  const double terms = elementsOf(node.shape(1)) / static_cast<double>(node.shape(1)[0]);
  return products(node, terms) + node.error(2) + node.rounding();
}
double transposedConvolution(const Node &node) {
  const double terms = elementsOf(node.shape(1)) / static_cast<double>(node.shape(1)[1]);
  return products(node, terms) + node.error(2) + node.rounding();
}
// The sum over any of the axes; at most all elements of an operand are added.
double anySumOfProducts(const Node &node) {
  return node.count() == 2 ? products(node, elementsOf(node.shape(0))) : unknown;
}

double terms(const Node &node) {
  return elementsOf(node.shape(0)) / std::max(1.0, elementsOf(node.result.shape));
}
double sum(const Node &node) { return terms(node) * (node.error(0) + node.u * terms(node) * node.most(0)); }
double mean(const Node &node) { return node.error(0) + (terms(node) + 1) * node.u * node.most(0); }
// A window of the average is at most the whole tensor.
double averagePool(const Node &node) {
  return node.error(0) + (elementsOf(node.shape(0)) + 1) * node.u * node.most(0);
}
double sumOfSquares(const Node &node) {
  const double error = 2 * node.most(0) * node.error(0) + node.error(0) * node.error(0);
  return terms(node) * (error + node.u * (terms(node) + 1) * node.most(0) * node.most(0));
}
double euclideanNorm(const Node &node) {
  return std::sqrt(terms(node)) * node.error(0) + node.rounding(terms(node) + 2);
}
double logarithmOfSum(const Node &node) {
  return node.error(0) + (terms(node) + ofFunction) * node.u * std::max(node.result.most, 1.0);
}
double cumulativeSum(const Node &node) {
  const double most = elementsOf(node.shape(0));
  return most * (node.error(0) + node.u * most * node.most(0));
}
double softmax(const Node &node) {
  const double most = elementsOf(node.shape(0));
  return std::min(1.0, std::expm1(2 * node.error(0))) + (most + ofFunction) * node.u;
}
double logSoftmax(const Node &node) {
  const double most = elementsOf(node.shape(0));
  return 2 * node.error(0) + (most + ofFunction) * node.u * std::max(node.result.most, 1.0);
}

double batchNormalisation(const Node &node) {
  const double deviation = std::sqrt(node.least(4) + node.real("epsilon", 1e-5));
  for (size_t parameter = 1; parameter < node.count(); ++parameter)
    if (node.error(parameter) > node.u * node.most(parameter) * ofFunction)
      return unknown;
  const double factor = node.most(1) / deviation;
  return factor * node.error(0) +
         ofFunction * node.u * (factor * (node.most(0) + node.most(3)) + node.most(2)) + node.rounding(2);
}
// (x - mean) / sqrt(variance + epsilon) of at most all elements. The derivative by an element is at most
// 2 / sqrt(epsilon), and all elements of a row may be wrong.
double normalisation(const Node &node) {
  const double epsilon = node.real("epsilon", 1e-5), most = elementsOf(node.shape(0));
  if (epsilon <= 0)
    return unknown;
  const double inside = node.error(0) + (most + 2) * node.u * node.most(0);
  const double factor = node.count() > 1 ? node.most(1) : 1;
  return factor * 4 * std::sqrt(most) * inside / std::sqrt(epsilon) + std::sqrt(most) * node.error(1) +
         node.error(2) + node.rounding(ofFunction);
}

double dequantised(const Node &node) {
  return node.error(0) * node.most(1) + node.most(0) * node.error(1) + node.rounding(2);
}
double converted(const Node &node) {
  return unitRoundoff(node.result.type) > 0 ? node.error(0) + node.rounding() : rounded(node);
}
// Linear interpolation is a convex combination; a cubic one has weights of at most 2 in sum of magnitudes.
double resized(const Node &node) { return 2 * node.error(0) + 64 * node.u * node.most(0); }

using Rule = std::function<double(const Node &)>;

const std::map<std::string_view, Rule> &rules() {
  static const std::map<std::string_view, Rule> table = [] {
    std::map<std::string_view, Rule> entries;
    const auto add = [&](const Rule &rule, std::initializer_list<std::string_view> operators) {
      for (const std::string_view name : operators)
        entries[name] = rule;
    };
    add(moved, {"Identity",
                "Reshape",
                "Transpose",
                "Slice",
                "Concat",
                "Pad",
                "Gather",
                "Expand",
                "Squeeze",
                "Unsqueeze",
                "Flatten",
                "Split",
                "Tile",
                "MaxPool",
                "ReduceMax",
                "ReduceMin",
                "Max",
                "Min",
                "Relu",
                "Abs",
                "Neg",
                "Where",
                "Clip",
                "DepthToSpace",
                "SpaceToDepth",
                "GatherND",
                "Dropout",
                "Constant",
                "GatherElements",
                "GlobalMaxPool",
                "ConstantOfShape",
                "Shape",
                "Trilu",
                "ReverseSequence",
                "ScatterND",
                "ScatterElements",
                "Range"});
    add(added, {"Add", "Sub", "Sum", "Mean"});
    add(multiplied, {"Mul"});
    add(divided, {"Div"});
    add(function(1.2), {"Sigmoid", "Tanh", "Erf", "Gelu", "Swish", "Softplus", "Softsign", "Sin", "Cos",
                        "Atan", "Mish", "Celu"});
    add(function(1.6), {"HardSwish"});
    add(function(1), {"HardSigmoid"});
    add(leaky, {"LeakyRelu"});
    add(exponentialUnit, {"Elu", "Selu"});
    add(parametric, {"PRelu"});
    add(exponential, {"Exp"});
    add(logarithm, {"Log"});
    add(squareRoot, {"Sqrt"});
    add(reciprocal, {"Reciprocal"});
    add(localResponse, {"LRN"});
    add(power, {"Pow"});
    add(matrixProduct, {"MatMul"});
    add(generalProduct, {"Gemm"});
    add(convolution, {"Conv"});
    add(transposedConvolution, {"ConvTranspose"});
    add(anySumOfProducts, {"Einsum"});
    add(sum, {"ReduceSum", "ReduceL1"});
    add(mean, {"ReduceMean", "GlobalAveragePool"});
    add(averagePool, {"AveragePool"});
    add(sumOfSquares, {"ReduceSumSquare"});
    add(euclideanNorm, {"ReduceL2"});
    add(logarithmOfSum, {"ReduceLogSumExp"});
    add(cumulativeSum, {"CumSum"});
    add(softmax, {"Softmax"});
    add(logSoftmax, {"LogSoftmax"});
    add(batchNormalisation, {"BatchNormalization"});
    add(normalisation,
        {"LayerNormalization", "InstanceNormalization", "GroupNormalization", "RMSNormalization"});
    add(dequantised, {"DequantizeLinear"});
    add(converted, {"Cast", "CastLike"});
    add(rounded, {"Floor", "Ceil", "Round"});
    add(quantised, {"QuantizeLinear"});
    add(resized, {"Resize", "Upsample", "GridSample"});
    add(exactOrUnknown, {"DynamicQuantizeLinear",
                         "ArgMax",
                         "ArgMin",
                         "TopK",
                         "NonZero",
                         "Greater",
                         "GreaterOrEqual",
                         "Less",
                         "LessOrEqual",
                         "Equal",
                         "Not",
                         "And",
                         "Or",
                         "Xor",
                         "Sign",
                         "IsNaN",
                         "IsInf",
                         "MatMulInteger",
                         "ConvInteger",
                         "QLinearConv",
                         "QLinearMatMul",
                         "OneHot",
                         "BitShift",
                         "BitwiseAnd",
                         "BitwiseOr",
                         "BitwiseXor",
                         "BitwiseNot",
                         "NonMaxSuppression",
                         "Unique",
                         "Mod"});
    return entries;
  }();
  return table;
}

double boundOf(const Node &node) {
  const auto rule = rules().find(node.proto.op_type());
  if (!node.proto.domain().empty() || rule == rules().end())
    return unknown;
  const double bound = rule->second(node);
  return std::isnan(bound) ? unknown : bound;
}

} // namespace

double unitRoundoff(DType type) {
  switch (type) {
  case DType::f64:
    return 0x1p-53;
  case DType::f32:
    return 0x1p-24;
  case DType::f16:
    return 0x1p-11;
  case DType::bf16:
    return 0x1p-8;
  default:
    return 0;
  }
}

namespace {

template <class T>
void note(std::span<const T> elements, Magnitude &magnitude) {
  for (const T element : elements)
    if (const double value = std::abs(static_cast<double>(element)); std::isfinite(value)) {
      magnitude.most = std::max(magnitude.most, value);
      magnitude.least = std::min(magnitude.least, value);
    }
}

} // namespace

Magnitude Magnitude::of(const Tensor &tensor) {
  Magnitude magnitude{tensor.dtype(), tensor.shape()};
  if (tensor.dtype() == DType::f64)
    note(tensor.as<double>(), magnitude);
  else if (tensor.dtype() == DType::f32)
    note(tensor.as<float>(), magnitude);
  else if (const auto values = doublesIn(tensor))
    note(std::span<const double>(*values), magnitude);
  return magnitude;
}

ErrorBounds boundErrors(const onnx::GraphProto &graph, const Magnitudes &magnitudes, ErrorBounds errors) {
  const auto magnitudeOf = [&](const std::string &name) {
    const auto entry = magnitudes.find(name);
    return entry == magnitudes.end() ? Magnitude{DType::i64, {}} : entry->second;
  };
  for (const onnx::NodeProto &proto : graph.node()) {
    Node node{proto, {}, {}, 0};
    for (const std::string &operand : proto.input()) {
      const auto error = errors.find(operand);
      node.operands.push_back({magnitudeOf(operand), error == errors.end() ? 0 : error->second});
    }
    for (const std::string &result : proto.output()) {
      node.result = magnitudeOf(result);
      node.u = unitRoundoff(node.result.type);
      errors[result] = boundOf(node);
    }
  }
  return errors;
}

} // namespace tilerig::compiler
