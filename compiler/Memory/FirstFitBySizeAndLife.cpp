// A small buffer that lives long is as much in the way as a large one that does not: by area.
#include "compiler/Memory/Algorithms.h"
#include "compiler/Memory/Order.h"

namespace tilerig {

MemoryPlan firstFitBySizeAndLife(const Bodies &bodies) {
  // In double, for a product of the two need not fit into 64 bits.
  const auto order = byDescending(bodies, [](const Body &it) {
    return static_cast<double>(it.size) * (static_cast<double>(it.to) - it.from + 1);
  });
  return placeLowest(bodies, order).plan("first fit by size and life");
}

} // namespace tilerig
