#include "tests/support/OnnxModel.h"

namespace tilerig::test {

void describe(const Tensor &tensor, onnx::TensorProto &proto) {
  proto.set_data_type(onnxNumber(tensor.dtype()));
  for (int64_t dim : tensor.shape())
    proto.add_dims(dim);
  proto.set_raw_data(tensor.bytes().data(), tensor.sizeBytes());
}

void OnnxGraph::input(const std::string &name, DType type, const Shape &shape) {
  onnx::ValueInfoProto &info = *graph.add_input();
  info.set_name(name);
  auto &declared = *info.mutable_type()->mutable_tensor_type();
  declared.set_elem_type(onnxNumber(type));
  declared.mutable_shape();
  for (int64_t dim : shape)
    declared.mutable_shape()->add_dim()->set_dim_value(dim);
}

void OnnxGraph::initialiser(const std::string &name, const Tensor &tensor) {
  onnx::TensorProto &proto = *graph.add_initializer();
  proto.set_name(name);
  describe(tensor, proto);
}

onnx::NodeProto &OnnxGraph::node(const std::string &op, const Names &inputs, const Names &outputs) {
  onnx::NodeProto &node = *graph.add_node();
  node.set_op_type(op);
  if (!outputs.empty())
    node.set_name("make_" + outputs[0]);
  for (const std::string &name : inputs)
    node.add_input(name);
  for (const std::string &name : outputs)
    node.add_output(name);
  return node;
}

OnnxModel::OnnxModel(int opset) : OnnxModel(std::make_unique<onnx::ModelProto>()) {
  model->set_ir_version(8);
  model->add_opset_import()->set_version(opset);
  graph.set_name("test");
}

OnnxModel::OnnxModel(std::unique_ptr<onnx::ModelProto> proto)
    : OnnxGraph(*proto->mutable_graph()), model(std::move(proto)) {}

static onnx::AttributeProto &add(onnx::NodeProto &node, const std::string &name,
                                 onnx::AttributeProto::AttributeType type) {
  onnx::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  return attribute;
}

void setInt(onnx::NodeProto &node, const std::string &name, int64_t value) {
  add(node, name, onnx::AttributeProto::INT).set_i(value);
}
void setFloat(onnx::NodeProto &node, const std::string &name, float value) {
  add(node, name, onnx::AttributeProto::FLOAT).set_f(value);
}
void setText(onnx::NodeProto &node, const std::string &name, const std::string &value) {
  add(node, name, onnx::AttributeProto::STRING).set_s(value);
}
void setInts(onnx::NodeProto &node, const std::string &name, const std::vector<int64_t> &values) {
  onnx::AttributeProto &attribute = add(node, name, onnx::AttributeProto::INTS);
  for (int64_t value : values)
    attribute.add_ints(value);
}
void setTensor(onnx::NodeProto &node, const std::string &name, const Tensor &tensor) {
  describe(tensor, *add(node, name, onnx::AttributeProto::TENSOR).mutable_t());
}
onnx::GraphProto &addGraph(onnx::NodeProto &node, const std::string &name) {
  return *add(node, name, onnx::AttributeProto::GRAPH).mutable_g();
}

} // namespace tilerig::test
