// Injects faults into constants of models written by the compiler, as if the compiler had handled a constant
// wrongly.
#pragma once

#include "tests/support/OnnxModel.h"

#include <algorithm>
#include <stdexcept>

namespace tilerig::verify::test {

using ChangeConstant = void (*)(Tensor &constant);

template <class T>
void add(Tensor &tensor, T value) {
  for (T &x : tensor.mutableAs<T>())
    x = static_cast<T>(x + value);
}

// The name of the constant from which the tensor `name` is converted by a Cast, or `name` if there is no
// Cast.
inline std::string constantOf(const onnx::GraphProto &graph, std::string name) {
  for (const onnx::NodeProto &node : graph.node())
    if (node.output(0) == name && node.op_type() == "Cast")
      return node.input(0);
  return name;
}

// Takes the middle one of all nodes with operator `op` that have an input with the number `input`, and
// changes the constant at this input. Returns the name of the node's output tensor.
inline std::string changeConstant(onnx::ModelProto &model, const std::string &op, int input,
                                  ChangeConstant change) {
  onnx::GraphProto &graph = *model.mutable_graph();
  std::vector<const onnx::NodeProto *> nodes;
  for (const onnx::NodeProto &node : graph.node())
    if (node.op_type() == op && node.input_size() > input)
      nodes.push_back(&node);
  const onnx::NodeProto &node = *nodes.at(nodes.size() / 2);
  const std::string constant = constantOf(graph, node.input(input));
  for (onnx::TensorProto &initialiser : *graph.mutable_initializer())
    if (initialiser.name() == constant) {
      Tensor tensor = *Tensor::make(*dtypeOfOnnx(initialiser.data_type()),
                                    Shape(initialiser.dims().begin(), initialiser.dims().end()));
      std::ranges::copy(std::as_bytes(std::span(initialiser.raw_data())), tensor.mutableBytes().begin());
      change(tensor);
      initialiser.clear_dims();
      tilerig::test::describe(tensor, initialiser);
      return node.output(0);
    }
  throw std::runtime_error(op + " has no such constant");
}

} // namespace tilerig::verify::test
