// What the compiler has decided about a layer, and why. What was fused follows from the layer's final form;
// the passes have recorded the reasons for its place, its precision, and what was not fused into it
// (Layer/IR/DecisionAttributes.h).
#pragma once

#include "compiler/Layer/Facts/Cards.h"

namespace tilerig::compiler {

struct Decision {
  std::string choice, reason;
};

std::vector<Decision> decisionsOf(const Card &card);

} // namespace tilerig::compiler
