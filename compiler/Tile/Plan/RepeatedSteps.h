// Steps of a network that repeat with the same weights, such as the steps of an unrolled recurrent layer.
#pragma once

#include "compiler/Tile/Ops/DeviceNetwork.h"

namespace tilerig::compiler {

// For each step of the network, whether it lies between the first and the last matrix product with the same
// constant factor.
std::vector<bool> repeatedSteps(const DeviceNetwork &network);

} // namespace tilerig::compiler
