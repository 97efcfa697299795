#include "compiler/Graph/Import/Soundness.h"

#include <fmt/core.h>
#include <map>
#include <queue>
#include <set>
#include <unordered_map>

namespace tilerig::compiler {

namespace {

class GraphCheck {
public:
  GraphCheck(const OnnxFile &file, const GraphCheck *outer) : file(file), outer(outer) {}

  Status check(const onnx::GraphProto &graph) {
    TILERIG_CHECK_OK(checkInitialisers(graph));
    TILERIG_CHECK_OK(checkInputs(graph));
    TILERIG_CHECK_OK(collectOutputs(graph));
    TILERIG_TRY(const std::vector<int> order, executionOrder(file, graph));
    for (int index : order)
      TILERIG_CHECK_OK(checkNode(graph.node(index), index));
    for (const onnx::ValueInfoProto &info : graph.value_info())
      if (names.contains(info.name()))
        TILERIG_CHECK_OK(checkDeclared(info));
    return checkOutputs(graph);
  }

private:
  Status checkOutputs(const onnx::GraphProto &graph) const {
    if (!outer && graph.output_size() == 0)
      return refuse("the graph has no outputs", "declare the model's outputs");
    std::set<std::string> outputs;
    for (const onnx::ValueInfoProto &output : graph.output()) {
      if (!isKnown(output.name()))
        return refuse(fmt::format("output '{}' is not defined anywhere", output.name()));
      if (!outputs.insert(output.name()).second && !outer)
        return refuse(fmt::format("output '{}' is declared twice", output.name()));
      TILERIG_CHECK_OK(checkDeclared(output));
    }
    return success();
  }

  Error refuse(const std::string &problem, std::string remedy = {}) const {
    return invalidInput(file.path(), problem, std::move(remedy));
  }
  bool isKnown(const std::string &name) const {
    return names.contains(name) || (outer && outer->isKnown(name));
  }

  Status checkInitialisers(const onnx::GraphProto &graph) {
    for (const onnx::TensorProto &initialiser : graph.initializer()) {
      if (!names.insert(initialiser.name()).second)
        return refuse(fmt::format("initialiser '{}' is declared twice", initialiser.name()));
      TILERIG_CHECK_OK(file.tensor(initialiser, fmt::format("initialiser '{}'", initialiser.name())));
    }
    if (graph.sparse_initializer_size() > 0)
      return unsupported(file.path(), "sparse initialisers are not supported",
                         "store sparse initialisers as dense tensors");
    return success();
  }

  // Checks that no input has a duplicate name; an initialiser may also be listed as an input.
  Status checkInputs(const onnx::GraphProto &graph) {
    std::set<std::string> inputs;
    for (int i = 0; i < graph.input_size(); ++i) {
      const onnx::ValueInfoProto &input = graph.input(i);
      if (!outer && input.name().empty())
        return refuse(fmt::format("input {} has no name", i),
                      "give the input a name, or remove it if no node reads it");
      if (!outer && input.type().has_sequence_type())
        return unsupported(
            file.path(),
            fmt::format("input '{}' is a sequence, but inputs and outputs of a model must be tensors",
                        input.name()));
      if (!outer && !input.type().has_tensor_type() &&
          input.type().value_case() != onnx::TypeProto::VALUE_NOT_SET)
        return unsupported(file.path(), fmt::format("input '{}' is not a tensor", input.name()));
      const int number = input.type().tensor_type().elem_type();
      if (!outer && number != 0 && !dtypeOfOnnx(number))
        return unsupported(file.path(), fmt::format("input '{}' has element type {}, which is not supported",
                                                    input.name(), number));
      TILERIG_CHECK_OK(checkDeclared(input));
      if (!inputs.insert(input.name()).second)
        return refuse(fmt::format("input '{}' is declared twice", input.name()));
      names.insert(input.name());
    }
    return success();
  }

  Status checkDeclared(const onnx::ValueInfoProto &info) const {
    if (!dtypeOfOnnx(info.type().tensor_type().elem_type()))
      return success();
    for (const auto &dimension : info.type().tensor_type().shape().dim())
      if (dimension.has_dim_value() && dimension.dim_value() < 0)
        return refuse(
            fmt::format("value '{}' is declared with the dimension {}", info.name(), dimension.dim_value()),
            "leave an unknown dimension without a value, or give it a name");
    return success();
  }

