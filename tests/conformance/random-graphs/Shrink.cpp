#include "tests/conformance/random-graphs/Shrink.h"

#include "tests/support/OnnxModel.h"

#include <set>

namespace tilerig::meaning {

namespace {

bool isFloat(const Tensor &tensor) { return tensor.dtype() == DType::f32 || tensor.dtype() == DType::f64; }

void declare(onnx::ValueInfoProto &info, const std::string &name, const Tensor &like) {
  info.set_name(name);
  onnx::TypeProto::Tensor &type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnxNumber(like.dtype()));
  type.mutable_shape();
  for (int64_t size : like.shape())
    type.mutable_shape()->add_dim()->set_dim_value(size);
}

template <class List, class Condition>
void keepIf(List &list, Condition condition) {
  List kept;
  for (auto &item : list)
    if (condition(item))
      *kept.Add() = item;
  list.Swap(&kept);
}

// Removes nodes, constants and inputs that no output depends on. Nodes are in topological order.
void dropUnused(Trial &trial) {
  onnx::GraphProto &graph = *trial.model.mutable_graph();
  std::set<std::string> needed;
  for (const onnx::ValueInfoProto &output : graph.output())
    needed.insert(output.name());
  std::set<const onnx::NodeProto *> live;
  for (int i = graph.node_size(); i-- > 0;) {
    const onnx::NodeProto &node = graph.node(i);
    bool isNeeded = false;
    for (const std::string &output : node.output())
      isNeeded |= needed.contains(output);
    if (isNeeded) {
      live.insert(&node);
      needed.insert(node.input().begin(), node.input().end());
    }
  }
  keepIf(*graph.mutable_node(), [&](const onnx::NodeProto &node) { return live.contains(&node); });
  const auto isRead = [&](const auto &item) { return needed.contains(item.name()); };
  keepIf(*graph.mutable_initializer(), isRead);
  keepIf(*graph.mutable_input(), isRead);
  graph.clear_value_info();
  std::erase_if(trial.inputs, [&](const auto &input) { return !needed.contains(input.first); });
}

Trial withOutput(Trial trial, const std::string &name, const Tensor &value) {
  trial.model.mutable_graph()->clear_output();
  declare(*trial.model.mutable_graph()->add_output(), name, value);
  dropUnused(trial);
  return trial;
}

// Removes the node and provides its results from outside: floats as model inputs, other types (mainly shapes)
// as constants with the given values.
Trial withoutNode(Trial trial, int index, const Values &values) {
  onnx::GraphProto &graph = *trial.model.mutable_graph();
  const onnx::NodeProto node = graph.node(index);
  graph.mutable_node()->DeleteSubrange(index, 1);
  for (const std::string &name : node.output()) {
    const auto value = values.find(name);
    if (value == values.end())
      continue;
    if (isFloat(value->second) && node.op_type() != "Constant") {
      declare(*graph.add_input(), name, value->second);
      trial.inputs[name] = value->second;
    } else {
      onnx::TensorProto &constant = *graph.add_initializer();
      constant.set_name(name);
      test::describe(value->second, constant);
    }
  }
  dropUnused(trial);
  return trial;
}

bool isOutput(const onnx::GraphProto &graph, const onnx::NodeProto &node) {
  for (const onnx::ValueInfoProto &output : graph.output())
    for (const std::string &name : node.output())
      if (output.name() == name)
        return true;
  return false;
}

} // namespace

Trial shrink(Trial trial, const std::function<bool(const Trial &)> &shows) {
  // The values of all tensors that the model computes. Inputs and constants that replace removed nodes get
  // these values, so the types must be those that the model declares.
  const auto values = runAsWritten(trial);
  if (!values)
    return trial;
  const auto tryOutputs = [&] {
    for (const onnx::NodeProto &node : trial.model.graph().node())
      for (const std::string &name : node.output())
        if (const auto value = values->find(name); value != values->end())
          if (Trial smaller = withOutput(trial, name, value->second); shows(smaller))
            return smaller;
    return trial;
  };
  trial = tryOutputs();
  for (int i = trial.model.graph().node_size(); i-- > 0;) {
    if (i >= trial.model.graph().node_size() || isOutput(trial.model.graph(), trial.model.graph().node(i)))
      continue;
    if (Trial smaller = withoutNode(trial, i, *values); shows(smaller))
      trial = std::move(smaller);
  }
  return trial;
}

} // namespace tilerig::meaning
