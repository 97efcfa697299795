#include "verify/Check/TensorSources.h"

namespace tilerig::verify {

namespace {

// Collects the names of the values that a node reads, also in its subgraphs. The names of values inside a
// subgraph are collected as well, which is harmless because names are unique in a model.
void addReads(const onnx::NodeProto &node, std::set<std::string> &reads) {
  reads.insert(node.input().begin(), node.input().end());
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    for (const onnx::NodeProto &inner : attribute.g().node())
      addReads(inner, reads);
    for (const onnx::GraphProto &graph : attribute.graphs())
      for (const onnx::NodeProto &inner : graph.node())
        addReads(inner, reads);
    for (const onnx::ValueInfoProto &output : attribute.g().output())
      reads.insert(output.name());
  }
}

} // namespace

TensorSources sourcesOf(const onnx::GraphProto &graph, const std::set<std::string> &names) {
  // For each value of the graph, `from` has the named tensors from which it is computed directly; for a named
  // tensor, this is the tensor itself. Nodes are visited in topological order.
  TensorSources from, sources;
  auto isOneOf = [&](const std::string &name) { return names.contains(name); };
  for (const onnx::ValueInfoProto &input : graph.input())
    if (isOneOf(input.name()))
      from[input.name()] = {input.name()};
  for (const onnx::NodeProto &node : graph.node()) {
    std::set<std::string> reads, origins;
    addReads(node, reads);
    for (const std::string &name : reads)
      if (const auto entry = from.find(name); entry != from.end())
        origins.insert(entry->second.begin(), entry->second.end());
    for (const std::string &output : node.output()) {
      if (isOneOf(output))
        sources[output] = origins;
      from[output] = isOneOf(output) ? std::set<std::string>{output} : origins;
    }
  }
  return sources;
}

} // namespace tilerig::verify
