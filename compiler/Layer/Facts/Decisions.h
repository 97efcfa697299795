// What the compiler has decided about a layer, and why. Decisions and reasons are derived from the layer's
// final form, whichever pass made the decision.
#pragma once

#include "compiler/Layer/Facts/Cards.h"

namespace tilerig::compiler {

struct Decision {
  std::string choice, reason;
};

std::vector<Decision> decisionsOf(const Card &card);

} // namespace tilerig::compiler
