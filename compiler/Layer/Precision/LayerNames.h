// Names under which users can refer to a layer: its ONNX nodes and the tensors that these nodes compute.
#pragma once

#include <mlir/IR/Location.h>
#include <string>
#include <vector>

namespace tilerig::compiler {

struct LayerNames {
  std::vector<std::string> nodes, tensors;

  std::vector<std::string> all() const;
  // Name of the last ONNX node of the layer; empty if there is no node.
  std::string last() const { return nodes.empty() ? "" : nodes.back(); }
};

LayerNames namesOf(mlir::Location location);

} // namespace tilerig::compiler
