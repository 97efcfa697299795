// What the compiler has decided about a layer, and why. The layer itself shows what was fused into it. For
// its place (accelerator or host), for its precision, and for what was not fused, the passes have recorded
// reasons as attributes (Layer/IR/DecisionAttributes.h).
#pragma once

#include "compiler/Layer/Facts/Cards.h"

namespace tilerig::compiler {

struct Decision {
  std::string choice, reason;
};

std::vector<Decision> decisionsOf(const Card &card);

} // namespace tilerig::compiler