  Status collectOutputs(const onnx::GraphProto &graph) {
    for (const onnx::NodeProto &node : graph.node())
      for (const std::string &output : node.output())
        if (!output.empty() && !names.insert(output).second)
          return refuse(fmt::format("value '{}' is defined twice, once as output of a {} node", output,
                                    node.op_type()));
    return success();
  }

  Status checkNode(const onnx::NodeProto &node, int index) const {
    const std::string place = fmt::format(
        "node '{}' ({})", node.name().empty() ? fmt::format("{}#{}", node.op_type(), index) : node.name(),
        node.op_type());
    if (!file.opset(node.domain()))
      return refuse(
          fmt::format("{}: the model imports no operator set for domain '{}'", place, node.domain()),
          "add the domain to the model's opset_import");
    for (const std::string &input : node.input())
      if (!input.empty() && !isKnown(input))
        return refuse(fmt::format("{}: reads '{}', which is not defined anywhere", place, input));
    std::set<std::string> attributes;
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      TILERIG_CHECK_OK(checkAttribute(attribute, place));
      if (!attributes.insert(attribute.name()).second)
        return refuse(fmt::format("{}: attribute '{}' is given twice", place, attribute.name()));
    }
    return success();
  }

  Status checkAttribute(const onnx::AttributeProto &attribute, const std::string &place) const {
    using Proto = onnx::AttributeProto;
    switch (attribute.type()) {
    case Proto::INT:
    case Proto::FLOAT:
    case Proto::STRING:
    case Proto::INTS:
    case Proto::FLOATS:
    case Proto::STRINGS:
      return success();
    case Proto::TENSOR:
      TILERIG_CHECK_OK(
          file.tensor(attribute.t(), fmt::format("{}: attribute '{}'", place, attribute.name())));
      return success();
    case Proto::GRAPH:
      return GraphCheck(file, this).check(attribute.g());
    default:
      return unsupported(file.path(),
                         fmt::format("{}: attribute '{}' has a type that is not supported ({})", place,
                                     attribute.name(), static_cast<int>(attribute.type())));
    }
  }

  const OnnxFile &file;
  const GraphCheck *outer;
  std::set<std::string> names;
};

// Collects all names that a node reads, including those read by its subgraphs.
void addReads(const onnx::NodeProto &node, std::vector<std::string_view> &reads) {
  reads.insert(reads.end(), node.input().begin(), node.input().end());
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    for (const onnx::NodeProto &inner : attribute.g().node())
      addReads(inner, reads);
    for (const onnx::ValueInfoProto &output : attribute.g().output())
      reads.push_back(output.name());
  }
}

} // namespace

Status checkSoundness(const OnnxFile &file) { return GraphCheck(file, nullptr).check(file.model().graph()); }

Result<std::vector<int>> executionOrder(const OnnxFile &file, const onnx::GraphProto &graph) {
  std::unordered_map<std::string_view, int> makers;
  for (int i = 0; i < graph.node_size(); ++i)
    for (const std::string &output : graph.node(i).output())
      if (!output.empty())
        makers.emplace(output, i);
  std::vector<std::vector<int>> readers(graph.node_size());
  std::vector<int> waitsFor(graph.node_size(), 0);
  for (int i = 0; i < graph.node_size(); ++i) {
    std::vector<std::string_view> reads;
    addReads(graph.node(i), reads);
    for (std::string_view name : reads)
      if (const auto maker = makers.find(name); maker != makers.end()) {
        readers[maker->second].push_back(i);
        ++waitsFor[i];
      }
  }
  // Queue of the nodes whose inputs are all known; the next node is always the one that is first in the file.
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int i = 0; i < graph.node_size(); ++i)
    if (waitsFor[i] == 0)
      ready.push(i);
  std::vector<int> order;
  for (; !ready.empty();) {
    const int next = ready.top();
    ready.pop();
    order.push_back(next);
    for (int reader : readers[next])
      if (--waitsFor[reader] == 0)
        ready.push(reader);
  }
  for (int i = 0; i < graph.node_size(); ++i)
    if (waitsFor[i] > 0)
      return invalidInput(file.path(),
                          fmt::format("node '{}' ({}) is part of a cycle: it depends on its own output",
                                      graph.node(i).name(), graph.node(i).op_type()));
  return order;
}

} // namespace tilerig::compiler
