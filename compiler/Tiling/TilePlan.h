// Where everything of a network is, on which tile, and when: what code generation needs besides the works.
//
// A tensor is in DDR, in the OCMs, or in both. In the OCMs each tile *owns* the part that it computes and
// *keeps* a part around it, with what its own works read of others' parts; kept parts have one address on all
// tiles. Of what lies between, which nobody reads there, nothing is sent. A tensor that lies inside another
// has no buffer of its own: what is kept of it is what is kept of the whole, in its own indices. What a work
// reads of DDR it has in *stages*: buffers that are filled in front of the steps that read them; what passes
// in bands it has in those into which the work before it has put them. Time is counted in turns: each step of
// each work is one.
#pragma once

#include "compiler/Memory/PlanMemory.h"
#include "compiler/Strategy/Hints.h"
#include "compiler/Tiling/Blocks.h"
#include "compiler/Tiling/DeviceNetwork.h"
#include "compiler/Tiling/ProductSteps.h"
#include "compiler/Tiling/Split.h"
#include "compiler/Tiling/Views.h"
#include "compiler/Tiling/Way.h"
#include "isa/Machine/Machine.h"

namespace tilerig {

struct TensorPlace {
  bool inOcm = false, inDdr = false;
  uint64_t ddrAddress = 0;
  std::vector<Box> owned, kept; // by tile
  // By tile, what its works read of it, or of what lies in the same bytes: what others have to send it.
  std::vector<std::vector<Box>> wanted = {};
  size_t buffer = 0; // of the kept parts
  // Its owners send it to nobody: who keeps it has it from those who made its parts.
  bool comesInPlace = false;
  // Between works of a block: a band of it at a time, in the buffers of the work that makes it.
  bool inBands = false;
};

// What of an operand, or of the numbers for each output, the tiles hold for some of the steps.
struct Staging {
  uint32_t firstStep = 0, lastStep = 0;
  std::vector<Box> boxes; // by tile; of vectors, the range of outputs
  size_t buffer = 0;
};

struct WorkPlan {
  Split split;
  Way way;
  std::vector<int64_t> cuts;           // into how many parts a tile cuts each axis of its share
  int64_t depthParts = 1;              // into how many parts sums are cut; each box is as many steps
  std::vector<Range> depths;           // these parts; none of whole sums
  std::optional<ProductSteps> product; // how these were chosen, where nothing else had a say
  std::vector<std::vector<Box>> steps; // by tile, then by step; some tiles may have fewer
  std::vector<Box> worked;             // by tile, of the result: what its steps make up
  std::vector<Range> chainDepths; // by tile, what it adds up of the depth; none where there are no chains
  uint32_t numSteps = 0;
  uint64_t chosenCycles = 0; // what whoever chose the split held it to take, once its constants are there
  uint32_t firstTurn = 0, turnsApart = 1;     // of its steps, between which others of a block have theirs
  std::vector<std::vector<Staging>> stages;   // by operand; empty where it is read in the OCM
  std::vector<std::vector<uint32_t>> stageOf; // by operand and step, which of these it reads
  std::vector<Staging> vectorStages;
  bool overlaps = true;               // what a step reads and makes comes and goes during others' turns
  bool isPinned = false;              // its constants are in the OCMs all the time
  bool leavesByClip = false;          // nine bits in the OCM, which the DMA to DDR clips to eight
  std::vector<size_t> resultBuffers;  // by step, where the result does not stay in the OCM
  std::vector<size_t> scratchBuffers; // by step; none where no scratch is needed
  std::vector<size_t> sumBuffers;     // by step, of accumulators; none of whole sums
  std::array<size_t, 2> sentSums = {}, receivedSums = {}; // of chains, by turns

  uint32_t turnOf(uint32_t step) const { return firstTurn + step * turnsApart; }
  uint32_t lastTurn() const { return turnOf(numSteps - 1); }
  Range depthAt(unsigned tile, uint32_t step) const {
    return !chainDepths.empty() ? chainDepths[tile] : depths.empty() ? Range{} : depths[step % depths.size()];
  }
  bool endsSum(unsigned tile, uint32_t step) const {
    return split.endsChain(tile) && (depths.empty() || step % depths.size() + 1 == depths.size());
  }
  bool works(unsigned tile, uint32_t step) const {
    return step < steps[tile].size() && !steps[tile][step].empty();
  }
  // A tile of a chain goes through the boxes of its share one turn behind the tile before it.
  size_t turnOfSums(unsigned tile, uint32_t step) const {
    return (step - static_cast<uint32_t>(split.placeInChain(tile))) % 2;
  }
};

// In which type its result is in the OCM.
inline ElementType resultTypeOf(const Work &work, const WorkPlan &plan, const DeviceNetwork &network) {
  return plan.leavesByClip ? ElementType::i9 : network.tensors[work.result].type;
}

struct TilePlan {
  unsigned tiles = 0;
  // Of a batch whose images go one after another, each through all of the plan: how many there are, and the
  // network of one, of which it is the plan. Of what is in DDR every image has its own, in a row.
  uint32_t images = 1;
  std::shared_ptr<const DeviceNetwork> image;
  std::vector<TensorPlace> places; // by tensor
  TensorViews views;               // which of them lie inside others
  std::vector<WorkPlan> works;     // by step of the network; empty ones of the host
  std::vector<FusionBlock> blocks; // in the order of their steps
  MemoryProblem memory;
  std::vector<uint64_t> addresses; // of the buffers
  uint64_t ocmPeak = 0;
  uint64_t foreseenCycles = 0;
  uint64_t ddrEnd = 0; // behind the last tensor that has a place in DDR

  const DeviceNetwork &networkOf(const DeviceNetwork &batch) const { return image ? *image : batch; }
  uint64_t addressOf(size_t buffer) const { return addresses[buffer]; }
  const FusionBlock *blockOf(size_t step) const {
    const auto found = std::ranges::find_if(blocks, [&](const FusionBlock &it) { return it.contains(step); });
    return found != blocks.end() ? &*found : nullptr;
  }
};

// How the images of a batch go through a network: by themselves they take little room, but weights that do
// not stay have to come for each; so that is no plan among others unless all of them are pinned.
enum class ImageOrder : uint8_t { fastest, together, inTurn };

struct PlanOptions {
  unsigned tiles = 64;
  std::vector<Hints> hints = {};       // by layer, or none at all
  bool pinsWeights = false;            // of all layers
  bool fusesBlocks = true;             // where that saves cycles
  uint32_t prefetchTurns = UINT32_MAX; // how long before its use a constant may be loaded, if there is room
  ImageOrder images = ImageOrder::fastest;
  uint64_t ocmBase = 0; // of what may be used of every OCM; the machine says how much it is
};

// Plans of which any may be the fastest, by what is foreseen of them. `ddrBegin`: where tensors may lie in
// DDR.
Result<std::vector<TilePlan>> planCandidates(const DeviceNetwork &network, const Machine &machine,
                                             const PlanOptions &options, uint64_t ddrBegin);

// The first of them.
Result<TilePlan> planTiles(const DeviceNetwork &network, const Machine &machine, const PlanOptions &options,
                           uint64_t ddrBegin);

// Offsets of bias, scales and table in the row of a stage that has so many outputs, and its length.
struct VectorLayout {
  uint64_t bias = 0, scale = 0, table = 0, size = 0;
};
VectorLayout vectorLayout(const Work &work, uint64_t outputs);

} // namespace tilerig
