#include "tests/unit/Models/NetworkCheck.h"

#include "models/Weights/Pictures.h"
#include "models/Weights/Random.h"
#include "reference/Model/Load.h"

#include <cmath>
#include <gtest/gtest.h>
#include <set>

namespace tilerig::models {

namespace {

Shape declaredShape(const onnx::ValueInfoProto &info) {
  Shape shape;
  for (const auto &dim : info.type().tensor_type().shape().dim())
    shape.push_back(dim.has_dim_param() ? -1 : dim.dim_value());
  return shape;
}

Tensor asFloats(const Tensor &doubles) {
  Tensor floats(DType::f32, doubles.shape());
  std::ranges::copy(doubles.as<double>(), floats.mutableAs<float>().begin());
  return floats;
}

// Random integers from 0 to limit - 1. They serve as indices of words, or, with a limit of 2, as segment ids
// and masks.
Tensor numbersBelow(int64_t limit, const Shape &shape, const RandomStream &stream) {
  Tensor numbers(DType::i64, shape);
  int64_t index = 0;
  for (int64_t &number : numbers.mutableAs<int64_t>())
    number = static_cast<int64_t>(stream.bits(index++) % static_cast<uint64_t>(limit));
  return numbers;
}

// The number of values that an input of integers can have.
int64_t indicesOf(const std::string &name) {
  if (name == "token_type_ids")
    return 2;
  return name == "words" || name == "input_ids" ? 5000 : name == "position" ? 32 : 1000;
}

Tensor bells(const Shape &shape, const RandomStream &stream) {
  Tensor tensor(DType::f32, shape);
  int64_t index = 0;
  for (float &element : tensor.mutableAs<float>())
    element = static_cast<float>(stream.bell(index++));
  return tensor;
}

double extreme(const Tensor &tensor) {
  double most = 0;
  for (float value : tensor.as<float>())
    most = std::isfinite(value) ? std::max<double>(most, std::abs(value)) : INFINITY;
  return most;
}

// Operators whose outputs are the activations of a layer, so that their magnitudes are checked. Outputs of
// other operators are probabilities, masks, positions or intermediate values.
bool carriesSignal(const std::string &op) {
  static const std::set<std::string> ops = {"BatchNormalization",
                                            "Clip",
                                            "Concat",
                                            "Conv",
                                            "Flatten",
                                            "Gather",
                                            "Gemm",
                                            "GlobalAveragePool",
                                            "LRN",
                                            "LSTM",
                                            "LayerNormalization",
                                            "MatMul",
                                            "MaxPool",
                                            "Relu"};
  return ops.contains(op);
}

void expectShape(const Tensor &tensor, const onnx::ValueInfoProto &declared) {
  Shape wanted = declaredShape(declared);
  ASSERT_EQ(tensor.rank(), wanted.size()) << declared.name();
  for (size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i] >= 0) {
      EXPECT_EQ(tensor.shape()[i], wanted[i]) << declared.name() << ", dimension " << i;
    }
}

// Runs the network and checks the magnitudes of its layers' activations.
reference::NamedTensors runChecked(const onnx::ModelProto &model, uint64_t seed,
                                   reference::Threads &threads) {
  std::map<std::string, std::string> makers;
  for (const onnx::NodeProto &node : model.graph().node())
    makers[node.output(0)] = node.op_type();
  size_t seen = 0;
  reference::RunOptions options;
  options.capture = [&](const std::string &name, const Tensor &value) -> Status {
    if (value.dtype() != DType::f32 || !carriesSignal(makers[name]))
      return success();
    ++seen;
    double deviation = deviationOf(value);
    EXPECT_GE(deviation, 0.05) << name << " (" << makers[name] << ") vanishes";
    EXPECT_LE(deviation, 20) << name << " (" << makers[name] << ") explodes";
    EXPECT_LE(extreme(value), 1000) << name << " (" << makers[name] << ") has outliers";
    return success();
  };
  auto loaded = reloaded(model);
  EXPECT_TRUE(loaded) << loaded.error().message();
  if (!loaded)
    return {};
  auto interpreter = reference::Interpreter::create(*std::move(loaded), options, threads);
  EXPECT_TRUE(interpreter) << interpreter.error().message();
  if (!interpreter)
    return {};
  auto outputs = interpreter->run(inputsOf(model, seed));
  EXPECT_TRUE(outputs) << outputs.error().message();
  EXPECT_GE(seen, 3u);
  return outputs ? *std::move(outputs) : reference::NamedTensors{};
}

} // namespace

Result<reference::Model> reloaded(const onnx::ModelProto &model) {
  std::string bytes = model.SerializeAsString();
  return reference::parseModel(std::as_bytes(std::span(bytes)), "model", "");
}

reference::NamedTensors inputsOf(const onnx::ModelProto &model, uint64_t seed) {
  reference::NamedTensors inputs;
  for (const onnx::ValueInfoProto &info : model.graph().input()) {
    Shape shape = declaredShape(info);
    const std::string &name = info.name();
    if (name == "image" && shape.size() == 5) {
      inputs[name] = asFloats(clips(shape[0], shape[2], shape[3], seed));
    } else if (name == "image") {
      // Two input images: a structured picture and one of plain noise.
      Tensor all = asFloats(pictures(shape[0], shape[2], seed));
      inputs[name] = all;
    } else if (name == "attention_mask") {
      Tensor ones(DType::i64, shape);
      std::ranges::fill(ones.mutableAs<int64_t>().first(ones.elementCount() - 5), 1);
      inputs[name] = ones;
    } else if (info.type().tensor_type().elem_type() == onnx::TensorProto::FLOAT) {
      inputs[name] = bells(shape, RandomStream(seed, name));
    } else {
      inputs[name] = numbersBelow(indicesOf(name), shape, RandomStream(seed, name));
    }
  }
  return inputs;
}

double deviationOf(const Tensor &tensor) {
  auto values = tensor.as<float>();
  double mean = 0, squares = 0, count = static_cast<double>(values.size());
  for (double value : values)
    mean += value / count;
  for (double value : values)
    squares += (value - mean) * (value - mean) / count;
  return std::sqrt(squares);
}

void checkNetwork(const CatalogueEntry &entry, const ZooOptions &options) {
  reference::Threads threads;
  auto model = makeNetwork(entry, options, threads);
  ASSERT_TRUE(model) << model.error().message();
  auto first = runChecked(*model, 101, threads), second = runChecked(*model, 102, threads);
  ASSERT_EQ(first.size(), static_cast<size_t>(model->graph().output_size()));
  for (const onnx::ValueInfoProto &info : model->graph().output()) {
    const Tensor &one = first.at(info.name()), &other = second.at(info.name());
    expectShape(one, info);
    if (one.dtype() != DType::f32)
      continue;
    EXPECT_TRUE(std::isfinite(extreme(one)));
    Tensor difference(DType::f32, one.shape());
    auto out = difference.mutableAs<float>();
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = one.as<float>()[i] - other.as<float>()[i];
    EXPECT_GE(deviationOf(difference), 0.1 * deviationOf(one))
        << info.name() << " hardly depends on the input";
  }
}

} // namespace tilerig::models
