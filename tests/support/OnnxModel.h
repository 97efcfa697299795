// Builder of small ONNX models for tests. It checks nothing, so invalid models can be built, too.
//
//   OnnxModel model;
//   model.input("x", DType::f32, {1, 4});
//   model.node("Relu", {"x"}, {"y"});
//   model.output("y");
//   parseModel(asBytes(model.bytes()), ...)
#pragma once

#include "isa/Base/Tensor/Tensor.h"

#include <onnx/onnx_pb.h>
#include <string>
#include <string_view>
#include <vector>

namespace tilerig::test {

using Names = std::vector<std::string>;

// A graph under construction: the graph of a model, or of an attribute of a node.
class OnnxGraph {
public:
  explicit OnnxGraph(onnx::GraphProto &proto) : graph(proto) {}

  void input(const std::string &name, DType type, const Shape &shape);
  void initialiser(const std::string &name, const Tensor &tensor);
  // Adds a node, named after its first output, and returns it so that attributes can be set.
  onnx::NodeProto &node(const std::string &op, const Names &inputs, const Names &outputs);
  // Declares an output without a type.
  void output(const std::string &name) { graph.add_output()->set_name(name); }

  onnx::GraphProto &graph;
};

class OnnxModel : public OnnxGraph {
public:
  explicit OnnxModel(int opset = 21);
  OnnxModel(const OnnxModel &) = delete;

  onnx::ModelProto &proto() { return *model; }
  std::string bytes() const { return model->SerializeAsString(); }

private:
  explicit OnnxModel(std::unique_ptr<onnx::ModelProto> proto);
  std::unique_ptr<onnx::ModelProto> model;
};

// Fills `proto` with the type, shape and data of the tensor; the name in `proto` is left unchanged.
void describe(const Tensor &tensor, onnx::TensorProto &proto);

void setInt(onnx::NodeProto &node, const std::string &name, int64_t value);
void setFloat(onnx::NodeProto &node, const std::string &name, float value);
void setText(onnx::NodeProto &node, const std::string &name, const std::string &value);
void setInts(onnx::NodeProto &node, const std::string &name, const std::vector<int64_t> &values);
void setTensor(onnx::NodeProto &node, const std::string &name, const Tensor &tensor);
onnx::GraphProto &addGraph(onnx::NodeProto &node, const std::string &name);

} // namespace tilerig::test
