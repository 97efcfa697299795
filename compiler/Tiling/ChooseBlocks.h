// Which works go through their shares by bands: those between which tensors would go through DDR, as the OCMs
// have no room for them, where that takes longer than computing again what bands have in common.
#pragma once

#include "compiler/Tiling/ChooseSplits.h"
#include "compiler/Tiling/TilePlan.h"

namespace tilerig {

// The blocks that promise to save cycles beside `plan`, which has none; perhaps none at all. Layers of which
// hints (by layer, or none) say how they are cut stay as they are.
std::vector<FusionBlock> chooseBlocks(const DeviceNetwork &network, const Machine &machine,
                                      const TilePlan &plan, std::span<const Hints> hints);

// The same choices, but for the works of the blocks: the last one of each is cut so that the tile that has
// most to do, with what it computes again, has least, unless its hints say how.
Choices choicesWithBlocks(const DeviceNetwork &network, const Machine &machine, unsigned tiles,
                          const std::vector<FusionBlock> &blocks, std::span<const Hints> hints,
                          Choices choices);

// What the works of a block take, with what they compute again: those of the tile that has most to do.
uint64_t cyclesOfBlock(const DeviceNetwork &network, const Machine &machine, const TilePlan &plan,
                       const FusionBlock &block);

} // namespace tilerig
