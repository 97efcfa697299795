// The candidates among which the splits of a network are chosen: for each device operation, the splits that
// are possible and that its hints permit, with the costs that do not depend on neighbouring operations.
#pragma once

#include "compiler/Tile/Plan/ChooseSplits.h"
#include "compiler/Tile/Plan/SplitProblem.h"

namespace tilerig::compiler {

struct SplitCandidate {
  Choice choice;
  std::vector<Box> boxes; // for each tile, the part of the result that it has in the end
  // For chains (tiles that divide the depth of a sum): for each tile, the box that it works on.
  std::vector<Box> worked;
  std::vector<Range> depths;              // for chains: the part of the depth over which each tile sums
  std::vector<std::vector<int64_t>> ends; // for each axis of the result, the index at which each part ends
  uint64_t compute = 0, constantBytes = 0;
  uint64_t inPlace = 0;   // cycles to compute the operation; operands that can be tensor views are not copied
  uint64_t readBytes = 0; // largest number of bytes, without constants, that a tile reads

  bool isChain() const { return choice.split.chain > 1; }
  const Box &workedBox(unsigned tile) const { return worked.empty() ? boxes[tile] : worked[tile]; }
  Box needed(const Operand &operand, const DeviceTensor &tensor, unsigned tile) const {
    return neededBox(operand, tensor, workedBox(tile), depths.empty() ? Range{} : depths[tile]);
  }
  // Number of parts of this split that have elements in common with the box.
  uint64_t partsIn(const Box &box) const;
};

using SplitCandidates = std::vector<SplitCandidate>;

// Returns the candidates of every step; none for steps of the host. Returns an error if no split of a layer
// satisfies its hints.
Result<std::vector<SplitCandidates>> findCandidates(const SplitProblem &problem);

// Adds the chains (splits in which several tiles divide the depth of a sum) to the candidates of a step, if
// chains are worth a comparison or hints ask for them. If the hints rule a chain out, `reason` says why.
void addChains(const SplitProblem &problem, size_t step, std::span<const EngineMapping> engineMappings,
               SplitCandidates &candidates, std::string &reason);

// For each axis of the result, the index at which each part ends into which the split divides the axis.
std::vector<std::vector<int64_t>> endsOfParts(const Split &split, const DeviceOp &deviceOp,
                                              std::span<const int64_t> shape);
// Sets `constantBytes` and `readBytes`: how many bytes of constants, and of other operands, the tile that
// reads most of them reads.
void countBytesRead(const SplitProblem &problem, const DeviceOp &deviceOp, SplitCandidate &candidate);

} // namespace tilerig::compiler
