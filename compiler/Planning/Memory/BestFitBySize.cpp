// Best fit by size: large buffers first, each into the smallest gap that is large enough; above all placed
// buffers only if there is no such gap. "Greedy by size for offset calculation" of Pisarchyk and Lee,
// Efficient Memory Management for Deep Neural Net Inference (2020), as in TensorFlow Lite.
#include "compiler/Planning/Memory/Algorithms.h"
#include "compiler/Planning/Memory/Order.h"

namespace tilerig::compiler {

MemoryPlan bestFitBySize(const Bodies &bodies) {
  Placement placement(bodies);
  for (const size_t body : byDescending(bodies, [](const Body &candidate) { return candidate.size; }))
    placement.put(body, placement.tightestFit(body));
  return placement.plan("best fit by size");
}

} // namespace tilerig::compiler
