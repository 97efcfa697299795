// What was decided about a layer, and why: read off the layer as it is, so it is true whichever pass did it.
#pragma once

#include "compiler/Listing/Cards.h"

namespace tilerig {

struct Decision {
  std::string what, reason;
};

std::vector<Decision> decisionsOf(const Card &card);

} // namespace tilerig
