#include "compiler/Pipelines/NodeTypes.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::compiler {

NodeTypes nodeTypesOf(const OnnxFile &file) {
  NodeTypes types;
  const onnx::GraphProto &graph = file.model().graph();
  for (int i = 0; i < graph.node_size(); ++i) {
    const onnx::NodeProto &node = graph.node(i);
    types[node.name().empty() ? fmt::format("{}#{}", node.op_type(), i) : node.name()] = node.op_type();
  }
  return types;
}

void nameOperators(const NodeTypes &types, DeviceNetwork &network) {
  for (NetworkLayer &layer : network.layers)
    for (const std::string &node : layer.onnxNodes)
      if (const auto type = types.find(node); type != types.end())
        layer.onnxOps.push_back(type->second);
}

} // namespace tilerig::compiler
