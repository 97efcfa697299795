// Decisions about a layer and their reasons, derived from the layer's final form, so they hold whichever pass
// decided.
#pragma once

#include "compiler/Listing/Cards.h"

namespace tilerig::compiler {

struct Decision {
  std::string what, reason;
};

std::vector<Decision> decisionsOf(const Card &card);

} // namespace tilerig::compiler
