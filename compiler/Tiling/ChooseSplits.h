// Into which parts every work is cut.
#pragma once

#include "compiler/Strategy/Hints.h"
#include "compiler/Tiling/DeviceNetwork.h"
#include "compiler/Tiling/Split.h"
#include "isa/Machine/Machine.h"

namespace tilerig {

struct Choice {
  Split split;
  Mapping mapping = Mapping::lamm; // of a product of matrices
};
// By step of the network; empty for those of the host. `hints` are by layer, or none at all; what no way of
// cutting a layer meets is refused.
Result<std::vector<Choice>> chooseSplits(const DeviceNetwork &network, const Machine &machine, unsigned tiles,
                                         std::span<const Hints> hints);

} // namespace tilerig
