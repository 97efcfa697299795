#include "compiler/Cost/Roofline.h"

#include "compiler/Cost/Factors.h"

#include <algorithm>
#include <cmath>

namespace tilerig::compiler {

Roofline rooflineOf(const LayerDemand &demand, const Factors &factors) {
  Roofline it;
  it.bound = std::max(demand.peakCycles, demand.ddrCycles);
  it.parallel =
      std::max({it.bound, demand.portCycles, demand.linkCycles, std::ranges::max(demand.engineCycles)});
  double sum = 0;
  for (size_t i = 0; i < numPrimitives; ++i) {
    it.serial += demand.primitives[i].cycles;
    sum += factors[i] * static_cast<double>(demand.primitives[i].cycles);
  }
  it.estimate = std::max(it.parallel, static_cast<uint64_t>(std::llround(sum)));
  return it;
}

Roofline rooflineOf(const LayerDemand &demand) { return rooflineOf(demand, calibratedFactors); }

} // namespace tilerig::compiler
