// Groups of repeated steps (RepeatedSteps.h) that belong together, such as those of one of several recurrent layers.
#pragma once

#include "compiler/Tile/Ops/DeviceNetwork.h"

namespace tilerig::compiler {

// For each step of the network, the number of its group; empty for steps that do not repeat. Groups are numbered in
// the order of their first steps.
//
// The steps between which data pass belong to one group, except that a product by repeated weights begins a group of
// its own for what it multiplies. So the steps of a recurrent layer are one group, with the products of its inputs,
// which are addends of the products of its state; the layer that computes the inputs is another group.
std::vector<std::optional<size_t>> repeatedGroups(const DeviceNetwork &network);

} // namespace tilerig::compiler
