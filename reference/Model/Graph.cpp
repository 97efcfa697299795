#include "reference/Model/Graph.h"

#include <fmt/core.h>

namespace tilerig::reference {

std::string placeOf(const Node &node) { return fmt::format("node '{}' ({})", node.name, node.op); }

std::string showDeclared(const DeclaredShape &shape) {
  std::string text;
  for (const auto &dim : shape)
    text += (text.empty() ? "" : ", ") + (dim ? std::to_string(*dim) : "?");
  return "[" + text + "]";
}

} // namespace tilerig::reference
