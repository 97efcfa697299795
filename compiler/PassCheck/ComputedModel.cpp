#include "compiler/PassCheck/ComputedModel.h"

#include "compiler/PassCheck/Segment.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace tilerig::compiler {

namespace {

// Index of a graph's nodes by the tensors that they compute.
class Producers {
public:
  explicit Producers(const onnx::GraphProto &graph) : graph(graph) {
    for (int i = 0; i < graph.node_size(); ++i)
      for (const std::string &output : graph.node(i).output())
        numbers[output] = i;
  }

  // All nodes on which a tensor depends, directly or through other nodes, in the order of the graph.
  Nodes computing(const std::string &tensor) const {
    std::set<int> members;
    std::vector<std::string> waiting = {tensor};
    while (!waiting.empty()) {
      const auto number = numbers.find(waiting.back());
      waiting.pop_back();
      if (number == numbers.end() || !members.insert(number->second).second)
        continue;
      const onnx::NodeProto &node = graph.node(number->second);
      waiting.insert(waiting.end(), node.input().begin(), node.input().end());
    }
    Nodes nodes;
    for (const int number : members)
      nodes.push_back(&graph.node(number));
    return nodes;
  }

private:
  const onnx::GraphProto &graph;
  std::map<std::string, int> numbers;
};

bool isNarrowType(DType type) { return type == DType::f16 || type == DType::bf16; }

} // namespace

ComputedModel::ComputedModel(const onnx::ModelProto &model, size_t results)
    : constants(hashConstants(model.graph())) {
  const Producers producers(model.graph());
  for (size_t i = 0; i < results; ++i)
    expressions.push_back(producers.computing(Segment::resultName(i)));
}

std::pair<double, std::string> ComputedModel::boundOf(size_t result, const NumberErrors &numbers) const {
  const BoundedErrors bounds = boundErrors(expressions[result], magnitudes, numbers);
  const auto error = bounds.errors.find(Segment::resultName(result));
  if (error == bounds.errors.end())
    return {0, ""};
  const auto unknownAt = bounds.unknownAt.find(Segment::resultName(result));
  return {error->second, unknownAt == bounds.unknownAt.end() ? "" : unknownAt->second};
}

bool ComputedModel::isFinite(size_t result, bool isNarrow) const {
  const auto hasOnlyFinite = [&](const std::string &name) {
    const auto entry = magnitudes.find(name);
    return entry == magnitudes.end() || entry->second.isFinite ||
           (isNarrow && !isNarrowType(entry->second.type));
  };
  return std::ranges::all_of(expressions[result], [&](const onnx::NodeProto *node) {
    return std::ranges::all_of(node->input(), hasOnlyFinite) &&
           std::ranges::all_of(node->output(), hasOnlyFinite);
  });
}

} // namespace tilerig::compiler
