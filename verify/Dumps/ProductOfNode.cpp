// Operands of convolutions and matrix products of ONNX, in the machine's order of axes.
#include "verify/Dumps/ModelOfDumps.h"

#include "verify/Dumps/Attributes.h"
#include "verify/Inputs/Transpose.h"

#include <algorithm>
#include <cmath>

namespace tilerig::verify {

namespace {

using reference::Node;

std::vector<float> numbersOf(const Tensor &tensor) {
  return tensor.dtype() == DType::f32
             ? std::vector<float>(tensor.as<float>().begin(), tensor.as<float>().end())
             : std::vector<float>();
}

// Numbers of a tensor with its axes in another order; empty if it is not of floats.
std::vector<float> turned(const Tensor &tensor, const std::vector<size_t> &axes) {
  const auto result = transpose(tensor, axes);
  return result ? numbersOf(*result) : std::vector<float>();
}

Product::Sizes sizes(int64_t a, int64_t b, int64_t c, int64_t d) {
  return {static_cast<size_t>(a), static_cast<size_t>(b), static_cast<size_t>(c), static_cast<size_t>(d)};
}

const std::vector<size_t> lastChannels = {0, 2, 3, 1};

// Weights with the channels of each output last.
std::vector<float> weightsOf(const Node &node, const Tensor &weights) {
  if (node.op == "Conv")
    return weights.rank() == 4 ? turned(weights, lastChannels) : std::vector<float>();
  if (weights.rank() != 2)
    return {};
  return node.op == "Gemm" && attributeOf<int64_t>(node, "transB", 0) != 0 ? numbersOf(weights)
                                                                           : turned(weights, {1, 0});
}

bool readConvolution(const Node &node, const Tensor &input, const Tensor &weights, const Shape &result,
                     Product &product) {
  if (input.rank() != 4 || weights.rank() != 4 || result.size() != 4 ||
      attributeOf<std::string>(node, "auto_pad", "NOTSET") != "NOTSET")
    return false;
  const Shape &x = input.shape(), &w = weights.shape();
  product.inputSizes = sizes(x[0], x[2], x[3], x[1]);
  product.weightSizes = sizes(w[0], w[2], w[3], w[1]);
  product.resultSizes = sizes(result[0], result[2], result[3], result[1]);
  product.input = turned(input, lastChannels);
  product.weights = weightsOf(node, weights);
  using Integers = std::vector<int64_t>;
  const Integers strides = attributeOf<Integers>(node, "strides", {1, 1}),
                 dilations = attributeOf<Integers>(node, "dilations", {1, 1}),
                 pads = attributeOf<Integers>(node, "pads", {0, 0, 0, 0});
  product.rows = {strides[0], pads[0], dilations[0]};
  product.columns = {strides[1], pads[1], dilations[1]};
  product.groups = static_cast<size_t>(attributeOf<int64_t>(node, "group", 1));
  product.order = {0, 3, 1, 2};
  // The value must have the sizes of the sums: functions behind them may broadcast.
  const auto positions = [&](size_t axis) {
    return (x[axis + 2] + pads[axis] + pads[axis + 2] - dilations[axis] * (w[axis + 2] - 1) - 1) /
               strides[axis] +
           1;
  };
  return result == Shape{x[0], w[0], positions(0), positions(1)} &&
         x[1] == w[1] * static_cast<int64_t>(product.groups);
}

bool readMatrix(const Node &node, const Tensor &input, const Tensor &weights, const Shape &result,
                Product &product) {
  const bool isGemm = node.op == "Gemm";
  if (weights.rank() != 2 || input.rank() < 2 || result.size() != input.rank() ||
      (isGemm && (attributeOf<int64_t>(node, "transA", 0) != 0 || attributeOf<float>(node, "alpha", 1) != 1 ||
                  attributeOf<float>(node, "beta", 1) != 1)))
    return false;
  const bool isTurned = isGemm && attributeOf<int64_t>(node, "transB", 0) != 0;
  const int64_t outputs = weights.shape()[isTurned ? 0 : 1], depth = weights.shape()[isTurned ? 1 : 0];
  const auto rows = static_cast<int64_t>(input.elementCount()) / std::max<int64_t>(depth, 1);
  Shape sums = input.shape();
  sums.back() = outputs;
  if (result != sums || input.shape().back() != depth) // functions behind the sums may broadcast
    return false;
  product.inputSizes = sizes(1, rows, 1, depth);
  product.weightSizes = sizes(outputs, 1, 1, depth);
  product.resultSizes = sizes(1, rows, 1, outputs);
  product.input = numbersOf(input);
  product.weights = weightsOf(node, weights);
  for (size_t axis = 0; axis < result.size(); ++axis)
    product.order.push_back(axis);
  return true;
}

// Multiplies weights and bias by what a batch normalisation behind the sums does to each output. Returns false if its constants are not
// one float for each output.
bool foldNorm(const ProductNode &node, const TensorMap &values, Product &product) {
  std::vector<std::vector<float>> constants; // scale, shift, mean, variance
  for (const std::string &name : node.normConstants)
    if (const Tensor *tensor = values.find(name))
      constants.push_back(numbersOf(*tensor));
  if (constants.size() != 4 || std::ranges::any_of(constants, [&](const auto &numbers) {
        return numbers.size() != product.outputs();
      }))
    return false;
  const auto epsilon = static_cast<double>(attributeOf<float>(*node.norm, "epsilon", 1e-5F));
  product.bias.resize(product.outputs(), 0);
  for (size_t output = 0; output < product.outputs(); ++output) {
    const auto at = [&](size_t i) { return static_cast<double>(constants[i][output]); };
    const double factor = at(0) / std::sqrt(at(3) + epsilon);
    for (size_t i = output * product.depth(); i < (output + 1) * product.depth(); ++i)
      product.weights[i] = static_cast<float>(static_cast<double>(product.weights[i]) * factor);
    product.bias[output] =
        static_cast<float>((static_cast<double>(product.bias[output]) - at(2)) * factor + at(1));
  }
  return true;
}

} // namespace

std::shared_ptr<const Product> productOf(const ProductNode &node, const TensorMap &values,
                                         const std::optional<StoredSteps> &stored, const Shape &result) {
  const Tensor *input = values.find(node.input), *weights = values.find(node.weights);
  if (!input || !weights || input->elementCount() == 0)
    return nullptr;
  auto product = std::make_shared<Product>();
  const bool isKnown = node.node->op == "Conv"
                           ? readConvolution(*node.node, *input, *weights, result, *product)
                           : readMatrix(*node.node, *input, *weights, result, *product);
  if (!isKnown || product->input.empty() || product->weights.empty())
    return nullptr;
  product->inputSteps = stored;
  if (const Tensor *bias = values.find(node.bias); bias && bias->elementCount() == product->outputs())
    product->bias = numbersOf(*bias);
  if (node.norm && !foldNorm(node, values, *product))
    return nullptr;
  if (const Tensor *before = node.before ? values.find(node.weightsBefore) : nullptr) {
    product->weightsBefore = weightsOf(*node.before, *before);
    if (const Tensor *bias = values.find(node.biasBefore))
      product->biasBefore = numbersOf(*bias);
  }
  if (const Tensor *addend = values.find(node.addend); addend && addend->shape() == result)
    product->addend =
        result.size() == 4 && node.node->op == "Conv" ? turned(*addend, lastChannels) : numbersOf(*addend);
  return product;
}

} // namespace tilerig::verify
