#include "reference/Tools/Names.h"

#include "isa/Base/Support/Nearest.h"
#include "isa/Base/Tensor/TensorMap.h"

#include <fmt/core.h>

namespace tilerig::reference {

std::vector<std::string> namesOf(const Graph &graph, std::span<const ValueId> ids) {
  std::vector<std::string> names;
  for (ValueId id : ids)
    names.push_back(graph.values[static_cast<size_t>(id)].name);
  return names;
}

std::string suggestName(const std::string &wrong, const std::vector<std::string> &names) {
  if (names.empty())
    return "the model has no other names to choose from";
  std::vector<std::string_view> views(names.begin(), names.end());
  std::string_view nearest = nearestName(wrong, views);
  return nearest.empty() ? "the names are " + showNames(names) : fmt::format("did you mean '{}'?", nearest);
}

} // namespace tilerig::reference
