// Forecast of what a layer costs if it runs alone on the machine, in a stage of its own
// (Tile/Emit/SeparateLayers.h).
#pragma once

#include "compiler/Planning/Cost/Demand.h"

namespace tilerig::compiler {

struct LayerForecast {
  bool runs = false; // whether the layer does any work: it has instructions, or the host computes it
  // Execution time. For an accelerator layer, isa/Timeline computes it from the layer's stages; for a host
  // layer, isa/Timing/Host.h estimates it.
  uint64_t cycles = 0;
  uint64_t ocmBytes = 0; // peak of live bytes on a tile while the layer runs
  LayerDemand demand = {};
};

} // namespace tilerig::compiler
