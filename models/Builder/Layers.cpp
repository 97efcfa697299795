#include "models/Builder/Layers.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <fmt/core.h>

namespace tilerig::models {

namespace {

int64_t positions(int64_t size, const Kernel &kernel, Rounding rounding) {
  int64_t steps = size + 2 * kernel.pad - kernel.size;
  assert(steps >= 0);
  int64_t count = (rounding == Rounding::up ? steps + kernel.stride - 1 : steps) / kernel.stride + 1;
  // If the number of windows is rounded up, the last window may begin behind the end of the image. Such a
  // window is not counted.
  return (count - 1) * kernel.stride < size + kernel.pad ? count : count - 1;
}

Shape slide(const Shape &image, int64_t channels, const Kernel &kernel, Rounding rounding) {
  Shape result = {image[0], channels};
  for (size_t axis = 2; axis < image.size(); ++axis)
    result.push_back(positions(image[axis], kernel, rounding));
  return result;
}

// Attributes of a window of equal sizes along all axes of an image or volume `x`.
std::vector<onnx::AttributeProto> windowAttributes(const Value &x, const Kernel &kernel) {
  const size_t axes = x.shape.size() - 2;
  return {attribute("kernel_shape", std::vector<int64_t>(axes, kernel.size)),
          attribute("strides", std::vector<int64_t>(axes, kernel.stride)),
          attribute("pads", std::vector<int64_t>(2 * axes, kernel.pad))};
}

std::string member(std::string_view name, std::string_view part) { return fmt::format("{}.{}", name, part); }

// He initialisation: preserves the magnitude of values through a convolution followed by ReLU.
double heSpread(int64_t fanIn) { return std::sqrt(2.0 / static_cast<double>(fanIn)); }

// Channels of trained networks differ in magnitude, so each row of the weights is scaled by a random factor
// between 1 - rowSpread and 1 + rowSpread.
constexpr double rowSpread = 0.3;

// Adds a convolution node called `name` whose output is called `output`.
Value convNode(GraphBuilder &g, const Value &x, std::string_view name, std::string_view output,
               const ConvSpec &spec) {
  int64_t channels = x.shape[1], perGroup = channels / spec.groups;
  assert(channels % spec.groups == 0 && spec.outputs % spec.groups == 0);
  Shape sizes = {spec.outputs, perGroup};
  sizes.resize(x.shape.size(), spec.kernel.size);
  int64_t products = countElements(sizes) / spec.outputs; // for each element of the result
  Value weight = g.weight(member(name, "weight"), sizes, Filling::bell(heSpread(products)), rowSpread);
  Shape shape = slide(x.shape, spec.outputs, spec.kernel, Rounding::down);
  g.countMacs(countElements(shape) * products);
  auto attributes = windowAttributes(x, spec.kernel);
  if (spec.groups > 1)
    attributes.push_back(attribute("group", spec.groups));
  return g.nodeOf("Conv", name, std::array{x, weight}, {{std::string(output), shape}}, attributes).front();
}

Value normNode(GraphBuilder &g, const Value &x, std::string_view name, std::string_view output,
               const NormSpec &norm) {
  Shape perChannel{x.shape[1]};
  Value scale = g.weight(member(name, "weight"), perChannel, Filling::uniform(norm.scaleSpread, norm.scale));
  Value shift = g.weight(member(name, "bias"), perChannel, Filling::bell(norm.shiftSpread, norm.shift));
  Value mean = g.weight(member(name, "running_mean"), perChannel, Filling::constant(0));
  Value variance = g.weight(member(name, "running_var"), perChannel, Filling::constant(1));
  g.markMeasured(mean);
  g.markMeasured(variance);
  return g
      .nodeOf("BatchNormalization", name, std::array{x, scale, shift, mean, variance},
              {{std::string(output), x.shape}}, std::array{attribute("epsilon", 1e-5f)})
      .front();
}

// The name of a layer's result before normalisation.
std::string sumsOf(std::string_view name) { return member(name, "sums"); }

Value scaffold(GraphBuilder &g, const Value &x, std::string_view name, const NormSpec &norm) {
  std::string node = member(name, "norm");
  g.markScaffold(node);
  return normNode(g, x, node, name, norm);
}

} // namespace

Value conv(GraphBuilder &g, const Value &x, std::string_view name, const ConvSpec &spec) {
  return convNode(g, x, name, name, spec);
}

Value batchNorm(GraphBuilder &g, const Value &x, std::string_view name, const NormSpec &norm) {
  return normNode(g, x, name, name, norm);
}

Value biasedConv(GraphBuilder &g, const Value &x, std::string_view name, const ConvSpec &spec,
                 const NormSpec &norm) {
  return scaffold(g, convNode(g, x, name, sumsOf(name), spec), name, norm);
}

Value upsample(GraphBuilder &g, const Value &x, std::string_view name, int64_t outputs) {
  int64_t inputs = x.shape[1];
  Value weight = g.weight(member(name, "weight"), {inputs, outputs, 2, 2}, Filling::bell(heSpread(inputs)));
  Value bias = g.weight(member(name, "bias"), {outputs}, Filling::bell(0.1));
  Shape shape = {x.shape[0], outputs, 2 * x.shape[2], 2 * x.shape[3]};
  g.countMacs(countElements(shape) * inputs);
  return g
      .nodeOf("ConvTranspose", name, std::array{x, weight, bias}, {{std::string(name), shape}},
              std::array{attribute("kernel_shape", std::vector<int64_t>{2, 2}),
                         attribute("strides", std::vector<int64_t>{2, 2})})
      .front();
}

Value linear(GraphBuilder &g, const Value &x, std::string_view name, int64_t outputs, const NormSpec &norm) {
  int64_t batch = x.shape[0], inputs = x.shape[1];
  Value weight =
      g.weight(member(name, "weight"), {outputs, inputs}, Filling::bell(heSpread(inputs)), rowSpread);
  g.countMacs(batch * inputs * outputs);
  Value sums = g.nodeOf("Gemm", name, std::array{x, weight}, {{sumsOf(name), {batch, outputs}}},
                        std::array{attribute("transB", int64_t{1})})
                   .front();
  return scaffold(g, sums, name, norm);
}

Value relu(GraphBuilder &g, const Value &x, std::string_view name) {
  return g.node("Relu", name, {x}, x.shape);
}

Value relu6(GraphBuilder &g, const Value &x, std::string_view name) {
  Value low = g.scalar(member(name, "min"), 0), high = g.scalar(member(name, "max"), 6);
  return g.node("Clip", name, {x, low, high}, x.shape);
}

Value add(GraphBuilder &g, const Value &x, const Value &y, std::string_view name) {
  assert(x.shape == y.shape);
  return g.node("Add", name, {x, y}, x.shape);
}

Value concat(GraphBuilder &g, std::span<const Value> parts, std::string_view name) {
  Shape shape = parts.front().shape;
  shape[1] = 0;
  for (const Value &part : parts)
    shape[1] += part.shape[1];
  return g.node("Concat", name, parts, std::move(shape), std::array{attribute("axis", int64_t{1})});
}

Value maxPool(GraphBuilder &g, const Value &x, Kernel kernel, Rounding rounding, std::string_view name) {
  auto attributes = windowAttributes(x, kernel);
  if (rounding == Rounding::up)
    attributes.push_back(attribute("ceil_mode", int64_t{1}));
  return g.node("MaxPool", name, std::array{x}, slide(x.shape, x.shape[1], kernel, rounding), attributes);
}

Value globalAveragePool(GraphBuilder &g, const Value &x, std::string_view name) {
  Shape shape = {x.shape[0], x.shape[1]};
  shape.resize(x.shape.size(), 1);
  return g.node("GlobalAveragePool", name, {x}, shape);
}

Value flatten(GraphBuilder &g, const Value &x, std::string_view name) {
  return g.node("Flatten", name, {x}, {x.shape[0], countElements(x.shape) / x.shape[0]});
}

Value localResponseNorm(GraphBuilder &g, const Value &x, int64_t size, float alpha, float beta, float bias,
                        std::string_view name) {
  return g.node(
      "LRN", name, {x}, x.shape,
      {attribute("size", size), attribute("alpha", alpha), attribute("beta", beta), attribute("bias", bias)});
}

Value softmax(GraphBuilder &g, const Value &x, std::string_view name) {
  return g.node("Softmax", name, {x}, x.shape, {attribute("axis", int64_t{-1})});
}

} // namespace tilerig::models
