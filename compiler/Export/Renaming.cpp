#include "compiler/Export/Renaming.h"

namespace tilerig::compiler {

void Renaming::rename(std::string &name) {
  const auto [entry, isNew] = names.try_emplace(name);
  if (isNew)
    entry->second = writer.freshName(base + "." + name);
  name = entry->second;
}

void Renaming::renameIn(onnx::NodeProto &node) {
  for (std::string &input : *node.mutable_input())
    rename(input);
  for (std::string &output : *node.mutable_output())
    rename(output);
  for (onnx::AttributeProto &attribute : *node.mutable_attribute())
    if (attribute.has_g())
      renameIn(*attribute.mutable_g());
}

void Renaming::renameIn(onnx::GraphProto &graph) {
  for (onnx::NodeProto &node : *graph.mutable_node())
    renameIn(node);
  for (auto *const infos : {graph.mutable_input(), graph.mutable_output(), graph.mutable_value_info()})
    for (onnx::ValueInfoProto &info : *infos)
      rename(*info.mutable_name());
  for (onnx::TensorProto &initialiser : *graph.mutable_initializer())
    rename(*initialiser.mutable_name());
}

} // namespace tilerig::compiler
