// The machines that are part of the library.
#pragma once

#include <span>
#include <string_view>

namespace tilerig {

struct BuiltInMachine {
  std::string_view name;
  std::string_view description; // JSON, as its file in this folder
};

std::span<const BuiltInMachine> builtInDescriptions();
// Null where there is none of that name.
const BuiltInMachine *findBuiltIn(std::string_view name);

} // namespace tilerig
