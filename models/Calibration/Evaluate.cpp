// Evaluates nodes during calibration, most of them with the reference in fp64. There are two exceptions:
// dense layers, because the reference would copy their weights as gigabytes of doubles, and normalisation
// across channels, because the reference computes it with the power function, whose results differ between C
// libraries.
#include "models/Calibration/Evaluate.h"

#include "models/Weights/Fill.h"
#include "reference/Model/Load.h"
#include "reference/Run/Interpreter.h"

#include <cmath>
#include <fmt/core.h>
#include <set>

namespace tilerig::models {

namespace {

// A double holds every integer up to this number exactly. Products of weights and activations are integers
// times 2^-38, so they and their sums are exact as long as they stay below 2^15.
constexpr double exactIntegers = 0x1p53;

double largest(std::span<const double> values) {
  double most = 0;
  for (double value : values)
    most = std::max(most, std::abs(value));
  return most;
}

// The largest sum of the magnitudes of the weights in one row.
double largestRow(std::span<const float> weights, size_t rows) {
  double most = 0;
  for (size_t row = 0, perRow = weights.size() / rows; row < rows; ++row) {
    double sum = 0;
    for (float weight : weights.subspan(row * perRow, perRow))
      sum += std::abs(static_cast<double>(weight));
    most = std::max(most, sum);
  }
  return most;
}

Status checkExact(const onnx::NodeProto &node, const Tensor &x, const Weights &weights) {
  const std::string &name = node.input(1);
  size_t rows = static_cast<size_t>(weights.proto(name).dims(0));
  double bound = largest(x.as<double>()) * largestRow(weights.floats(name), rows);
  if (bound < exactIntegers * activationGrid * weightGrid)
    return success();
  return internalError(fmt::format("calibration of '{}'", node.name()),
                       fmt::format("sums may reach {:.0f}, which is too large for exact arithmetic", bound));
}

// A dense layer for all elements of the batch at once, computed in a fixed order, one row of the weights
// after the other.
Tensor dense(const Tensor &x, std::span<const float> weights, int64_t outputs, reference::Threads &threads) {
  int64_t images = x.shape()[0], inputs = x.shape()[1];
  auto elements = x.as<double>();
  std::vector<double> columns(elements.size()); // shape [inputs, images]
  for (int64_t i = 0; i < images; ++i)
    for (int64_t k = 0; k < inputs; ++k)
      columns[k * images + i] = elements[i * inputs + k];
  Tensor y(DType::f64, {images, outputs});
  auto sums = y.mutableAs<double>();
  threads.forEach(outputs, 16, [&](int64_t begin, int64_t end) {
    std::vector<double> sum(images);
    for (int64_t row = begin; row < end; ++row) {
      std::fill(sum.begin(), sum.end(), 0.0);
      for (int64_t k = 0; k < inputs; ++k) {
        double weight = weights[row * inputs + k];
        for (int64_t i = 0; i < images; ++i)
          sum[i] += weight * columns[k * images + i];
      }
      for (int64_t i = 0; i < images; ++i)
        sums[i * outputs + row] = sum[i];
    }
  });
  return y;
}

const onnx::AttributeProto *find(const onnx::NodeProto &node, std::string_view name) {
  for (const onnx::AttributeProto &attribute : node.attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

// Local response normalisation: x / (bias + alpha/size · Σ x²)^(3/4), with the sum over neighbouring
// channels. The power 3/4 is computed by two square roots.
Result<Tensor> normaliseAcrossChannels(const onnx::NodeProto &node, const Tensor &x,
                                       reference::Threads &threads) {
  if (find(node, "beta")->f() != 0.75f)
    return unsupported(node.name(), "calibration supports LRN only with beta 0.75");
  int64_t size = find(node, "size")->i(), channels = x.shape()[1];
  double alpha = static_cast<double>(find(node, "alpha")->f()) / static_cast<double>(size);
  double bias = find(node, "bias")->f();
  int64_t plane = x.shape()[2] * x.shape()[3];
  Tensor y(DType::f64, x.shape());
  auto from = x.as<double>();
  auto to = y.mutableAs<double>();
  threads.forEach(x.shape()[0] * channels, 1, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; ++at) {
      int64_t image = at / channels, channel = at % channels;
      int64_t first = std::max<int64_t>(0, channel - (size - 1) / 2);
      int64_t last = std::min(channels - 1, channel + size / 2);
      for (int64_t i = 0; i < plane; ++i) {
        double squares = 0;
        for (int64_t c = first; c <= last; ++c) {
          double value = from[(image * channels + c) * plane + i];
          squares += value * value;
        }
        double root = std::sqrt(bias + alpha * squares);
        to[at * plane + i] = from[at * plane + i] / (root * std::sqrt(root));
      }
    }
  });
  return y;
}

// Computes the outputs of one node by running the reference interpreter on a model with this node alone.
Result<Tensor> interpret(const onnx::NodeProto &node, int opset, const Values &values, const Weights &weights,
                         reference::Threads &threads) {
  onnx::ModelProto model;
  model.set_ir_version(7);
  model.add_opset_import()->set_version(opset);
  onnx::GraphProto &graph = *model.mutable_graph();
  *graph.add_node() = node;
  reference::NamedTensors inputs;
  for (const std::string &name : std::set<std::string>(node.input().begin(), node.input().end())) {
    if (weights.contains(name)) {
      *graph.add_initializer() = weights.proto(name);
    } else {
      graph.add_input()->set_name(name);
      inputs[name] = values.at(name);
    }
  }
  graph.add_output()->set_name(node.output(0));
  std::string bytes = model.SerializeAsString();
  TILERIG_TRY(reference::Model parsed,
              reference::parseModel(std::as_bytes(std::span(bytes)), "calibration", ""));
  reference::RunOptions options;
  options.precision = reference::Precision::fp64;
  TILERIG_TRY(auto interpreter, reference::Interpreter::create(std::move(parsed), options, threads));
  TILERIG_TRY(reference::NamedTensors outputs, interpreter.run(inputs));
  return std::move(outputs.at(node.output(0)));
}

Result<Tensor> evaluateUnrounded(const onnx::NodeProto &node, int opset, const Values &values,
                                 const Weights &weights, reference::Threads &threads) {
  if (node.op_type() == "LRN")
    return normaliseAcrossChannels(node, values.at(node.input(0)), threads);
  if (node.op_type() == "Conv")
    TILERIG_CHECK_OK(checkExact(node, values.at(node.input(0)), weights));
  if (node.op_type() == "Gemm")
    return dense(values.at(node.input(0)), weights.floats(node.input(1)),
                 weights.proto(node.input(1)).dims(0), threads);
  return interpret(node, opset, values, weights, threads);
}

} // namespace

void roundToGrid(Tensor &values, reference::Threads &threads) {
  auto elements = values.mutableAs<double>();
  threads.forEach(static_cast<int64_t>(elements.size()), 1 << 16, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      elements[i] = std::nearbyint(elements[i] / activationGrid) * activationGrid;
  });
}

Result<Tensor> evaluate(const onnx::NodeProto &node, int opset, const Values &values, const Weights &weights,
                        reference::Threads &threads) {
  TILERIG_TRY(Tensor output, evaluateUnrounded(node, opset, values, weights, threads));
  roundToGrid(output, threads);
  return output;
}

} // namespace tilerig::models
