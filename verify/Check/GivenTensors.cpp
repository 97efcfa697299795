#include "verify/Check/GivenTensors.h"

#include <map>

namespace tilerig::verify {

namespace {

using reference::Graph;
using reference::ValueId;
// Maps the name of each replaced value to the name of its replacement.
using Replacements = std::map<ValueId, ValueId>;

// Replaces values of the outer graph in the subgraphs of a node. Subgraphs read such values directly, so they
// are not among the node's inputs.
void readInGraphs(reference::Node &node, const Replacements &replacements) {
  for (auto &[name, attribute] : node.attributes)
    if (auto *inner = std::get_if<std::shared_ptr<const Graph>>(&attribute)) {
      auto copy = std::make_shared<Graph>(**inner);
      for (reference::OuterValue &value : copy->outerValues)
        if (const auto replacement = replacements.find(value.outer); replacement != replacements.end())
          value.outer = replacement->second;
      *inner = std::move(copy);
    }
}

} // namespace

Result<TensorMap> readGiven(Graph &graph, const TensorMap &substitutes) {
  TensorMap given;
  Replacements replacements;
  for (const reference::Node &node : graph.nodes)
    for (const ValueId output : node.outputs) {
      if (output == reference::absent)
        continue;
      reference::Value value = graph.values[static_cast<size_t>(output)];
      const Tensor *substitute = substitutes.find(value.name);
      if (!substitute)
        continue;
      value.name = "given:" + value.name;
      TILERIG_CHECK_OK(given.add(value.name, *substitute));
      replacements[output] = static_cast<ValueId>(graph.values.size());
      graph.inputs.push_back(replacements[output]);
      graph.values.push_back(std::move(value));
    }
  for (reference::Node &node : graph.nodes) {
    for (ValueId &input : node.inputs)
      if (const auto replacement = replacements.find(input); replacement != replacements.end())
        input = replacement->second;
    readInGraphs(node, replacements);
  }
  return given;
}

} // namespace tilerig::verify
