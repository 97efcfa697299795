// What an allocator would do that meets the buffers as the program runs, except that it knows what was fixed.
#include "compiler/Memory/Algorithms.h"
#include "compiler/Memory/Order.h"

namespace tilerig {

MemoryPlan firstFitByTime(const Bodies &bodies) {
  const auto order = byDescending(bodies, [](const Body &) { return 0; }); // so they come as they begin
  return placeLowest(bodies, order).plan("first fit by time");
}

} // namespace tilerig
