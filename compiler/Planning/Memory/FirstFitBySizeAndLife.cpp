// First fit by area, which is size times lifetime: a small buffer that lives long obstructs as much as a
// large one that lives for a short time.
#include "compiler/Planning/Memory/Algorithms.h"
#include "compiler/Planning/Memory/Order.h"

namespace tilerig::compiler {

MemoryPlan firstFitBySizeAndLife(const Bodies &bodies) {
  // The product of size and lifetime is computed in double, because it may exceed 64 bits.
  const auto order = byDescending(bodies, [](const Body &body) {
    return static_cast<double>(body.size) * (static_cast<double>(body.to) - body.from + 1);
  });
  return placeLowest(bodies, order).plan("first fit by size and life");
}

} // namespace tilerig::compiler
