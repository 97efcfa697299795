#include "compiler/Pipelines/NodeTypes.h"

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

} // namespace tilerig::compiler
