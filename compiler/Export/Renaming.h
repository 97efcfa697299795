// Renames the tensors of ONNX nodes that become part of another graph.
#pragma once

#include "compiler/Export/NodeWriter.h"

#include <map>

namespace tilerig::compiler {

// Maps names of tensors to names in the graph that is being written. A name that the map lacks is the name of
// an inner tensor, and gets a fresh name.
class Renaming {
public:
  // `base` is the beginning of fresh names. `names` are the names that are known already.
  Renaming(ModelWriter &writer, std::string base, std::map<std::string, std::string> names)
      : writer(writer), base(std::move(base)), names(std::move(names)) {
    this->names[""] = ""; // an optional operand that is absent
  }

  // Renames what a node reads and computes, and all tensors of its subgraphs.
  void renameIn(onnx::NodeProto &node);
  void renameIn(onnx::GraphProto &graph);

private:
  void rename(std::string &name);

  ModelWriter &writer;
  std::string base;
  std::map<std::string, std::string> names;
};

} // namespace tilerig::compiler
