// A builder of ONNX graphs: adds nodes one by one and keeps track of shapes. Layers.h builds whole layers
// with it.
//
// A value has the name of the node that makes it; a node's name is prefixed by the surrounding scopes:
// "layer1.0.conv1". Duplicate names are detected when the model is loaded; the tests load every network.
#pragma once

#include "models/Builder/Network.h"

#include <span>
#include <string_view>

namespace tilerig::models {

// A tensor of the graph: the output of a node, an input or an initialiser.
struct Value {
  std::string name;
  Shape shape;
};

// An attribute of a node; the ONNX type follows from the C++ type of the value.
onnx::AttributeProto attribute(std::string_view name, int64_t value);
onnx::AttributeProto attribute(std::string_view name, float value);
onnx::AttributeProto attribute(std::string_view name, std::string_view value);
onnx::AttributeProto attribute(std::string_view name, const std::vector<int64_t> &values);

class GraphBuilder {
public:
  GraphBuilder(std::string_view name, int opset);
  GraphBuilder(const GraphBuilder &) = delete;
  GraphBuilder &operator=(const GraphBuilder &) = delete;

  int opset() const { return version; }

  Value input(std::string_view name, DType type, Shape shape);
  // Declares an output. A dimension of -1 is known only at run time; each such dimension is declared by a
  // name, taken from `names` in order.
  void output(const Value &value, DType type = DType::f32, std::span<const std::string_view> names = {});

  // Adds a node with one output, which has the same name as the node.
  Value node(std::string_view op, std::string_view name, std::span<const Value> inputs, Shape shape,
             std::span<const onnx::AttributeProto> attributes = {});
  Value node(std::string_view op, std::string_view name, std::initializer_list<Value> inputs, Shape shape,
             std::initializer_list<onnx::AttributeProto> attributes = {}) {
    return node(op, name, std::span(inputs.begin(), inputs.size()), std::move(shape),
                std::span(attributes.begin(), attributes.size()));
  }
  // Adds a node with several outputs; an output whose name is empty is omitted.
  std::vector<Value> nodeOf(std::string_view op, std::string_view name, std::span<const Value> inputs,
                            std::vector<Value> outputs, std::span<const onnx::AttributeProto> attributes);

  // Adds the recipe (WeightRecipe) of an initialiser whose values are drawn later (Weights/Fill.h).
  Value weight(std::string_view name, Shape shape, Filling filling, double rowSpread = 0);
  // Adds an initialiser with the given values.
  Value integers(std::string_view name, Shape shape, std::span<const int64_t> values);
  Value integers(std::string_view name, std::initializer_list<int64_t> values) {
    return integers(name, {static_cast<int64_t>(values.size())}, std::span(values.begin(), values.size()));
  }
  Value floats(std::string_view name, Shape shape, std::span<const float> values);
  Value scalar(std::string_view name, float value) { return floats(name, {}, std::span(&value, 1)); }

  void countMacs(int64_t macs) { network.macs += macs; }
  // Marks the normalisation `name` (without the scopes' prefix) as a scaffold: it exists only for the
  // calibration and is folded afterwards.
  void markScaffold(std::string_view name) { network.scaffolds.insert(nameOf(name)); }
  void markMeasured(const Value &weight) { network.measurements.insert(weight.name); }

  // Returns the finished network. The builder cannot be used afterwards.
  Network finish() &&;

private:
  friend class Scope;
  std::string nameOf(std::string_view local) const;
  onnx::TensorProto &initialiser(std::string_view name, DType type, const Shape &shape);

  Network network;
  onnx::GraphProto &graph;
  int version;
  std::string prefix;
};

// A scope for names. While the object lives, its name is part of the prefix: "layer1" and "0" make
// "layer1.0.".
class Scope {
public:
  Scope(GraphBuilder &builder, std::string_view name) : builder(builder), before(builder.prefix) {
    builder.prefix += std::string(name) + ".";
  }
  Scope(GraphBuilder &builder, int64_t index) : Scope(builder, std::to_string(index)) {}
  ~Scope() { builder.prefix = before; }
  Scope(const Scope &) = delete;
  Scope &operator=(const Scope &) = delete;

private:
  GraphBuilder &builder;
  std::string before;
};

} // namespace tilerig::models
