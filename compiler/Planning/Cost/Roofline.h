// Roofline model of a layer: bounds and an estimate of the cycles that it takes.
//
//   bound      the layer takes at least this long: the larger of multiplications / peak rate of all tiles and
//              bytes / bandwidth of DDR
//   parallel   cycles if everything overlaps: those of the busiest resource (the engines of the busiest tile,
//              DDR, its ports and the links)
//   serial     cycles if nothing overlaps: the sum over all primitives (kinds of instruction sequences)
//   estimate   the same sum, with each summand multiplied by a factor that was fitted to measured programs
//              (Factors.h); no less than `parallel`
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
