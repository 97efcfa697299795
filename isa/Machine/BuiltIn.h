// The built-in machines, whose JSON descriptions are part of the library.
#pragma once

#include <span>
#include <string_view>

namespace tilerig {

struct BuiltInMachine {
  std::string_view name;
  std::string_view description; // JSON text that describes the machine
};

std::span<const BuiltInMachine> builtInDescriptions();
// The built-in machine of that name; null if there is none. `m1k`, the name of the machine of 64 tiles in
// published documents, is accepted as an alias of `tr64`; programs carry `tr64`.
const BuiltInMachine *findBuiltIn(std::string_view name);

} // namespace tilerig
