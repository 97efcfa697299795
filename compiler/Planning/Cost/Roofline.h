// Roofline model of a layer: bounds and an estimate of its cycles.
//
//   bound      max(multiplications / peak of all tiles, bytes / bandwidth of DDR); no execution takes less
//   parallel   everything overlaps: cycles of the busiest resource among the engines of the busiest tile,
//              DDR, its ports and the links
//   serial     nothing overlaps: sum over the primitives of the cycles that each takes alone
//   estimate   the same sum with a factor per primitive, fitted to measured programs (Factors.h); no less
//              than `parallel`
#pragma once

#include "compiler/Planning/Cost/Demand.h"

namespace tilerig::compiler {

struct Roofline {
  uint64_t bound = 0, parallel = 0, serial = 0, estimate = 0; // cycles
};

using Factors = std::array<double, numPrimitives>;
Roofline rooflineOf(const LayerDemand &demand, const Factors &factors);
// The roofline estimate with the factors of Factors.h, which were fitted to measurements.
Roofline rooflineOf(const LayerDemand &demand);

} // namespace tilerig::compiler
