// The tile plan: where every tensor and buffer of a network is, on which tile and when. Code generation works
// from this plan and the device operations.
//
// A tensor is in DDR, in the OCMs (on-chip memories), or in both. In the OCMs each tile *owns* the part of a
// tensor that it computes. It *keeps* the bounding box of that part and of the elements that it reads of
// other tiles' parts. Kept parts have the same address on all tiles. Elements that no operation reads are not
// sent.
//
// A tensor view has no buffer of its own, but lies in the buffer of another tensor. An operation reads a
// tensor in DDR through *stages*: buffers that are filled before the steps that read them. A tensor inside a
// fusion block is computed and read band by band (a few rows at a time). Time is counted in time steps: each
// step of each operation is one.
#pragma once

#include "compiler/Planning/Memory/PlanMemory.h"
#include "compiler/Planning/Strategy/EngineMapping.h"
#include "compiler/Planning/Strategy/Hints.h"
#include "compiler/Tile/Ops/DeviceNetwork.h"
#include "compiler/Tile/Ops/Split.h"
#include "compiler/Tile/Plan/Blocks.h"
#include "compiler/Tile/Plan/ProductSteps.h"
#include "compiler/Tile/Plan/Views.h"
#include "isa/Machine/Machine.h"

namespace tilerig::compiler {

struct TensorPlace {
  bool inOcm = false, inDdr = false;
  uint64_t ddrAddress = 0;
  std::vector<Box> owned; // for each tile, the box of the tensor that it computes
  std::vector<Box> kept;  // for each tile, the box of the tensor that it has in its memory (OCM)
  // For each tile, the boxes that its operations read of this tensor, or of views that lie in the same bytes.
  // If the tile does not own an element of them, other tiles have to send it.
  std::vector<std::vector<Box>> wanted = {};
  size_t buffer = 0; // index of the buffer that holds the tiles' boxes, at the same address on all tiles
  // True if elements of this tensor lie in its buffer already as elements of another tensor (Views.h), so
  // that no operation copies them. Tiles receive these elements as elements of the other tensor, and the
  // owners of this tensor do not send them.
  bool comesInPlace = false;
  // True for a tensor between operations of a fusion block: only one band of it exists at a time, in the
  // buffers of the operation that computes it.
  bool inBands = false;
};

// The parts of an operand, or of the vectors of an epilogue (bias, scale, table), that tiles load from DDR
// and keep in their OCM (on-chip memory) during a range of steps.
struct Staging {
  uint32_t firstStep = 0, lastStep = 0;
  // for each tile, its part of the operand; for a vector (bias, scale, table), a range of outputs
  std::vector<Box> boxes;
  size_t buffer = 0;
  // Whether an earlier operation has already loaded the same constants into the buffer, where they have stayed.
  bool isHeld = false;
};

struct OpPlan {
  Split split;
  EngineMapping engineMapping;
  // for each axis, the number of parts into which a tile splits its share of the result
  std::vector<int64_t> cuts;
  // Number of parts into which the depth (K) of sums is split; each part is a step.
  int64_t depthParts = 1;
  std::vector<Range> depths; // range of the depth for each part of a sum; empty if sums are not split
  // How a product is divided into steps; nullopt: the steps follow from `cuts` and `depthParts`.
  std::optional<ProductSteps> product;
  std::vector<std::vector<Box>> steps; // for each tile, the boxes of the result that its steps compute
  std::vector<Box> worked;             // for each tile, the bounding box of its steps in the result
  // for chains (tiles that divide a sum): the range of the depth of each tile; else empty
  std::vector<Range> chainDepths;
  uint32_t numSteps = 0;
  uint64_t chosenCycles = 0;   // estimated cycles of the chosen split (Choice::cycles)
  uint32_t firstTimeStep = 0;  // time step in which the operation's first step runs
  uint32_t timeStepsApart = 1; // number of time steps between two steps of the operation
  // For each operand, the buffers that are filled from DDR; empty if it needs none.
  std::vector<std::vector<Staging>> stages;
  // For each operand and step, the index of the element of `stages` from which the step reads the operand.
  std::vector<std::vector<uint32_t>> stageOf;
  std::vector<Staging> vectorStages;
  bool overlaps = true;  // whether loads and stores overlap with the computation of other steps
  bool isPinned = false; // whether the operation's constants stay on the tiles all the time
  // whether tiles store the result as i9 (9 bits); the DMA then clamps it to 8 bits on the way to DDR
  bool leavesByClip = false;
  // for each step, the buffer of its result; empty if results stay in the OCM
  std::vector<size_t> resultBuffers;
  std::vector<size_t> scratchBuffers; // for each step, its scratch buffer; empty if none is needed
  // for each step, the buffer of its partial sums; empty if sums are not split
  std::vector<size_t> sumBuffers;
  // For chains (tiles that divide the depth of a sum): the two buffers of partial sums to send, and the two
  // buffers of received ones.
  std::array<size_t, 2> sentSums = {}, receivedSums = {};

