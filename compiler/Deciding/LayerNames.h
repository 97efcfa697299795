// The names that a layer goes by: those of the ONNX nodes it came from, and of the tensors that they gave.
#pragma once

#include <mlir/IR/Location.h>
#include <string>
#include <vector>

namespace tilerig {

struct LayerNames {
  std::vector<std::string> nodes, tensors;

  std::vector<std::string> all() const;
  // Of the last node; empty where there is none.
  std::string last() const { return nodes.empty() ? "" : nodes.back(); }
};

LayerNames namesOf(mlir::Location location);

} // namespace tilerig
