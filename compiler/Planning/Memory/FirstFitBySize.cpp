// First fit by size: places large buffers first, as they are hard to place; small buffers fit between them.
#include "compiler/Planning/Memory/Algorithms.h"
#include "compiler/Planning/Memory/Order.h"

namespace tilerig::compiler {

MemoryPlan firstFitBySize(const Bodies &bodies) {
  const auto order = byDescending(bodies, [](const Body &body) { return body.size; });
  return placeLowest(bodies, order).plan("first fit by size");
}

} // namespace tilerig::compiler
