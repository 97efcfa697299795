#include "verify/Check/TensorSources.h"

namespace tilerig::verify {

namespace {

// The names that a node reads, itself and in its graphs. Names of an inner graph's own values do no harm: no
// other value of a model has them.
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
  // By any value of the graph, those of `names` that it is, or else is made from. Nodes stand in an order in
  // which they can run.
  TensorSources from, sources;
  auto isOneOf = [&](const std::string &name) { return names.contains(name); };
  for (const onnx::ValueInfoProto &input : graph.input())
    if (isOneOf(input.name()))
      from[input.name()] = {input.name()};
  for (const onnx::NodeProto &node : graph.node()) {
    std::set<std::string> reads, made;
    addReads(node, reads);
    for (const std::string &name : reads)
      if (const auto found = from.find(name); found != from.end())
        made.insert(found->second.begin(), found->second.end());
    for (const std::string &output : node.output()) {
      if (isOneOf(output))
        sources[output] = made;
      from[output] = isOneOf(output) ? std::set<std::string>{output} : made;
    }
  }
  return sources;
}

} // namespace tilerig::verify
