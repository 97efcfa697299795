// First fit by time: places buffers in the order in which their live ranges begin, as an online allocator
// would. Only buffers with fixed addresses are placed before all others.
#include "compiler/Planning/Memory/Algorithms.h"
#include "compiler/Planning/Memory/Order.h"

namespace tilerig::compiler {

MemoryPlan firstFitByTime(const Bodies &bodies) {
  // All bodies get the same sort key, because byDescending() sorts bodies with equal keys by the begin of
  // their live ranges.
  const auto order = byDescending(bodies, [](const Body &) { return 0; });
  return placeLowest(bodies, order).plan("first fit by time");
}

} // namespace tilerig::compiler
