// What is expected of a layer that has the machine for itself: SeparateLayers.h of Codegen says when that is.
#pragma once

#include "compiler/Cost/Demand.h"

namespace tilerig {

struct LayerForecast {
  bool runs = false;     // it has instructions, or is the host's
  uint64_t cycles = 0;   // of its stages, by isa/Timeline; the host's by isa/Timing/Host.h
  uint64_t ocmBytes = 0; // alive on a tile while it runs, at most
  LayerDemand demand = {};
};

} // namespace tilerig
