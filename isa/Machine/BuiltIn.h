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
// Null where there is none of that name. The name `m1k`, by which published documents call the machine of 64
// tiles, is another one of `tr64`; programs carry the latter.
const BuiltInMachine *findBuiltIn(std::string_view name);

} // namespace tilerig
