// Access to the weights of an ONNX graph by name.
#pragma once

#include <onnx/onnx_pb.h>
#include <span>
#include <string>
#include <unordered_map>

namespace tilerig::models {

class Weights {
public:
  explicit Weights(onnx::GraphProto &graph) {
    for (onnx::TensorProto &tensor : *graph.mutable_initializer())
      tensors.emplace(tensor.name(), &tensor);
  }

  bool contains(const std::string &name) const { return tensors.contains(name); }
  onnx::TensorProto &proto(const std::string &name) const { return *tensors.at(name); }
  // The elements of a float32 tensor, writable in place.
  std::span<float> floats(const std::string &name) const {
    std::string &bytes = *tensors.at(name)->mutable_raw_data();
    return {reinterpret_cast<float *>(bytes.data()), bytes.size() / sizeof(float)};
  }

private:
  std::unordered_map<std::string, onnx::TensorProto *> tensors;
};

} // namespace tilerig::models
