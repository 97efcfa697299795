#include "isa/Base/Tensor/TensorMap.h"

#include <algorithm>
#include <fmt/format.h>

namespace tilerig {

std::string showNames(std::span<const std::string> names) {
  constexpr size_t shown = 8;
  if (names.empty())
    return "none";
  std::string text = fmt::format("'{}'", fmt::join(names.first(std::min(shown, names.size())), "', '"));
  if (names.size() > shown)
    text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

Status TensorMap::add(std::string name, Tensor tensor) {
  if (!indices.try_emplace(name, entries.size()).second)
    return invalidInput("", fmt::format("there are two tensors named '{}'", name));
  entries.push_back({std::move(name), std::move(tensor)});
  return success();
}

const Tensor *TensorMap::find(std::string_view name) const {
  auto match = indices.find(name);
  return match == indices.end() ? nullptr : &entries[match->second].tensor;
}

Tensor *TensorMap::find(std::string_view name) {
  return const_cast<Tensor *>(std::as_const(*this).find(name));
}

Result<const Tensor *> TensorMap::get(std::string_view name) const {
  if (const Tensor *tensor = find(name))
    return tensor;
  std::vector<std::string> names;
  for (const NamedTensor &entry : entries)
    names.push_back(entry.name);
  return invalidInput("", fmt::format("there is no tensor named '{}'", name),
                      "available tensors: " + showNames(names));
}

} // namespace tilerig
