// Bounds of the rounding errors of elementwise operators.
#include "compiler/PassCheck/BoundedNode.h"

#include <cmath>

namespace tilerig::compiler {

namespace {

using Node = BoundedNode;

// --- Arithmetic ---

// Error bound of a sum of operands. With more than two operands, each partial sum is rounded, and may be
// larger than the result.
double added(const Node &node) {
  double errors = 0, magnitudes = 0;
  for (size_t i = 0; i < node.count(); ++i) {
    errors += node.error(i);
    magnitudes += node.most(i);
  }
  const double additions = static_cast<double>(node.count());
  return errors + (node.count() > 2 ? additions * node.u * (magnitudes + errors) : 0) + node.rounding(2);
}

double multiplied(const Node &node) {
  return node.most(0) * node.error(1) + node.most(1) * node.error(0) + node.error(0) * node.error(1) +
         node.rounding();
}

double divided(const Node &node) {
  const double least = node.least(1) - node.error(1);
  if (node.error(1) == 0)
    return (node.error(0) > 0 ? node.error(0) / node.least(1) : 0) + node.rounding();
  return least > 0 ? (node.error(0) + node.result.most * node.error(1)) / least + node.rounding()
                   : unknownBound;
}

double reciprocal(const Node &node) {
  const double least = node.least(0) - node.error(0);
  return (node.error(0) == 0 ? 0
          : least > 0        ? node.result.most * node.error(0) / least
                             : unknownBound) +
         node.rounding();
}

// The power |x|^e has the derivative e |x|^(e-1), which for e >= 1 is largest at the largest base, and else
// at the smallest base. For 0 < e < 1, the powers of two bases also differ by at most |their distance|^e.
double power(const Node &node) {
  const double error = node.error(0);
  if (error == 0 && node.error(1) == 0)
    return node.rounding(errorOfFunction);
  const double lowest = node.operands[1].magnitude.lowest, highest = node.operands[1].magnitude.highest;
  if ((node.error(1) > 0 && lowest <= node.error(1)) || (lowest < 1 && lowest != highest))
    return unknownBound;
  // The derivative of |x|^e by the exponent e is |x|^e log |x|, at most 1 / (e exp(1)) in size for |x| < 1.
  const double ofExponent =
      node.error(1) > 0 ? node.error(1) * std::max(node.result.most * std::log(std::max(1.0, node.most(0))),
                                                   1 / (lowest - node.error(1)))
                        : 0;
  if (error == 0)
    return ofExponent + node.rounding(errorOfFunction);
  if (lowest >= 1)
    return ofExponent + highest * std::pow(std::max(1.0, node.most(0) + error), highest - 1) * error +
           node.rounding(errorOfFunction);
  const double least = node.least(0) - error;
  const double bySlope = least > 0 ? std::abs(highest) * std::pow(least, highest - 1) * error : unknownBound;
  const double byRoot = highest > 0 ? std::pow(error, highest) : unknownBound;
  return ofExponent + std::min(bySlope, byRoot) + node.rounding(errorOfFunction);
}

// --- Functions ---

double ofFunction(const Node &node, double slope) {
  return slope * node.error(0) + errorOfFunction * (node.u * std::max(node.result.most, 1.0) + node.tiny);
}
// Error bound of an elementwise function whose derivative is at most `slope`.
BoundRule function(double slope) {
  return [slope](const Node &node) { return ofFunction(node, slope); };
}

// Error bound of an elementwise function with unbounded derivative: known only if the operand is exact.
double steep(const Node &node) { return node.error(0) > 0 ? unknownBound : ofFunction(node, 0); }

// HardSigmoid computes max(0, min(1, alpha x + beta)). An error of alpha changes the result only where the
// result lies between 0 and 1, that is, where |alpha x| <= 1 + |beta|.
double hardSigmoid(const Node &node) {
  const double alpha = node.real("alpha", 0.2), beta = node.real("beta", 0.5);
  const double product = 1 + std::abs(beta);
  const double ofAlpha = alpha == 0 ? 0 : 2 * node.attributeError(alpha) / std::abs(alpha) * product;
  return std::abs(alpha) * node.error(0) + ofAlpha + node.attributeError(beta) + 4 * node.u * product +
         node.rounding();
}

double leaky(const Node &node) {
  return std::max(1.0, std::abs(node.real("alpha", 0.01))) * node.error(0) + node.rounding();
}
double exponentialUnit(const Node &node) {
  const bool isScaled = node.proto.op_type() == "Selu";
  const double alpha = std::abs(node.real("alpha", isScaled ? 1.67326 : 1));
  const double gamma = isScaled ? std::abs(node.real("gamma", 1.0507)) : 1;
  return gamma * (std::max(1.0, alpha) * node.error(0) +
                  errorOfFunction * node.u * std::max({node.result.most, alpha, 1.0}));
}
double parametric(const Node &node) {
  return std::max(1.0, node.most(1)) * node.error(0) + (node.most(0) + node.error(0)) * node.error(1) +
         node.rounding();
}
double exponential(const Node &node) {
  return node.result.most * std::expm1(node.error(0)) + node.rounding(errorOfFunction);
}
double hyperbolic(const Node &node) {
  return (node.result.most + 1) * std::expm1(node.error(0)) + node.rounding(errorOfFunction);
}
double logarithm(const Node &node) {
  const double least = node.least(0) - node.error(0);
  return (node.error(0) == 0 ? 0
          : least > 0        ? node.error(0) / least
                             : unknownBound) +
         errorOfFunction * node.u * std::max(node.result.most, 1.0);
}
double squareRoot(const Node &node) {
  const double error = node.error(0), least = node.least(0) - error;
  const double byLeast = least > 0 ? error / (2 * std::sqrt(least)) : unknownBound;
  return (error == 0 ? 0 : std::min(byLeast, std::sqrt(error))) + node.rounding();
}
// Shrink and ThresholdedRelu jump at thresholds, by at most |lambd| + |bias| or |alpha|: an operand with an
// error may lie on the other side of a threshold than the exact operand.
double shrunk(const Node &node) {
  if (node.error(0) == 0)
    return node.rounding();
  return node.error(0) + std::abs(node.real("lambd", 0.5)) + std::abs(node.real("bias", 0)) + node.rounding();
}
double thresholded(const Node &node) {
  return node.error(0) == 0 ? 0 : node.error(0) + std::abs(node.real("alpha", 1));
}

// --- Roundings ---

// Rounding to integers: an operand's error may change the result by one more than the error itself.
double rounded(const Node &node) { return node.error(0) > 0 ? node.error(0) + 1 : 0; }
double quantised(const Node &node) {
  return node.error(0) > 0 || node.error(1) > 0
             ? (node.error(0) + node.most(0) * node.error(1) / node.least(1)) / node.least(1) + 1
             : 0;
}
double dequantised(const Node &node) {
  return node.error(0) * node.most(1) + (node.most(0) + node.most(2)) * node.error(1) + node.rounding(2);
}
// Cast to a float type: rounds to that type, even in a run that computes all other floats as doubles.
double converted(const Node &node) {
  if (unitRoundoff(node.result.type) == 0)
    return rounded(node);
  const auto type = dtypeOfOnnx(node.integer("to", onnxNumber(node.result.type)));
  const double u = std::max(node.u, unitRoundoff(type.value_or(node.result.type)));
  const bool isInteger = node.count() > 0 && unitRoundoff(node.operands[0].magnitude.type) == 0;
  if (isInteger && node.error(0) == 0 && node.most(0) * u <= 1) // the integers are exact in the float type
    return 0;
  return node.error(0) + u * node.result.most + node.tiny;
}

} // namespace

void addElementwiseRules(BoundRules &rules) {
  addRule(rules, added, {"Add", "Sub", "Sum", "Mean"});
  addRule(rules, multiplied, {"Mul"});
  addRule(rules, divided, {"Div"});
  addRule(rules, reciprocal, {"Reciprocal"});
  addRule(rules, power, {"Pow"});
  addRule(rules, function(1.2),
          {"Sigmoid", "Tanh", "Erf", "Gelu", "Swish", "Softplus", "Softsign", "Sin", "Cos", "Atan", "Asinh",
           "Mish", "Celu"});
  addRule(rules, steep, {"Tan", "Asin", "Acos", "Acosh", "Atanh"});
  addRule(rules, function(1.6), {"HardSwish"});
  addRule(rules, hardSigmoid, {"HardSigmoid"});
  addRule(rules, leaky, {"LeakyRelu"});
  addRule(rules, exponentialUnit, {"Elu", "Selu"});
  addRule(rules, parametric, {"PRelu"});
  addRule(rules, exponential, {"Exp"});
  addRule(rules, hyperbolic, {"Sinh", "Cosh"});
  addRule(rules, logarithm, {"Log"});
  addRule(rules, squareRoot, {"Sqrt"});
  addRule(rules, shrunk, {"Shrink"});
  addRule(rules, thresholded, {"ThresholdedRelu"});
  addRule(rules, rounded, {"Floor", "Ceil", "Round"});
  addRule(rules, quantised, {"QuantizeLinear"});
  addRule(rules, dequantised, {"DequantizeLinear"});
  addRule(rules, converted, {"Cast", "CastLike"});
}

} // namespace tilerig::compiler
