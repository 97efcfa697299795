#include "classifier/Models/OnnxLayers.h"

#include <cmath>
#include <fmt/core.h>

namespace tilerig::classifier {

using models::attribute;

Shape OnnxLayers::withRow(Shape shape) const {
  shape.insert(shape.begin(), 1);
  return shape;
}

Value OnnxLayers::keep(models::Value value) {
  values.push_back(std::move(value));
  const Shape &shape = values.back().shape;
  return {values.size() - 1, Shape(shape.begin() + 1, shape.end())};
}

Value OnnxLayers::node(std::string_view op, std::initializer_list<models::Value> inputs, Shape shape,
                       Attributes attributes) {
  return keep(
      graph.node(op, fmt::format("{}_{}", op, values.size()), inputs, withRow(std::move(shape)), attributes));
}

Status OnnxLayers::status() const {
  return missing.empty() ? success()
                         : Status(internalError("export", "the model has no parameter '" + missing + "'"));
}

std::vector<float> OnnxLayers::floatsOf(const std::string &name) {
  const Tensor *parameter = parameters.find(name);
  if (!parameter) {
    missing = name;
    return {};
  }
  const auto numbers = parameter->as<float>();
  return {numbers.begin(), numbers.end()};
}

models::Value OnnxLayers::weight(const std::string &name, Shape shape) {
  std::vector<float> numbers = floatsOf(name);
  numbers.resize(static_cast<size_t>(models::countElements(shape)));
  return graph.floats(name, std::move(shape), numbers);
}

Value OnnxLayers::input(Input which) {
  for (const auto &[known, value] : inputs)
    if (known == which)
      return value;
  const Value value = keep(graph.input(nameOf(which), DType::f32, withRow(shapeOf(which))));
  inputs.push_back({which, value});
  return value;
}

Value OnnxLayers::learned(const std::string &name, Shape shape) {
  return keep(weight(name, withRow(std::move(shape))));
}

Value OnnxLayers::standardise(const Value &x, const std::string &name) {
  const Value centred = node("Sub", {values[x.index], weight(name + ".mean", withRow(x.shape))}, x.shape);
  return node("Mul", {values[centred.index], weight(name + ".factor", withRow(x.shape))}, x.shape);
}

Value OnnxLayers::conv(const Value &x, const std::string &name, const Conv &conv) {
  std::vector<float> weights = floatsOf(name + ".weight"), bias(static_cast<size_t>(conv.outputs));
  if (conv.normalised) {
    const std::vector<float> gain = floatsOf(name + ".gain"), shift = floatsOf(name + ".shift"),
                             mean = floatsOf(name + ".mean"), variance = floatsOf(name + ".variance");
    const size_t each = weights.size() / bias.size();
    for (size_t output = 0; output < std::min(bias.size(), gain.size()); ++output) {
      const double factor = gain[output] / std::sqrt(variance[output] + 1e-5);
      bias[output] = static_cast<float>(shift[output] - mean[output] * factor);
      for (size_t i = 0; i < each; ++i)
        weights[output * each + i] = static_cast<float>(weights[output * each + i] * factor);
    }
  } else {
    bias = floatsOf(name + ".bias");
  }
  const int64_t inputs = x.shape[0] / conv.groups, pad = conv.pad();
  const Shape weightShape = {conv.outputs, inputs, conv.kernel, conv.kernel};
  weights.resize(static_cast<size_t>(models::countElements(weightShape)));
  bias.resize(static_cast<size_t>(conv.outputs));
  auto out = [&](int64_t size) { return (size + 2 * pad - conv.kernel) / conv.stride + 1; };
  return node("Conv",
              {values[x.index], graph.floats(name + ".weight", weightShape, weights),
               graph.floats(name + ".bias", {conv.outputs}, bias)},
              {conv.outputs, out(x.shape[1]), out(x.shape[2])},
              {attribute("kernel_shape", std::vector{conv.kernel, conv.kernel}),
               attribute("strides", std::vector{conv.stride, conv.stride}),
               attribute("pads", std::vector{pad, pad, pad, pad}), attribute("group", conv.groups)});
}

Value OnnxLayers::linear(const Value &x, const std::string &name, int64_t outputs) {
  Shape shape = x.shape;
  const int64_t inputs = shape.back();
  shape.back() = outputs;
  if (shape.size() == 1)
    return node(
        "Gemm",
        {values[x.index], weight(name + ".weight", {outputs, inputs}), weight(name + ".bias", {outputs})},
        shape, {attribute("transB", int64_t{1})});
  const std::vector<float> rows = floatsOf(name + ".weight");
  std::vector<float> columns(static_cast<size_t>(inputs * outputs));
  for (size_t i = 0; i < rows.size(); ++i)
    columns[i % static_cast<size_t>(inputs) * static_cast<size_t>(outputs) +
            i / static_cast<size_t>(inputs)] = rows[i];
  const Value product =
      node("MatMul", {values[x.index], graph.floats(name + ".weight", {inputs, outputs}, columns)}, shape);
  return node("Add", {values[product.index], weight(name + ".bias", {outputs})}, shape);
}

Value OnnxLayers::layerNorm(const Value &x, const std::string &name) {
  const Shape last = {x.shape.back()};
  return node("LayerNormalization",
              {values[x.index], weight(name + ".gain", last), weight(name + ".shift", last)}, x.shape,
              {attribute("axis", int64_t{-1}), attribute("epsilon", 1e-5f)});
}

// Reorders the gates of the LSTM: ONNX has input, output, forget, cell; torch has input, forget, cell,
// output.
Value OnnxLayers::lstm(const Value &x, const std::string &name, int64_t hidden) {
  const int64_t steps = x.shape[0], inputs = x.shape[1];
  auto ordered = [&](const char *part, int64_t width, bool withZeros) {
    std::vector<float> both;
    for (const char *way : {".forward", ".backward"}) {
      const std::vector<float> gates = floatsOf(name + way + part);
      const auto gate = static_cast<size_t>(hidden * width);
      if (gates.size() == 4 * gate)
        for (size_t source : {0, 3, 1, 2})
          both.insert(both.end(), &gates[source * gate], &gates[source * gate] + gate);
      if (withZeros)
        both.resize(both.size() + 4 * gate);
    }
    both.resize(static_cast<size_t>(8 * hidden * width * (withZeros ? 2 : 1)));
    return both;
  };
  const models::Value w =
      graph.floats(name + ".input", {2, 4 * hidden, inputs}, ordered(".input", inputs, false));
  const models::Value r =
      graph.floats(name + ".hidden", {2, 4 * hidden, hidden}, ordered(".hidden", hidden, false));
  const models::Value b = graph.floats(name + ".bias", {2, 8 * hidden}, ordered(".bias", 1, true));
  const models::Value first = graph.node(
      "Reshape", name + ".steps",
      {values[x.index], graph.integers(name + ".steps.shape", {steps, 1, inputs})}, {steps, 1, inputs});
  const models::Value ways = graph.node(
      "LSTM", name, {first, w, r, b}, {steps, 2, 1, hidden},
      {attribute("direction", std::string_view("bidirectional")), attribute("hidden_size", hidden)});
  return keep(graph.node("Reshape", name + ".joined",
                         {ways, graph.integers(name + ".joined.shape", {1, steps, 2 * hidden})},
                         {1, steps, 2 * hidden}));
}

Value OnnxLayers::relu(const Value &x) { return node("Relu", {values[x.index]}, x.shape); }
Value OnnxLayers::add(const Value &x, const Value &y) {
  return node("Add", {values[x.index], values[y.index]}, x.shape);
}
Value OnnxLayers::scale(const Value &x, float factor) {
  return node("Mul", {values[x.index], graph.scalar(fmt::format("factor_{}", values.size()), factor)},
              x.shape);
}
Value OnnxLayers::softmax(const Value &x) {
  return node("Softmax", {values[x.index]}, x.shape, {attribute("axis", int64_t{-1})});
}

Value OnnxLayers::matmul(const Value &x, const Value &y) {
  Shape shape = x.shape;
  shape.back() = y.shape.back();
  return node("MatMul", {values[x.index], values[y.index]}, shape);
}

Value OnnxLayers::averagePool(const Value &x, int64_t height, int64_t width) {
  return node("AveragePool", {values[x.index]}, {x.shape[0], x.shape[1] / height, x.shape[2] / width},
              {attribute("kernel_shape", std::vector{height, width}),
               attribute("strides", std::vector{height, width})});
}

Value OnnxLayers::meanOfRows(const Value &x) {
  return node("ReduceMean", {values[x.index]}, {x.shape[1]},
              {attribute("axes", std::vector<int64_t>{1}), attribute("keepdims", int64_t{0})});
}

Value OnnxLayers::reshape(const Value &x, Shape shape) {
  const Shape whole = withRow(shape);
  const models::Value sizes =
      graph.integers(fmt::format("shape_{}", values.size()), {static_cast<int64_t>(whole.size())}, whole);
  return node("Reshape", {values[x.index], sizes}, std::move(shape));
}

Value OnnxLayers::transpose(const Value &x, std::span<const int64_t> axes) {
  std::vector<int64_t> all = {0};
  Shape shape;
  for (int64_t axis : axes) {
    all.push_back(axis + 1);
    shape.push_back(x.shape[static_cast<size_t>(axis)]);
  }
  return node("Transpose", {values[x.index]}, shape, {attribute("perm", all)});
}

Value OnnxLayers::concat(std::span<const Value> parts) {
  std::vector<models::Value> tensors;
  Shape shape = parts.front().shape;
  shape.back() = 0;
  for (const Value &part : parts) {
    tensors.push_back(values[part.index]);
    shape.back() += part.shape.back();
  }
  const onnx::AttributeProto axis[] = {attribute("axis", int64_t{-1})};
  return keep(graph.node("Concat", fmt::format("Concat_{}", values.size()), tensors, withRow(shape), axis));
}

Value OnnxLayers::dropout(const Value &x, double) { return x; }

} // namespace tilerig::classifier
