// Lookup of built-in machines. The build generates a source with the descriptions from the JSON files.

#include "isa/Machine/BuiltIn.h"

#include <algorithm>

namespace tilerig {

const BuiltInMachine *findBuiltIn(std::string_view name) {
  if (name == "m1k")
    name = "tr64";
  auto machines = builtInDescriptions();
  auto machine = std::ranges::find(machines, name, &BuiltInMachine::name);
  return machine == machines.end() ? nullptr : &*machine;
}

} // namespace tilerig
