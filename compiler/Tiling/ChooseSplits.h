// Into which parts every work is cut.
#pragma once

#include "compiler/Tiling/DeviceNetwork.h"
#include "compiler/Tiling/Split.h"
#include "isa/Machine/Machine.h"

namespace tilerig {

// By step of the network; empty for those of the host.
std::vector<Split> chooseSplits(const DeviceNetwork &network, const Machine &machine, unsigned tiles);

} // namespace tilerig