  uint32_t timeStepOf(uint32_t step) const { return firstTimeStep + step * timeStepsApart; }
  uint32_t lastTimeStep() const { return timeStepOf(numSteps - 1); }
  Range depthAt(unsigned tile, uint32_t step) const {
    return !chainDepths.empty() ? chainDepths[tile] : depths.empty() ? Range{} : depths[step % depths.size()];
  }
  bool endsSum(unsigned tile, uint32_t step) const {
    return split.endsChain(tile) && (depths.empty() || step % depths.size() + 1 == depths.size());
  }
  bool computes(unsigned tile, uint32_t step) const {
    return step < steps[tile].size() && !steps[tile][step].empty();
  }
  // The tiles of a chain, which divide the depth of a sum, pass partial sums from one to the next through
  // double buffers. Returns which of its two buffers (0 or 1) a tile uses in a step. Each tile of a chain
  // runs one time step behind the tile before it.
  size_t bufferOfSums(unsigned tile, uint32_t step) const {
    return (step - static_cast<uint32_t>(split.placeInChain(tile))) % 2;
  }
};

// Element type of the operation's result in the OCM (on-chip memory).
inline ElementType resultTypeOf(const DeviceOp &deviceOp, const OpPlan &plan, const DeviceNetwork &network) {
  return plan.leavesByClip ? ElementType::i9 : network.tensors[deviceOp.result].type;
}

struct TilePlan {
  unsigned tiles = 0;
  // If the images of a batch run one after another, each through the whole plan: the number of images, and
  // the network of one image, to which the plan refers. In DDR each image has its own copy of every tensor,
  // contiguous in image order.
  uint32_t images = 1;
  std::shared_ptr<const DeviceNetwork> image;
  std::vector<TensorPlace> places; // where each tensor lies, in the order of DeviceNetwork::tensors
  TensorViews views;               // for each tensor, whether and how it lies in the buffer of another tensor
  std::vector<OpPlan> deviceOps;   // plan of each step of the network; empty for host steps
  std::vector<FusionBlock> blocks; // the fusion blocks, in the order of their steps
  MemoryProblem memory;
  std::vector<uint64_t> addresses; // addresses of the buffers, in the order of memory.buffers
  uint64_t ocmPeak = 0;
  uint64_t foreseenCycles = 0;
  uint64_t ddrEnd = 0; // first address after the last tensor in DDR

  const DeviceNetwork &networkOf(const DeviceNetwork &batch) const { return image ? *image : batch; }
  uint64_t addressOf(size_t buffer) const { return addresses[buffer]; }
  const FusionBlock *blockOf(size_t step) const {
    const auto block =
        std::ranges::find_if(blocks, [&](const FusionBlock &candidate) { return candidate.contains(step); });
    return block != blocks.end() ? &*block : nullptr;
  }
};

// How the images of a batch run: together, or one after another (`inTurn`). The latter needs little space in
// the OCMs, but loads the weights again for each image, unless they are pinned (stay on the tiles). So
// `fastest` considers `inTurn` only if all weights are pinned.
enum class ImageOrder : uint8_t { fastest, together, inTurn };

struct PlanOptions {
  unsigned tiles = 64;
  std::vector<Hints> hints = {};       // the hints of each layer; empty if no layer has any
  bool pinsWeights = false;            // whether to keep the weights of all layers on the tiles
  bool fusesBlocks = true;             // whether to form fusion blocks where they save cycles
  uint32_t prefetchSteps = UINT32_MAX; // how many time steps before its use a constant may be loaded at most
  ImageOrder images = ImageOrder::fastest;
  // First usable address of every OCM (on-chip memory); the machine states the usable size.
  uint64_t ocmBase = 0;
};

// Several plans, any of which may be the fastest, in rising order of their estimated cycles. Tensors get DDR
// addresses from `ddrBegin` on. `tooLarge`, if not null, receives the index of the layer that needs more OCM (on-chip
// memory) than a tile has, if that is the error.
Result<std::vector<TilePlan>> planCandidates(const DeviceNetwork &network, const Machine &machine,
                                             const PlanOptions &options, uint64_t ddrBegin,
                                             std::optional<uint32_t> *tooLarge = nullptr);

// The plan with the fewest estimated cycles.
Result<TilePlan> planTiles(const DeviceNetwork &network, const Machine &machine, const PlanOptions &options,
                           uint64_t ddrBegin);

// Layout of a buffer with the vectors (bias, scales, table) of an instruction that computes `outputs`
// outputs: the offset of each vector, and the size of the buffer, in bytes.
struct VectorLayout {
  uint64_t bias = 0, scale = 0, table = 0, size = 0;
};
VectorLayout vectorLayout(const DeviceOp &deviceOp, uint64_t outputs);

} // namespace tilerig::compiler
