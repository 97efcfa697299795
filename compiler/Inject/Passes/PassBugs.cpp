#include "compiler/Inject/Passes/PassBugs.h"

#include <algorithm>

namespace tilerig::compiler {

const PassBug *findPassBug(std::string_view id) {
  for (const std::span<const PassBug> bugs : {foldingBugs(), orderBugs(), fusionBugs(), precisionBugs()})
    if (const auto bug = std::ranges::find(bugs, id, &PassBug::id); bug != bugs.end())
      return &*bug;
  return nullptr;
}

} // namespace tilerig::compiler
