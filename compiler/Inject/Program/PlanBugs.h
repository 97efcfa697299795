// Bugs in the tile plan, which says where in memory the buffers of a layer lie, for bug injection.
#pragma once

#include "compiler/Inject/Program/LayerOps.h"
#include "compiler/Tile/Plan/TilePlan.h"

namespace tilerig::compiler {

struct LayerPlan {
  const DeviceNetwork &network;
  const Machine &machine;
  TilePlan &plan;
  uint32_t layer = 0;
};
struct PlanBug {
  std::string_view id;
  Status (*inject)(const LayerPlan &layer, BugDraw &draw);
};
std::span<const PlanBug> planBugs();

} // namespace tilerig::compiler
