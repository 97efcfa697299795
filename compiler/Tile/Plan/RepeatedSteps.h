// Steps of a network that repeat with the same weights, such as the steps of an unrolled recurrent layer.
#pragma once

#include "compiler/Tile/Ops/DeviceNetwork.h"

#include <span>

namespace tilerig::compiler {

struct StepRange {
  size_t first = 0, last = 0;
  size_t period = 0; // number of steps from the last but one product with the same factor to the last one
};

// The ranges of network steps between the first and the last matrix product with the same constant factor, in the
// order of the network. Ranges that overlap are one range, as those of the two products in a step of a recurrent
// layer.
std::vector<StepRange> repeatedRanges(const DeviceNetwork &network);

// The same ranges, extended to whole steps of recurrent layers. After its last product, each includes the steps
// that are like those after the product before. It begins right after the last product or range before it, and so includes the first step of a
// layer whose initial state is zero, which has no product with the state.
std::vector<StepRange> rangesOfWholeSteps(const DeviceNetwork &network);

// For each step of the network, whether it lies in one of the ranges.
std::vector<bool> stepsIn(std::span<const StepRange> ranges, const DeviceNetwork &network);
std::vector<bool> repeatedSteps(const DeviceNetwork &network);

} // namespace tilerig::compiler
