// First fit by pressure. The step with the most live bytes decides the peak. So the buffers that are live at
// that step are placed first, without gaps, then those of the step with the next most live bytes, and so on.
// After "greedy by breadth" in Pisarchyk and Lee, Efficient Memory Management for Deep Neural Net Inference
// (2020), which visits operators in that order.
#include "compiler/Planning/Memory/Algorithms.h"
#include "compiler/Planning/Memory/Order.h"

namespace tilerig::compiler {

// For each body (buffer with all its parts), the largest number of live bytes, of all buffers, at any step of
// the body's lifetime.
static std::vector<uint64_t> pressures(const Bodies &bodies) {
  const std::vector<MemoryStretch> stretches = bytesAlive(bodies.problem);
  std::vector<uint64_t> result;
  for (const Body &body : bodies.bodies) {
    uint64_t most = 0;
    for (auto stretch = std::ranges::lower_bound(stretches, body.from, {}, &MemoryStretch::from);
         stretch != stretches.end() && stretch->from <= body.to; ++stretch)
      most = std::max(most, stretch->bytes);
    result.push_back(most);
  }
  return result;
}

MemoryPlan firstFitByPressure(const Bodies &bodies) {
  const std::vector<uint64_t> most = pressures(bodies);
  const auto order = byDescending(bodies, [&](const Body &body) {
    return std::pair(most[static_cast<size_t>(&body - bodies.bodies.data())], body.size);
  });
  return placeLowest(bodies, order).plan("first fit by pressure");
}

} // namespace tilerig::compiler
