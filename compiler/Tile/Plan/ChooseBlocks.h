// Choice of fusion blocks: which consecutive device operations run band by band (a few rows at a time).
// Candidates are operations whose intermediate tensors would spill to DDR because they do not fit into the
// OCM (on-chip memory). A block is formed if that traffic takes longer than computing some rows more than
// once, as the bands of a block share rows.
#pragma once

#include "compiler/Tile/Plan/ChooseSplits.h"
#include "compiler/Tile/Plan/TilePlan.h"

namespace tilerig::compiler {

// The fusion blocks that are estimated to save cycles compared with `plan`, a plan without blocks; may be
// empty. A layer whose hints say how to split it is in no block. `hints` has one entry for each layer, or is
// empty.
std::vector<FusionBlock> chooseBlocks(const DeviceNetwork &network, const Machine &machine,
                                      const TilePlan &plan, std::span<const Hints> hints);

// Copies `choices` and adapts the operations of the fusion blocks. The last operation of each block gets the
// split with which the busiest tile takes the fewest cycles, including rows that are computed more than once,
// unless the operation's hints state a split.
Choices choicesWithBlocks(const DeviceNetwork &network, const Machine &machine, unsigned tiles,
                          const std::vector<FusionBlock> &blocks, std::span<const Hints> hints,
                          Choices choices);

// Cycles that the operations of a fusion block take on the busiest tile, including rows that are computed
// more than once.
uint64_t cyclesOfBlock(const DeviceNetwork &network, const Machine &machine, const TilePlan &plan,
                       const FusionBlock &block);

} // namespace tilerig::compiler
