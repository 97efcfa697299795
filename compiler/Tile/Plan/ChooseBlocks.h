// Choice of fusion blocks: which consecutive device operations run band by band (a few rows at a time).
// Candidates are operations whose intermediate tensors would spill to DDR because they do not fit into the
// OCM (on-chip memory). A block is formed if that traffic takes longer than computing some rows more than
// once, as the bands of a block share rows.
#pragma once

#include "compiler/Tile/Plan/ChooseSplits.h"
#include "compiler/Tile/Plan/TilePlan.h"

namespace tilerig::compiler {

// The fusion blocks that are estimated to save cycles compared with `plan`, which has no blocks; may be
// empty. Layers whose hints say how to split them are left out of blocks. `hints`: one entry per layer, or
// empty.
std::vector<FusionBlock> chooseBlocks(const DeviceNetwork &network, const Machine &machine,
                                      const TilePlan &plan, std::span<const Hints> hints);

// Copies `choices` and adapts the operations of the fusion blocks: the last operation of each block gets the
// split that minimises the cycles of the busiest tile, recomputed rows included, unless its hints say how to
// split it.
Choices choicesWithBlocks(const DeviceNetwork &network, const Machine &machine, unsigned tiles,
                          const std::vector<FusionBlock> &blocks, std::span<const Hints> hints,
                          Choices choices);

// Cycles that the operations of a fusion block take on the busiest tile, including rows that are computed
// more than once.
uint64_t cyclesOfBlock(const DeviceNetwork &network, const Machine &machine, const TilePlan &plan,
                       const FusionBlock &block);

} // namespace tilerig::compiler
