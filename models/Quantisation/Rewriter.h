// The rewriter behind quantise(): copies a graph node by node and replaces nodes by quantised ones.
#pragma once

#include "models/Builder/GraphBuilder.h"
#include "models/Quantisation/Parameters.h"
#include "models/Quantisation/Quantise.h"

#include <map>

namespace tilerig::models {

// A product to be quantised (convolution or matrix product): y = x * weights + bias.
struct Product {
  const onnx::NodeProto *node = nullptr;
  std::string input, output;
  QuantisedWeights weights;
  size_t axis = 0; // axis of the weights; each index along this axis has its own scale
  std::optional<Tensor> bias;
  bool isConv = false, isTransposed = false;
};

class Rewriter {
public:
  Rewriter(const onnx::ModelProto &from, const Observations &observations, const QuantiseOptions &options);

  Result<onnx::ModelProto> rewrite();

private:
  Result<std::optional<Product>> productOf(const onnx::NodeProto &node) const;
  Result<std::optional<Tensor>> constant(const std::string &name) const;
  bool isObservedFloat(const std::string &name) const;
  // The activation node (Relu or Clip) that is the only reader of a value, or null.
  const onnx::NodeProto *onlyActivation(const std::string &value) const;

  using Attributes = std::vector<onnx::AttributeProto>;
  std::string add(const std::string &op, const std::vector<std::string> &inputs, const std::string &output,
                  DType type, const Shape &shape, const Attributes &attributes = {});
  std::string initialiser(const std::string &name, const Tensor &tensor);
  std::string scaleOf(const std::string &value);
  std::string zeroPointOf(const std::string &value);
  // quantised() returns the name of a tensor that holds `value` of the float model as integers. dequantised()
  // returns the name of a tensor that holds these integers converted back to floats. The first call for a
  // value adds the nodes that compute the tensor.
  std::string quantised(const std::string &value);
  std::string dequantised(const std::string &value);
  Attributes attributesOf(const onnx::NodeProto &node) const;

  void writeQdq(const Product &product);
  void writeQdqOperands(const onnx::NodeProto &node);
  void writeQLinearConv(const Product &product);
  void writeQLinearMatMul(const Product &product);
  void writeMatMulInteger(const Product &product);
  void writeDynamic(const Product &product);
  void write(const Product &product);
  void dropUnread();

  const onnx::ModelProto &from;
  const Observations &observations;
  const QuantiseOptions options;
  onnx::ModelProto to;
  std::map<std::string, const onnx::TensorProto *> constants;
  std::map<std::string, std::vector<const onnx::NodeProto *>> readers;
  std::map<std::string, std::string> quantisedNames, dequantisedNames;
  std::set<const onnx::NodeProto *> fused; // nodes that are fused into the node before them
  std::set<std::string> written;
};

} // namespace tilerig::models
