// Products (convolutions, matrix products) of several tiles that one operation computes.
//
// If a layer's outputs are split over 64 tiles, a tile computes as few as eight of them, from the same activations as the
// other tiles. The host's vector instructions compute 16 at once, and reading the activations takes longer than eight
// products with them. So tasks with equal activations and neighbouring weights are run as one.
#pragma once

#include "emulator/Execute/Prepare.h"
#include "isa/RunPlan/TaskGraph.h"

#include <functional>
#include <optional>

namespace tilerig::emulator {

struct JointTasks {
  // For each task, the one whose operation computes it: itself, unless it is joined to another.
  std::vector<uint32_t> leaders;
  // For each product that is its own leader, all products that its operation computes, its own first; empty for other
  // tasks, and where `productOf` returns nothing.
  std::vector<std::vector<PlacedProduct>> members;
};

// Joins tasks between which the graph has no path. `productOf` returns the product of a task that may be joined, if it is
// one.
JointTasks findJointTasks(const TaskGraph &graph,
                          const std::function<std::optional<PlacedProduct>(uint32_t task)> &productOf);

} // namespace tilerig::emulator
