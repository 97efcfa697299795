// The tile plan: where every tensor and buffer of a network is, on which tile and when. Code generation needs
// it besides the device operations.
//
// A tensor is in DDR, in the OCMs, or in both. In the OCMs each tile *owns* the part that it computes and
// *keeps* the bounding box of that part and of what its own operations read of other tiles' parts. Kept parts
// have the same address on all tiles. Elements of the bounding box that no operation reads are not sent. A
// tensor view has no buffer of its own: what a tile keeps of it is what it keeps of the outer tensor, in the
// view's indices. An operation reads a tensor in DDR through *stages*: buffers that are filled before the
// steps that read them. A tensor inside a fusion block is read from the buffers into which its maker writes
// the bands. Time is counted in time steps ("turns"): each step of each operation is one.
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

namespace tilerig::compiler {

struct TensorPlace {
  bool inOcm = false, inDdr = false;
  uint64_t ddrAddress = 0;
  std::vector<Box> owned, kept; // by tile
  // By tile, the boxes that its operations read of the tensor or of others in the same bytes. Other tiles
  // have to send what it does not own.
  std::vector<std::vector<Box>> wanted = {};
  size_t buffer = 0; // buffer of the kept parts
  // True if views provide the tensor or parts of it. Its owners do not send those elements: tiles that keep
  // them receive them from the operations that compute the inner tensors.
  bool comesInPlace = false;
  // Tensor between operations of a fusion block; only one band at a time exists, in the buffers of its maker.
  bool inBands = false;
};

// A stage: what tiles hold of an operand in DDR, or of the vectors of an epilogue, during some of the steps.
struct Staging {
  uint32_t firstStep = 0, lastStep = 0;
  std::vector<Box> boxes; // by tile; for vectors, the range of outputs
  size_t buffer = 0;
};

struct WorkPlan {
  Split split;
  Way way;
  std::vector<int64_t> cuts;           // by axis, into how many parts a tile splits its share
  int64_t depthParts = 1;              // parts of a split sum; each box takes that many steps
  std::vector<Range> depths;           // ranges of these parts; empty if sums are not split
  std::optional<ProductSteps> product; // set while the steps are those of ProductSteps
  std::vector<std::vector<Box>> steps; // by tile and step; tiles may differ in their number of steps
  std::vector<Box> worked;             // by tile, the bounding box of its steps in the result
  std::vector<Range> chainDepths;      // by tile, range of the depth in a chain; else empty
  uint32_t numSteps = 0;
  uint64_t chosenCycles = 0;                  // estimate at the time of the choice, constants loaded
  uint32_t firstTurn = 0, turnsApart = 1;     // a block's operations alternate
  std::vector<std::vector<Staging>> stages;   // by operand; empty if it is read in the OCM
  std::vector<std::vector<uint32_t>> stageOf; // by operand and step, index of the stage that is read
  std::vector<Staging> vectorStages;
  bool overlaps = true;               // loads and stores overlap with the compute of other time steps
  bool isPinned = false;              // its constants are in the OCMs all the time
  bool leavesByClip = false;          // i9 in the OCM, clamped to 8 bits by the DMA to DDR
  std::vector<size_t> resultBuffers;  // by step; empty if the result stays in the OCM
  std::vector<size_t> scratchBuffers; // by step; empty if no scratch memory is needed
  std::vector<size_t> sumBuffers;     // by step, for partial sums; empty if not split
  std::array<size_t, 2> sentSums = {}, receivedSums = {}; // double buffers of chains

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
  // Index (0 or 1) of the double buffer that a tile of a chain uses in a step. Each tile of a chain runs one
  // time step behind the tile before it.
  size_t turnOfSums(unsigned tile, uint32_t step) const {
    return (step - static_cast<uint32_t>(split.placeInChain(tile))) % 2;
  }
};

// Element type of the operation's result in the OCM.
inline ElementType resultTypeOf(const Work &work, const WorkPlan &plan, const DeviceNetwork &network) {
  return plan.leavesByClip ? ElementType::i9 : network.tensors[work.result].type;
}

struct TilePlan {
  unsigned tiles = 0;
  // If the images of a batch run one after another, each through the whole plan: the number of images, and
  // the network of one image, to which the plan refers. In DDR each image has its own copy of every tensor,
  // contiguous in image order.
  uint32_t images = 1;
  std::shared_ptr<const DeviceNetwork> image;
  std::vector<TensorPlace> places; // by index in DeviceNetwork::tensors
  TensorViews views;               // which of them are views of others
  std::vector<WorkPlan> works;     // by network step; default-constructed for host steps
  std::vector<FusionBlock> blocks; // in the order of their steps
  MemoryProblem memory;
  std::vector<uint64_t> addresses; // by index in memory.buffers
  uint64_t ocmPeak = 0;
  uint64_t foreseenCycles = 0;
  uint64_t ddrEnd = 0; // address behind the last tensor in DDR

  const DeviceNetwork &networkOf(const DeviceNetwork &batch) const { return image ? *image : batch; }
  uint64_t addressOf(size_t buffer) const { return addresses[buffer]; }
  const FusionBlock *blockOf(size_t step) const {
    const auto found = std::ranges::find_if(blocks, [&](const FusionBlock &it) { return it.contains(step); });
    return found != blocks.end() ? &*found : nullptr;
  }
};

// How the images of a batch run: together, or one after another (`inTurn`), which needs little room in the
// OCMs but loads weights that are not pinned once per image. So `fastest` considers `inTurn` only if all
// weights are pinned.
enum class ImageOrder : uint8_t { fastest, together, inTurn };

struct PlanOptions {
  unsigned tiles = 64;
  std::vector<Hints> hints = {};       // one per layer, or empty
  bool pinsWeights = false;            // keep the weights of all layers in the OCMs
  bool fusesBlocks = true;             // form fusion blocks where they save cycles
  uint32_t prefetchTurns = UINT32_MAX; // time steps before its use that a constant may be loaded
  ImageOrder images = ImageOrder::fastest;
  uint64_t ocmBase = 0; // first usable address of every OCM; the machine states the usable size
};

// Several plans, any of which may be the fastest, in rising order of their estimated cycles. Tensors get DDR
// addresses from `ddrBegin` on.
Result<std::vector<TilePlan>> planCandidates(const DeviceNetwork &network, const Machine &machine,
                                             const PlanOptions &options, uint64_t ddrBegin);

// The plan with the fewest estimated cycles.
Result<TilePlan> planTiles(const DeviceNetwork &network, const Machine &machine, const PlanOptions &options,
                           uint64_t ddrBegin);

// Offsets of bias, scales and table in the buffer of a vector stage for `outputs` outputs, and its size, in
// bytes.
struct VectorLayout {
  uint64_t bias = 0, scale = 0, table = 0, size = 0;
};
VectorLayout vectorLayout(const Work &work, uint64_t outputs);

} // namespace tilerig::compiler
