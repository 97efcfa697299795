// Attributes of a node of a model.
#pragma once

#include "reference/Model/Graph.h"

#include <string_view>
#include <variant>

namespace tilerig::verify {

// The value of an attribute; `usual` if the node has none of this name and type.
template <class T>
T attributeOf(const reference::Node &node, std::string_view name, T usual) {
  const auto entry = node.attributes.find(name);
  const T *value = entry == node.attributes.end() ? nullptr : std::get_if<T>(&entry->second);
  return value ? *value : usual;
}

} // namespace tilerig::verify
