#include "classifier/Samples/Layers.h"

#include "models/Builder/Layers.h"

#include <cmath>

namespace tilerig::verify {

using models::Filling;

Value convolution(GraphBuilder &g, const Value &x, std::string_view name, const ConvForm &form) {
  const std::string path(name);
  const int64_t perGroup = x.shape[1] / form.groups, taps = perGroup * form.kernel * form.kernel;
  std::vector<Value> inputs = {x,
                               g.weight(path + ".weight", {form.outputs, perGroup, form.kernel, form.kernel},
                                        Filling::bell(std::sqrt(2.0 / static_cast<double>(taps))), 0.3)};
  if (form.hasBias)
    inputs.push_back(g.weight(path + ".bias", {form.outputs}, Filling::bell(0.3)));
  auto positions = [&](int64_t size) {
    return (size + 2 * form.pad - (form.kernel - 1) * form.dilation - 1) / form.stride + 1;
  };
  std::vector<onnx::AttributeProto> attributes = {
      attribute("kernel_shape", {form.kernel, form.kernel}), attribute("strides", {form.stride, form.stride}),
      attribute("dilations", {form.dilation, form.dilation}),
      attribute("pads", std::vector<int64_t>(4, form.pad)), attribute("group", form.groups)};
  return g.node("Conv", name, inputs,
                {x.shape[0], form.outputs, positions(x.shape[2]), positions(x.shape[3])}, attributes);
}

Value dense(GraphBuilder &g, const Value &x, std::string_view name, int64_t outputs) {
  const std::string path(name);
  const Value weight = g.weight(path + ".weight", {outputs, x.shape[1]},
                                Filling::bell(std::sqrt(2.0 / static_cast<double>(x.shape[1]))), 0.3);
  const Value bias = g.weight(path + ".bias", {outputs}, Filling::bell(0.3));
  return g.node("Gemm", name, {x, weight, bias}, {x.shape[0], outputs}, {attribute("transB", int64_t{1})});
}

Activation drawActivation(Draw &draw) {
  return draw.pick({Activation::sigmoid, Activation::tanh, Activation::leakyRelu, Activation::relu6,
                    Activation::hardSwish, Activation::elu, Activation::relu, Activation::relu});
}

Value activated(GraphBuilder &g, const Value &x, std::string_view name, Activation activation) {
  switch (activation) {
  case Activation::relu:
    return models::relu(g, x, name);
  case Activation::relu6:
    return models::relu6(g, x, name);
  case Activation::leakyRelu:
    return g.node("LeakyRelu", name, {x}, x.shape, {attribute("alpha", 0.1F)});
  case Activation::sigmoid:
    return g.node("Sigmoid", name, {x}, x.shape);
  case Activation::tanh:
    return g.node("Tanh", name, {x}, x.shape);
  case Activation::hardSwish:
    return g.node("HardSwish", name, {x}, x.shape);
  case Activation::elu:
    return g.node("Elu", name, {x}, x.shape);
  }
  return x;
}

Value averagePool(GraphBuilder &g, const Value &x, std::string_view name, int64_t kernel, int64_t stride,
                  int64_t pad) {
  auto positions = [&](int64_t size) { return (size + 2 * pad - kernel) / stride + 1; };
  return g.node("AveragePool", name, {x},
                {x.shape[0], x.shape[1], positions(x.shape[2]), positions(x.shape[3])},
                {attribute("kernel_shape", {kernel, kernel}), attribute("strides", {stride, stride}),
                 attribute("pads", std::vector<int64_t>(4, pad))});
}

Value resize(GraphBuilder &g, const Value &x, std::string_view name, int64_t factor, bool isNearest) {
  const auto by = static_cast<float>(factor);
  const std::array<float, 4> scales = {1, 1, by, by};
  const Value none{"", {}};
  return g.node("Resize", name, {x, none, g.floats(std::string(name) + ".scales", {4}, scales)},
                {x.shape[0], x.shape[1], x.shape[2] * factor, x.shape[3] * factor},
                {attribute("mode", std::string_view(isNearest ? "nearest" : "linear")),
                 attribute("coordinate_transformation_mode", std::string_view("half_pixel"))});
}

Value reshape(GraphBuilder &g, const Value &x, std::string_view name, const Shape &shape) {
  const Value sizes = g.integers(std::string(name) + ".shape", {static_cast<int64_t>(shape.size())}, shape);
  return g.node("Reshape", name, {x, sizes}, shape);
}

} // namespace tilerig::verify
