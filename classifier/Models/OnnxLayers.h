// Writes the layers of a classifier as nodes of an ONNX graph with a batch of one. Batch normalisations are
// folded into the preceding convolutions, and layers that only matter in training are left out. Uses
// operators that the compiler can put on the accelerator.
#pragma once

#include "classifier/Models/Layers.h"
#include "isa/Base/Tensor/TensorMap.h"
#include "models/Builder/GraphBuilder.h"

#include <vector>

namespace tilerig::classifier {

class OnnxLayers : public Layers {
public:
  OnnxLayers(models::GraphBuilder &graph, const TensorMap &parameters)
      : graph(graph), parameters(parameters) {}

  const models::Value &operator[](const Value &value) const { return values[value.index]; }
  // Success, or an error that names the first missing parameter of a layer.
  Status status() const;

  Value input(Input which) override;
  Value learned(const std::string &name, Shape shape) override;
  Value standardise(const Value &x, const std::string &name) override;
  Value conv(const Value &x, const std::string &name, const Conv &conv) override;
  Value linear(const Value &x, const std::string &name, int64_t outputs) override;
  Value layerNorm(const Value &x, const std::string &name) override;
  Value lstm(const Value &x, const std::string &name, int64_t hidden) override;
  Value relu(const Value &x) override;
  Value add(const Value &x, const Value &y) override;
  Value scale(const Value &x, float factor) override;
  Value softmax(const Value &x) override;
  Value matmul(const Value &x, const Value &y) override;
  Value averagePool(const Value &x, int64_t height, int64_t width) override;
  Value meanOfRows(const Value &x) override;
  Value reshape(const Value &x, Shape shape) override;
  Value transpose(const Value &x, std::span<const int64_t> axes) override;
  Value concat(std::span<const Value> parts) override;
  Value dropout(const Value &x, double share) override;

private:
  using Attributes = std::initializer_list<onnx::AttributeProto>;
  // Adds a node. Its name is its operator and the number of earlier nodes with that operator.
  Value node(std::string_view op, std::initializer_list<models::Value> inputs, Shape shape,
             Attributes attributes = {});
  Value keep(models::Value value);
  std::vector<float> floatsOf(const std::string &name);
  models::Value weight(const std::string &name, Shape shape);
  Shape withRow(Shape shape) const;

  models::GraphBuilder &graph;
  const TensorMap &parameters;
  std::vector<models::Value> values;
  std::vector<std::pair<Input, Value>> inputs; // inputs of the network that were already added to the graph
  std::string missing;
};

} // namespace tilerig::classifier
