#include "compiler/Graph/Import/Functions.h"

#include <algorithm>
#include <fmt/core.h>
#include <map>
#include <vector>

namespace tilerig::compiler {

namespace {

// Limits on inlining: deeper or larger expansions do not occur in real models.
constexpr int mostDepth = 64;
constexpr int64_t mostInlined = 1 << 17;
constexpr size_t mostBytes = size_t{1} << 30;

using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

// A function call: maps the function's names and attributes to those of the caller.
struct Call {
  const onnx::NodeProto &node;
  std::string prefix;
  std::map<std::string, std::string> names = {{"", ""}};

  // Replaces the name of a parameter of the function by the caller's name, and a local name by one that is
  // unique in the model.
  void rename(std::string &name) { name = names.try_emplace(name, prefix + name).first->second; }

  void bind(onnx::NodeProto &inner) {
    inner.set_name(prefix + inner.name());
    for (std::string &name : *inner.mutable_input())
      rename(name);
    for (std::string &name : *inner.mutable_output())
      rename(name);
    bindAttributes(inner);
    for (onnx::AttributeProto &attribute : *inner.mutable_attribute())
      if (attribute.has_g())
        bind(*attribute.mutable_g());
  }

  void bind(onnx::GraphProto &graph) {
    for (onnx::ValueInfoProto &input : *graph.mutable_input())
      rename(*input.mutable_name());
    for (onnx::TensorProto &initialiser : *graph.mutable_initializer())
      rename(*initialiser.mutable_name());
    for (onnx::NodeProto &inner : *graph.mutable_node())
      bind(inner);
    for (auto *infos : {graph.mutable_value_info(), graph.mutable_output()})
      for (onnx::ValueInfoProto &info : *infos)
        rename(*info.mutable_name());
  }

  // Replaces a reference to an attribute of the function by the attribute of the call, or removes it if the
  // call has none.
  void bindAttributes(onnx::NodeProto &inner) const {
    google::protobuf::RepeatedPtrField<onnx::AttributeProto> bound;
    for (const onnx::AttributeProto &attribute : inner.attribute()) {
      const std::string &reference = attribute.ref_attr_name();
      const auto argument = std::ranges::find(node.attribute(), reference, &onnx::AttributeProto::name);
      if (!reference.empty() && argument == node.attribute().end())
        continue;
      onnx::AttributeProto &value = *bound.Add() = reference.empty() ? attribute : *argument;
      value.set_name(attribute.name());
    }
    inner.mutable_attribute()->Swap(&bound);
  }
};

class Unfolding {
public:
  Unfolding(const onnx::ModelProto &model, const std::string &place) : place(place) {
    for (const onnx::FunctionProto &function : model.functions())
      functions[{function.domain(), function.name()}] = &function;
  }

  Status unfold(Nodes &nodes, int depth) {
    Nodes before;
    before.Swap(&nodes);
    for (onnx::NodeProto &node : before)
      TILERIG_CHECK_OK(add(std::move(node), nodes, depth));
    return success();
  }

private:
  Status add(onnx::NodeProto &&node, Nodes &nodes, int depth) {
    if (depth > mostDepth)
      return invalidInput(place, fmt::format("node '{}' ({}) is nested in more than {} function calls "
                                             "and subgraphs",
                                             node.name(), node.op_type(), mostDepth));
    if (++numNodes > mostInlined)
      return invalidInput(
          place, fmt::format("the model has more than {} nodes after inlining functions", mostInlined));
    for (onnx::AttributeProto &attribute : *node.mutable_attribute())
      if (attribute.has_g())
        TILERIG_CHECK_OK(unfold(*attribute.mutable_g()->mutable_node(), depth + 1));
    const auto function = functions.find({node.domain(), node.op_type()});
    if (function != functions.end())
      return call(*function->second, node, nodes, depth);
    *nodes.Add() = std::move(node);
    return success();
  }

  Status call(const onnx::FunctionProto &function, const onnx::NodeProto &node, Nodes &nodes, int depth) {
    if (node.input_size() > function.input_size() || node.output_size() > function.output_size())
      return invalidInput(place, fmt::format("node '{}' has more inputs or outputs than its function '{}'",
                                             node.name(), function.name()));
    if (std::ranges::find(callers, &function) != callers.end())
      return invalidInput(place, fmt::format("function '{}' calls itself", function.name()));
    callers.push_back(&function);
    Call call{node, fmt::format("{}#{}/", node.name().empty() ? function.name() : node.name(), ++numCalls)};
    for (int i = 0; i < function.input_size(); ++i)
      call.names[function.input(i)] = i < node.input_size() ? node.input(i) : "";
    for (int i = 0; i < node.output_size(); ++i)
      if (!node.output(i).empty())
        call.names[function.output(i)] = node.output(i);
    for (onnx::NodeProto inner : function.node()) {
      if ((numBytes += inner.ByteSizeLong()) > mostBytes)
        return invalidInput(
            place, fmt::format("function '{}', inlined, makes the model larger than 1 GiB", function.name()));
      call.bind(inner);
      TILERIG_CHECK_OK(add(std::move(inner), nodes, depth + 1));
    }
    callers.pop_back();
    return success();
  }

  std::map<std::pair<std::string, std::string>, const onnx::FunctionProto *> functions;
  const std::string &place;
  // Functions that are being inlined, outermost first.
  std::vector<const onnx::FunctionProto *> callers;
  int64_t numNodes = 0, numCalls = 0;
  size_t numBytes = 0;
};

// Adds the function's operator sets to the model; a different version of a set that the model has is refused.
Status joinOpsets(onnx::ModelProto &model, const onnx::FunctionProto &function, const std::string &place) {
  for (const onnx::OperatorSetIdProto &import : function.opset_import()) {
    const auto known =
        std::ranges::find(model.opset_import(), import.domain(), &onnx::OperatorSetIdProto::domain);
    if (known == model.opset_import().end())
      *model.add_opset_import() = import;
    else if (known->version() != import.version())
      return unsupported(place,
                         fmt::format("function '{}' imports version {} of operator set domain '{}', but the "
                                     "model imports version {}",
                                     function.name(), import.version(), import.domain(), known->version()));
  }
  return success();
}

} // namespace

Status unfoldFunctions(onnx::ModelProto &model, const std::string &place) {
  if (model.functions().empty())
    return success();
  for (const onnx::FunctionProto &function : model.functions())
    TILERIG_CHECK_OK(joinOpsets(model, function, place));
  return Unfolding(model, place).unfold(*model.mutable_graph()->mutable_node(), 0);
}

} // namespace tilerig::compiler
