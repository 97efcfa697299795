// Bounds of the rounding errors of operators that add: products, reductions, pools, normalisations.
#include "compiler/PassCheck/BoundedNode.h"

#include <cmath>

namespace tilerig::compiler {

namespace {

using Node = BoundedNode;

// Error bound of a sum, in any order, of `terms` products and a first term of magnitude at most `start`.
double products(const Node &node, double terms, double start = 0) {
  const double errors =
      terms * (node.most(0) * node.error(1) + node.most(1) * node.error(0) + node.error(0) * node.error(1));
  return errors + (terms + 1) * (node.u * (terms * node.most(0) * node.most(1) + start) + node.tiny);
}
double matrixProduct(const Node &node) {
  return products(node, node.shape(0).empty() ? 1 : static_cast<double>(node.shape(0).back()));
}
double generalProduct(const Node &node) {
  const double terms = static_cast<double>(node.shape(0)[node.isTrue("transA") ? 0 : 1]);
  return std::abs(node.real("alpha", 1)) * products(node, terms + 1) +
         std::abs(node.real("beta", 1)) * (node.error(2) + (terms + 2) * node.u * node.most(2)) +
         node.rounding(2);
}
double convolution(const Node &node) {
  const double terms = elementsOf(node.shape(1)) / static_cast<double>(node.shape(1)[0]);
  return products(node, terms, node.most(2)) + node.error(2) + node.rounding();
}
double transposedConvolution(const Node &node) {
  const double terms = elementsOf(node.shape(1)) / static_cast<double>(node.shape(1)[1]);
  return products(node, terms, node.most(2)) + node.error(2) + node.rounding();
}
// Einsum of two operands: (elements of the first) * (elements of the second) / (number of results) is at
// least the number of terms in each sum.
double anySumOfProducts(const Node &node) {
  return node.count() == 2 ? products(node, elementsOf(node.shape(0)) * elementsOf(node.shape(1)) /
                                                std::max(1.0, elementsOf(node.result.shape)))
                           : unknownBound;
}

double termsOf(const Node &node) {
  return elementsOf(node.shape(0)) / std::max(1.0, elementsOf(node.result.shape));
}
double sum(const Node &node) {
  return termsOf(node) * (node.error(0) + termsOf(node) * node.u * node.most(0));
}
double mean(const Node &node) {
  return node.error(0) + (termsOf(node) + 1) * node.u * node.most(0) + node.rounding();
}
// Bounds the number of elements in a pooling window by the number of elements in the whole tensor.
double averagePool(const Node &node) {
  return node.error(0) + (elementsOf(node.shape(0)) + 1) * node.u * node.most(0) + node.rounding();
}
double sumOfSquares(const Node &node) {
  const double error = 2 * node.most(0) * node.error(0) + node.error(0) * node.error(0);
  return termsOf(node) * (error + node.u * (termsOf(node) + 1) * node.most(0) * node.most(0) + node.tiny);
}
// A square that is subnormal has an absolute error of up to `tiny`, so the root of a sum of n squares may
// have an error of sqrt(n tiny).
double euclideanNorm(const Node &node) {
  return std::sqrt(termsOf(node)) * (node.error(0) + std::sqrt(node.tiny)) + node.rounding(termsOf(node) + 2);
}
// LpPool computes the p-norm (sum of |x|^p)^(1/p) of a window, or of the whole image for a global pool. A
// power that is subnormal has an absolute error of up to `tiny`.
double pNorm(const Node &node) {
  const auto p = static_cast<double>(node.integer("p", 2));
  double terms = elementsOf(node.shape(0));
  if (const onnx::AttributeProto *const window = node.attribute("kernel_shape"))
    terms = elementsOf(Shape(window->ints().begin(), window->ints().end()));
  return std::pow(terms, 1 / p) * (node.error(0) + std::pow(node.tiny, 1 / p)) +
         node.rounding(terms + 2 * errorOfFunction);
}
// ReduceProd: the error of each factor is multiplied by all other factors, which are at most the largest one.
double product(const Node &node) {
  const double terms = termsOf(node), most = std::max(1.0, node.most(0) + node.error(0));
  return (node.error(0) > 0 ? terms * std::pow(most, terms - 1) * node.error(0) : 0) + node.rounding(terms);
}
// ReduceLogSum: the smallest sum, at which the logarithm is steepest, is at least exp(smallest result).
double logarithmOfPlainSum(const Node &node) {
  const double error = sum(node), least = std::exp(node.result.lowest) - error;
  return least > 0 ? error / least + errorOfFunction * node.u * std::max(node.result.most, 1.0)
                   : unknownBound;
}
double logarithmOfSum(const Node &node) {
  return node.error(0) + 2 * node.u * node.most(0) +
         (termsOf(node) + errorOfFunction) * node.u * std::max(node.result.most, 1.0);
}
double cumulativeSum(const Node &node) {
  const double terms = elementsOf(node.shape(0));
  return terms * (node.error(0) + node.u * terms * node.most(0));
}

// --- Normalisations ---

double softmax(const Node &node) {
  const double terms = elementsOf(node.shape(0));
  return std::min(1.0, std::expm1(2 * node.error(0))) + (terms + errorOfFunction) * (node.u + node.tiny);
}
double logSoftmax(const Node &node) {
  const double terms = elementsOf(node.shape(0));
  return 2 * node.error(0) + (terms + errorOfFunction) * node.u * std::max(node.result.most, 1.0);
}

// LRN: x / (bias + alpha / size * sum of x^2 over neighbouring channels)^beta. The base is at least the bias,
// so an error dx changes the result by at most |dx| (bias^-beta + 2 alpha beta x^2 bias^(-beta - 1)).
double localResponse(const Node &node) {
  const double alpha = node.real("alpha", 1e-4), beta = node.real("beta", 0.75), bias = node.real("bias", 1);
  if (bias <= 0 || alpha < 0 || beta < 0)
    return unknownBound;
  const double most = node.most(0) + node.error(0);
  const double slope = std::pow(bias, -beta) + 2 * alpha * beta * most * most * std::pow(bias, -beta - 1);
  const double terms =
      elementsOf(node.shape(0)) / static_cast<double>(std::max<int64_t>(node.shape(0)[0], 1));
  return node.error(0) * slope + node.rounding(std::max(1.0, beta) * (terms + errorOfFunction));
}

// BatchNormalization: gain * (x - mean) / sqrt(variance + epsilon) + bias
double batchNormalisation(const Node &node) {
  const double variance = node.least(4) + node.real("epsilon", 1e-5) - node.error(4);
  if (variance <= 0)
    return unknownBound;
  const double deviation = std::sqrt(variance);
  const double centred = node.most(0) + node.error(0) + node.most(3) + node.error(3);
  const double factor = (node.most(1) + node.error(1)) / deviation;
  const double errors = factor * (node.error(0) + node.error(3)) + centred / deviation * node.error(1) +
                        factor * centred * node.error(4) / (2 * variance) + node.error(2);
  return errors + errorOfFunction * node.u * (factor * centred + node.most(2)) + node.rounding(2);
}

// Layer, instance or group normalisation: gain * (x - mean) / sqrt(variance + epsilon) + bias, with mean and
// variance over at most all elements. The derivative of the quotient by an element is at most 2 /
// sqrt(epsilon), and all elements of a row may have errors. The quotient is at most the root of the number of
// elements.
double normalisation(const Node &node) {
  const double epsilon = node.real("epsilon", 1e-5), terms = elementsOf(node.shape(0));
  if (epsilon <= 0)
    return unknownBound;
  const double inside = node.error(0) + (terms + 2) * node.u * node.most(0);
  const double gain = node.count() > 1 ? node.most(1) : 1;
  const double quotient = std::min(std::sqrt(terms), 2 * node.most(0) / std::sqrt(epsilon));
  return gain * (4 * std::sqrt(terms) * inside / std::sqrt(epsilon) +
                 (terms + errorOfFunction) * node.u * quotient) +
         (quotient + inside) * node.error(1) + node.error(2) + node.rounding(errorOfFunction);
}

} // namespace

void addSumRules(BoundRules &rules) {
  addRule(rules, matrixProduct, {"MatMul"});
  addRule(rules, generalProduct, {"Gemm"});
  addRule(rules, convolution, {"Conv"});
  addRule(rules, transposedConvolution, {"ConvTranspose"});
  addRule(rules, anySumOfProducts, {"Einsum"});
  addRule(rules, sum, {"ReduceSum", "ReduceL1"});
  addRule(rules, mean, {"ReduceMean", "GlobalAveragePool"});
  addRule(rules, averagePool, {"AveragePool"});
  addRule(rules, sumOfSquares, {"ReduceSumSquare"});
  addRule(rules, euclideanNorm, {"ReduceL2"});
  addRule(rules, pNorm, {"LpPool", "GlobalLpPool"});
  addRule(rules, product, {"ReduceProd"});
  addRule(rules, logarithmOfPlainSum, {"ReduceLogSum"});
  addRule(rules, logarithmOfSum, {"ReduceLogSumExp"});
  addRule(rules, cumulativeSum, {"CumSum"});
  addRule(rules, softmax, {"Softmax"});
  addRule(rules, logSoftmax, {"LogSoftmax"});
  addRule(rules, localResponse, {"LRN"});
  addRule(rules, batchNormalisation, {"BatchNormalization"});
  addRule(rules, normalisation,
          {"LayerNormalization", "InstanceNormalization", "GroupNormalization", "RMSNormalization"});
}

} // namespace tilerig::compiler
