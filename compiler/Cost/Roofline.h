// What a layer can take at the least, at the most if nothing goes wrong, and about.
//
//   bound      max(multiplications / peak of all tiles, bytes / bandwidth of DDR). Nobody takes less.
//   parallel   everything that the layer does goes on at the same time; the busiest engine of the busiest
//              tile, DDR, its ports or a link is what it waits for
//   serial     first it moves, then it computes: the sum over its primitives of what each takes on its own
//   estimate   the same sum with each primitive's factor, as Factors.h has them from programs that ran; no
//              less than `parallel`
#pragma once

#include "compiler/Cost/Demand.h"

namespace tilerig {

struct Roofline {
  uint64_t bound = 0, parallel = 0, serial = 0, estimate = 0; // cycles
};

using Factors = std::array<double, numPrimitives>;
Roofline rooflineOf(const LayerDemand &demand, const Factors &factors);
Roofline rooflineOf(const LayerDemand &demand); // with those of Factors.h

} // namespace tilerig
