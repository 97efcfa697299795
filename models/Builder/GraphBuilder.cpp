#include "models/Builder/GraphBuilder.h"

#include <cassert>

namespace tilerig::models {

namespace {

// The ONNX IR version for an opset: the oldest file format that every reader of this opset supports.
int formatOf(int opset) {
  if (opset <= 14)
    return 7;
  if (opset <= 18)
    return 8;
  return opset <= 20 ? 9 : 10;
}

onnx::TensorProto::DataType onnxTypeOf(DType type) {
  switch (type) {
  case DType::f32:
    return onnx::TensorProto::FLOAT;
  case DType::i64:
    return onnx::TensorProto::INT64;
  default:
    assert(!"networks of the zoo have float and int64 inputs and outputs only");
    return onnx::TensorProto::UNDEFINED;
  }
}

onnx::AttributeProto named(std::string_view name, onnx::AttributeProto::AttributeType type) {
  onnx::AttributeProto proto;
  proto.set_name(std::string(name));
  proto.set_type(type);
  return proto;
}

onnx::TypeProto::Tensor &describe(onnx::ValueInfoProto &info, const std::string &name, DType type) {
  info.set_name(name);
  auto &tensor = *info.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(onnxTypeOf(type));
  tensor.mutable_shape();
  return tensor;
}

} // namespace

onnx::AttributeProto attribute(std::string_view name, int64_t value) {
  onnx::AttributeProto proto = named(name, onnx::AttributeProto::INT);
  proto.set_i(value);
  return proto;
}
onnx::AttributeProto attribute(std::string_view name, float value) {
  onnx::AttributeProto proto = named(name, onnx::AttributeProto::FLOAT);
  proto.set_f(value);
  return proto;
}
onnx::AttributeProto attribute(std::string_view name, std::string_view value) {
  onnx::AttributeProto proto = named(name, onnx::AttributeProto::STRING);
  proto.set_s(std::string(value));
  return proto;
}
onnx::AttributeProto attribute(std::string_view name, const std::vector<int64_t> &values) {
  onnx::AttributeProto proto = named(name, onnx::AttributeProto::INTS);
  for (int64_t value : values)
    proto.add_ints(value);
  return proto;
}

GraphBuilder::GraphBuilder(std::string_view name, int opset)
    : graph(*network.model.mutable_graph()), version(opset) {
  network.model.set_ir_version(formatOf(opset));
  network.model.set_producer_name("tilerig zoo");
  network.model.add_opset_import()->set_version(opset);
  graph.set_name(std::string(name));
}

std::string GraphBuilder::nameOf(std::string_view local) const { return prefix + std::string(local); }

Value GraphBuilder::input(std::string_view name, DType type, Shape shape) {
  auto &tensor = describe(*graph.add_input(), std::string(name), type);
  for (int64_t size : shape)
    tensor.mutable_shape()->add_dim()->set_dim_value(size);
  return {std::string(name), std::move(shape)};
}

void GraphBuilder::output(const Value &value, DType type, std::span<const std::string_view> names) {
  auto &tensor = describe(*graph.add_output(), value.name, type);
  for (int64_t size : value.shape) {
    auto &dim = *tensor.mutable_shape()->add_dim();
    if (size >= 0) {
      dim.set_dim_value(size);
      continue;
    }
    assert(!names.empty());
    dim.set_dim_param(std::string(names.front()));
    names = names.subspan(1);
  }
}

std::vector<Value> GraphBuilder::nodeOf(std::string_view op, std::string_view name,
                                        std::span<const Value> inputs, std::vector<Value> outputs,
                                        std::span<const onnx::AttributeProto> attributes) {
  auto &proto = *graph.add_node();
  proto.set_op_type(std::string(op));
  proto.set_name(nameOf(name));
  for (const Value &value : inputs)
    proto.add_input(value.name);
  for (Value &value : outputs) {
    if (!value.name.empty())
      value.name = nameOf(value.name);
    proto.add_output(value.name);
  }
  for (const onnx::AttributeProto &attribute : attributes)
    *proto.add_attribute() = attribute;
  return outputs;
}

Value GraphBuilder::node(std::string_view op, std::string_view name, std::span<const Value> inputs,
                         Shape shape, std::span<const onnx::AttributeProto> attributes) {
  return nodeOf(op, name, inputs, {{std::string(name), std::move(shape)}}, attributes).front();
}

Value GraphBuilder::weight(std::string_view name, Shape shape, Filling filling, double rowSpread) {
  Value value{nameOf(name), std::move(shape)};
  network.weights.push_back({value.name, value.shape, filling, rowSpread});
  return value;
}

onnx::TensorProto &GraphBuilder::initialiser(std::string_view name, DType type, const Shape &shape) {
  auto &tensor = *graph.add_initializer();
  tensor.set_name(nameOf(name));
  tensor.set_data_type(onnxTypeOf(type));
  for (int64_t size : shape)
    tensor.add_dims(size);
  return tensor;
}

Value GraphBuilder::integers(std::string_view name, Shape shape, std::span<const int64_t> values) {
  auto &tensor = initialiser(name, DType::i64, shape);
  tensor.set_raw_data(values.data(), values.size_bytes());
  return {tensor.name(), std::move(shape)};
}

Value GraphBuilder::floats(std::string_view name, Shape shape, std::span<const float> values) {
  auto &tensor = initialiser(name, DType::f32, shape);
  tensor.set_raw_data(values.data(), values.size_bytes());
  return {tensor.name(), std::move(shape)};
}

Network GraphBuilder::finish() && { return std::move(network); }

} // namespace tilerig::models
