#include "tests/conformance/random-graphs/Trial.h"

#include "reference/Model/Load.h"
#include "reference/Run/Interpreter.h"
#include "tests/support/Random.h"

#include <cmath>
#include <fmt/core.h>
#include <set>

namespace tilerig::meaning {

namespace {

template <class T>
T draw(test::Random &random) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(static_cast<double>(random.below(1 << 24)) / (1 << 23) - 1); // exact in fp32
  else
    return static_cast<T>(random.below(2));
}

Result<Tensor> drawTensor(DType type, const Shape &shape, test::Random &random) {
  TILERIG_TRY(Tensor tensor, Tensor::make(type, shape));
  dispatch(type, [&]<class T>() {
    if constexpr (std::is_arithmetic_v<T>)
      for (T &element : tensor.mutableAs<T>())
        element = draw<T>(random);
  });
  return tensor;
}

// Differences are divided by a tensor's largest magnitude, but at least by this number. Values of random
// models are of order one, so a tensor of far smaller elements holds only rounding errors.
constexpr double leastMagnitude = 1e-3;

// The largest difference between two tensors, relative to the largest magnitude of the expected one. Infinite
// if elements of another type than float differ, or two elements that differ are not both finite.
template <class T>
double distance(std::span<const T> expected, std::span<const T> got) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  double largest = leastMagnitude, worst = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      const double wanted = expected[i], actual = got[i];
      if (!std::isfinite(wanted) || !std::isfinite(actual)) {
        if (!(wanted == actual || (std::isnan(wanted) && std::isnan(actual))))
          return infinite;
        continue;
      }
      worst = std::max(worst, std::abs(wanted - actual));
      largest = std::max(largest, std::abs(wanted));
    } else if (!(expected[i] == got[i])) {
      return infinite;
    }
  }
  return worst / largest;
}

std::string describe(const Tensor &tensor) {
  return fmt::format("{} {}", nameOf(tensor.dtype()), showShape(tensor.shape()));
}

} // namespace

Result<Values> makeInputs(const onnx::ModelProto &model, uint64_t seed) {
  std::set<std::string> constants;
  for (const onnx::TensorProto &initialiser : model.graph().initializer())
    constants.insert(initialiser.name());
  test::Random random(seed);
  Values inputs;
  for (const onnx::ValueInfoProto &input : model.graph().input()) {
    if (constants.contains(input.name()))
      continue;
    const onnx::TypeProto::Tensor &declared = input.type().tensor_type();
    const auto type = dtypeOfOnnx(declared.elem_type());
    Shape shape;
    for (const auto &dimension : declared.shape().dim())
      shape.push_back(dimension.has_dim_value() ? dimension.dim_value() : -1);
    if (!type)
      return invalidInput(input.name(), "the input is not a tensor of numbers");
    TILERIG_TRY(const Tensor tensor, drawTensor(*type, shape, random));
    inputs.emplace(input.name(), tensor);
  }
  return inputs;
}

static Result<Values> run(std::string_view bytes, const Values &inputs, reference::Precision precision,
                          bool everything) {
  TILERIG_TRY(reference::Model model, reference::parseModel(std::as_bytes(std::span(bytes)), "model", ""));
  Values captured;
  reference::RunOptions options;
  options.precision = precision;
  if (everything)
    options.capture = [&](const std::string &name, const Tensor &value) {
      captured.emplace(name, value);
      return success();
    };
  static reference::Threads threads(1);
  TILERIG_TRY(const auto interpreter, reference::Interpreter::create(std::move(model), options, threads));
  TILERIG_TRY(Values outputs, interpreter.run(inputs));
  captured.merge(outputs);
  return captured;
}

Result<Values> run(std::string_view bytes, const Values &inputs, bool everything) {
  return run(bytes, inputs, reference::Precision::fp64, everything);
}

Result<Values> runAsWritten(const Trial &trial) {
  return run(trial.model.SerializeAsString(), trial.inputs, reference::Precision::fp32, true);
}

std::string difference(const Values &expected, const Values &got, double limit) {
  for (const auto &[name, wanted] : expected) {
    const auto entry = got.find(name);
    if (entry == got.end())
      return fmt::format("output '{}' is gone", name);
    const Tensor &tensor = entry->second;
    if (tensor.dtype() != wanted.dtype() || tensor.shape() != wanted.shape())
      return fmt::format("output '{}' is {}, and was {}", name, describe(tensor), describe(wanted));
    const double share =
        dispatch(wanted.dtype(), [&]<class T>() { return distance<T>(wanted.as<T>(), tensor.as<T>()); });
    if (!(share <= limit))
      return fmt::format("output '{}' differs by {:.3g} of its largest magnitude", name, share);
  }
  return expected.size() == got.size() ? "" : "there are more outputs than there were";
}

double largestShare(const Values &a, const Values &b) {
  double largest = 0;
  for (const auto &[name, values] : a)
    largest = std::max(largest, dispatch(values.dtype(), [&]<class T>() {
                         return distance<T>(values.as<T>(), b.at(name).as<T>());
                       }));
  return largest;
}

} // namespace tilerig::meaning
