#include "models/Quantisation/Observe.h"

#include "models/Weights/Random.h"
#include "reference/Model/Load.h"
#include "reference/Run/Interpreter.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace tilerig::models {

namespace {

Tensor drawInput(DType type, const Shape &shape, const RandomStream &stream) {
  Tensor tensor(type, shape);
  dispatch(type, [&]<class T>() {
    int64_t index = 0;
    if constexpr (std::is_floating_point_v<T>) {
      for (T &element : tensor.mutableAs<T>())
        element = static_cast<T>(stream.uniform(index++));
    } else if constexpr (std::is_integral_v<T>) {
      for (T &element : tensor.mutableAs<T>())
        element = static_cast<T>(stream.bits(index++) & 1);
    }
  });
  return tensor;
}

Result<reference::NamedTensors> drawInputs(const reference::Model &model, uint64_t seed) {
  reference::NamedTensors inputs;
  for (reference::ValueId id : model.graph.inputs) {
    const reference::Value &value = model.graph.values[static_cast<size_t>(id)];
    if (!value.declared || !value.declared->shape)
      return unsupported(value.name, "this input of the model has no shape");
    Shape shape;
    for (const auto &size : *value.declared->shape) {
      if (!size)
        return unsupported(value.name, "this input of the model has no fixed shape");
      shape.push_back(*size);
    }
    inputs.emplace(value.name, drawInput(value.declared->type, shape, RandomStream(seed, value.name)));
  }
  return inputs;
}

Status note(const std::string &name, const Tensor &value, Observations &observations) {
  Observed &observed = observations[name];
  observed.type = value.dtype();
  observed.shape = value.shape();
  if (value.dtype() != DType::f32)
    return success();
  for (float element : value.as<float>()) {
    if (!std::isfinite(element))
      return invalidInput(fmt::format("value '{}'", name),
                          "some elements are NaN or infinite, so the tensor has no range");
    observed.low = std::min(observed.low, element);
    observed.high = std::max(observed.high, element);
  }
  return success();
}

} // namespace

Result<Observations> observe(const onnx::ModelProto &model, unsigned samples, reference::Threads &threads) {
  const std::string bytes = model.SerializeAsString();
  TILERIG_TRY(reference::Model loaded, reference::parseModel(std::as_bytes(std::span(bytes)), "model", ""));
  Observations observations;
  reference::RunOptions options;
  options.capture = [&](const std::string &name, const Tensor &value) {
    return note(name, value, observations);
  };
  TILERIG_TRY(const auto interpreter, reference::Interpreter::create(std::move(loaded), options, threads));
  for (unsigned i = 0; i < samples; ++i) {
    TILERIG_TRY(const reference::NamedTensors inputs, drawInputs(interpreter.model(), i + 1));
    for (const auto &[name, value] : inputs)
      TILERIG_CHECK_OK(note(name, value, observations));
    TILERIG_TRY(const reference::NamedTensors outputs, interpreter.run(inputs));
    for (const auto &[name, value] : outputs)
      TILERIG_CHECK_OK(note(name, value, observations));
  }
  return observations;
}

} // namespace tilerig::models
