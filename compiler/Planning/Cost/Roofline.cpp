#include "compiler/Planning/Cost/Roofline.h"

#include "compiler/Planning/Cost/Factors.h"

#include <algorithm>
#include <cmath>

namespace tilerig::compiler {

Roofline rooflineOf(const LayerDemand &demand, const Factors &factors) {
  Roofline roofline;
  roofline.bound = std::max(demand.peakCycles, demand.ddrCycles);
  roofline.parallel =
      std::max({roofline.bound, demand.portCycles, demand.linkCycles, std::ranges::max(demand.engineCycles)});
  double sum = 0;
  for (size_t i = 0; i < numPrimitives; ++i) {
    roofline.serial += demand.primitives[i].cycles;
    sum += factors[i] * static_cast<double>(demand.primitives[i].cycles);
  }
  roofline.estimate = std::max(roofline.parallel, static_cast<uint64_t>(std::llround(sum)));
  return roofline;
}

Roofline rooflineOf(const LayerDemand &demand) { return rooflineOf(demand, calibratedFactors); }

} // namespace tilerig::compiler
