#include "reference/Model/Functions.h"

#include <algorithm>
#include <fmt/core.h>
#include <map>
#include <onnx/onnx_pb.h>
#include <string>
#include <unordered_map>
#include <vector>

namespace tilerig::reference {

namespace {

using FunctionKey = std::pair<std::string, std::string>; // domain and name
using Functions = std::map<FunctionKey, const onnx::FunctionProto *>;
using Names = std::unordered_map<std::string, std::string>;

// Limits on the inlining of functions: real models nest function calls and subgraphs, but not so deeply and
// not into so many nodes.
constexpr int maxDepth = 64;
constexpr int maxNodes = 1 << 20;
constexpr size_t maxBytes = size_t{1} << 30; // limit in bytes of all nodes that inlining copies

class Expander {
public:
  Expander(const Functions &functions, const std::string &place) : functions(functions), place(place) {}

  Status expand(onnx::GraphProto &graph, int depth) {
    google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
    nodes.Swap(graph.mutable_node());
    for (onnx::NodeProto &node : nodes)
      TILERIG_CHECK_OK(add(std::move(node), graph, depth));
    return success();
  }

private:
  Status add(onnx::NodeProto &&node, onnx::GraphProto &graph, int depth) {
    if (depth > maxDepth)
      return invalidInput(place, fmt::format("node '{}' ({}) is nested in more than {} function calls "
                                             "and subgraphs",
                                             node.name(), node.op_type(), maxDepth));
    if (++numNodes > maxNodes)
      return invalidInput(place,
                          fmt::format("the model has more than {} nodes after inlining functions", maxNodes));
    for (onnx::AttributeProto &attribute : *node.mutable_attribute())
      if (attribute.has_g())
        TILERIG_CHECK_OK(expand(*attribute.mutable_g(), depth + 1));
    auto entry = functions.find({node.domain(), node.op_type()});
    if (entry == functions.end()) {
      *graph.add_node() = std::move(node);
      return success();
    }
    return call(*entry->second, node, graph, depth);
  }

  Status call(const onnx::FunctionProto &function, const onnx::NodeProto &node, onnx::GraphProto &graph,
              int depth) {
    if (node.input_size() > function.input_size() || node.output_size() > function.output_size())
      return invalidInput(place, fmt::format("node '{}' has more inputs or outputs than its function '{}'",
                                             node.name(), function.name()));
    if (std::ranges::find(callers, &function) != callers.end())
      return invalidInput(place, fmt::format("function '{}' calls itself", function.name()));
    callers.push_back(&function);
    Names names = {{"", ""}};
    for (int i = 0; i < function.input_size(); ++i)
      names[function.input(i)] = i < node.input_size() ? node.input(i) : "";
    for (int i = 0; i < function.output_size(); ++i)
      if (i < node.output_size() && !node.output(i).empty())
        names[function.output(i)] = node.output(i);
    std::string prefix =
        fmt::format("{}#{}/", node.name().empty() ? function.name() : node.name(), ++numCalls);
    for (onnx::NodeProto inner : function.node()) {
      if ((copiedBytes += inner.ByteSizeLong()) > maxBytes)
        return invalidInput(
            place, fmt::format("inlining function '{}' makes the model larger than 1 GiB", function.name()));
      rename(inner, names, prefix);
      bindAttributes(inner, node, function);
      TILERIG_CHECK_OK(add(std::move(inner), graph, depth + 1));
    }
    callers.pop_back();
    return success();
  }

  static const std::string &nameOf(const std::string &name, Names &names, const std::string &prefix) {
    return names.try_emplace(name, prefix + name).first->second;
  }

  static void rename(onnx::NodeProto &node, Names &names, const std::string &prefix) {
    node.set_name(prefix + node.name());
    for (std::string &name : *node.mutable_input())
      name = nameOf(name, names, prefix);
    for (std::string &name : *node.mutable_output())
      name = nameOf(name, names, prefix);
    for (onnx::AttributeProto &attribute : *node.mutable_attribute())
      if (attribute.has_g())
        renameGraph(*attribute.mutable_g(), names, prefix);
  }

  static void renameGraph(onnx::GraphProto &graph, Names &names, const std::string &prefix) {
    for (onnx::ValueInfoProto &value : *graph.mutable_input())
      value.set_name(nameOf(value.name(), names, prefix));
    for (onnx::TensorProto &tensor : *graph.mutable_initializer())
      tensor.set_name(nameOf(tensor.name(), names, prefix));
    for (onnx::NodeProto &node : *graph.mutable_node())
      rename(node, names, prefix);
    for (onnx::ValueInfoProto &value : *graph.mutable_output())
      value.set_name(nameOf(value.name(), names, prefix));
  }

  // Replaces attributes that refer to an attribute of the inlined function by the value that the calling node
  // gives to this attribute.
  static void bindAttributes(onnx::NodeProto &node, const onnx::NodeProto &caller,
                             const onnx::FunctionProto &function) {
    google::protobuf::RepeatedPtrField<onnx::AttributeProto> attributes;
    attributes.Swap(node.mutable_attribute());
    for (onnx::AttributeProto &attribute : attributes) {
      if (attribute.ref_attr_name().empty()) {
        if (attribute.has_g())
          for (onnx::NodeProto &inner : *attribute.mutable_g()->mutable_node())
            bindAttributes(inner, caller, function);
        *node.add_attribute() = std::move(attribute);
        continue;
      }
      if (const onnx::AttributeProto *value = findAttribute(caller, attribute.ref_attr_name())) {
        onnx::AttributeProto *bound = node.add_attribute();
        *bound = *value;
        bound->set_name(attribute.name());
      }
    }
  }

  static const onnx::AttributeProto *findAttribute(const onnx::NodeProto &node, const std::string &name) {
    for (const onnx::AttributeProto &attribute : node.attribute())
      if (attribute.name() == name)
        return &attribute;
    return nullptr;
  }

  const Functions &functions;
  const std::string &place;
  std::vector<const onnx::FunctionProto *> callers; // outermost first
  int numNodes = 0, numCalls = 0;
  size_t copiedBytes = 0;
};

} // namespace

Status expandFunctions(onnx::ModelProto &model, const std::string &place) {
  if (model.functions().empty())
    return success();
  Functions functions;
  for (const onnx::FunctionProto &function : model.functions()) {
    functions[{function.domain(), function.name()}] = &function;
    // The operator sets that the functions import are added to the model, since it contains their nodes now.
    for (const onnx::OperatorSetIdProto &import : function.opset_import()) {
      bool known = false;
      for (const onnx::OperatorSetIdProto &other : model.opset_import())
        known |= other.domain() == import.domain();
      if (!known)
        *model.add_opset_import() = import;
    }
  }
  return Expander(functions, place).expand(*model.mutable_graph(), 0);
}

} // namespace tilerig::reference
