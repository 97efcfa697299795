// The planner: makes one tile plan from one choice of splits. Each round computes the shares of the tiles
// (the parts of results that they compute) and the parts of tensors that they keep (PlanShares.cpp), then the
// buffers and their live ranges (FormBuffers.cpp). If the buffers exceed an OCM, the plan is changed in one
// point so that it needs less memory (FreeOcmSpace.cpp), and the next round begins, until all buffers have
// addresses.
#pragma once

#include "compiler/Tile/Plan/ChooseSplits.h"
#include "compiler/Tile/Plan/TilePlan.h"

#include <functional>

namespace tilerig::compiler {

constexpr uint64_t alignmentInMemory = 64; // alignment in bytes of all tensors in OCM and DDR
constexpr uint64_t alignedInMemory(uint64_t bytes) {
  return (bytes + alignmentInMemory - 1) / alignmentInMemory * alignmentInMemory;
}

// Whether an operation has constants that are loaded to the tiles, and whether these shall stay in the OCMs
// (on-chip memories) all the time.
bool holdsConstants(const DeviceOp &deviceOp, const DeviceNetwork &network);
bool isPinned(const DeviceOp &deviceOp, const DeviceNetwork &network, const PlanOptions &options);

class Planner {
public:
  // `choices` has the split of each network step. All arguments passed by reference must outlive the planner.
  Planner(const DeviceNetwork &network, const Machine &machine, const PlanOptions &options,
          const Choices &choices, std::vector<FusionBlock> blocks);

  // Plans the network. Tensors in DDR get addresses from `ddrBegin` on. If the images of a batch run one
  // after another, `images` is their number and `network` is that of one image.
  Result<TilePlan> plan(uint64_t ddrBegin, uint32_t images = 1);

  // If plan() failed because a fusion block would fit the OCMs (on-chip memories) only in more than
  // `mostBands` bands: that block.
  std::optional<FusionBlock> refusedBlock;
  // the layer that needs more OCM than a tile has, if plan() failed for that
  std::optional<uint32_t> tooLarge;

private:
  const DeviceOp *opOf(size_t step) const { return std::get_if<DeviceOp>(&network.steps[step]); }

  // The following functions, in PlanShares.cpp, choose for each tensor whether it is in DDR or in the OCM.

  void takeChoices();
  void chooseMemories();
  void letPassInBands();
  std::vector<bool> readByOps() const;
  void placeInDdr(uint64_t ddrBegin);
  void leaveInNineBits(TensorIndex tensor);

  // The following functions, in PlanShares.cpp, compute the tiles' shares of results, the parts of tensors
  // that tiles keep, and the time steps.

  void cutShares();
  void cutShare(size_t index, const DeviceOp &deviceOp);
  void cutBands(const FusionBlock &block);
  Status checkBands() const;
  std::vector<Box> boxesOfSteps(const Box &share, const OpPlan &plan, const DeviceOp &deviceOp) const;
  void keepParts();
  void countTimeSteps();

  // Live range of a tensor in time steps: from the first write to the last read of this tensor or of any
  // tensor that shares its buffer.
  struct Life {
    uint32_t first = UINT32_MAX, last = 0;
  };
  // The buffers of one operation, cached. As long as they are up to date, a planning round only shifts their
  // time steps and numbers.
  struct Formed {
    bool isFresh = false;
    uint32_t firstTimeStep = 0;
    size_t firstBuffer = 0;
    std::vector<Buffer> buffers = {};
  };

  size_t addBuffer(uint64_t size, uint32_t from, uint32_t to);
  void formBuffers();
  void formBuffers(size_t index, const DeviceOp &deviceOp);
  void formStepBuffers(OpPlan &plan, const DeviceOp &deviceOp, uint32_t step);
  void keepConstants(const OpPlan &plan, const DeviceOp &deviceOp);
  void keepFormed(size_t index, size_t firstBuffer);
  void formAgain(size_t index);
  void formAnew(TensorIndex tensor);
  void findLives();
  uint32_t lastTimeStepOfResult(const OpPlan &plan, const DeviceOp &deviceOp, uint32_t step) const;
  void formChainBuffers(OpPlan &plan, const DeviceOp &deviceOp);
  bool isStaged(const DeviceOp &deviceOp, size_t operand) const;
  template <class BoxFor>
  std::vector<Staging> stagesOf(const OpPlan &plan, BoxFor boxFor,
                                std::vector<uint32_t> *stageOf = nullptr) const;
  template <class SizeOf>
  void addStageBuffers(OpPlan &plan, std::vector<Staging> &stages, bool isConstant, size_t index,
                       SizeOf sizeOf);
  void formStages(OpPlan &plan, const DeviceOp &deviceOp, size_t operand, size_t index);
  void formVectorStages(OpPlan &plan, const DeviceOp &deviceOp, size_t index);
  void readBands();

  // Calls `visit` for each number of a buffer in a plan.
  template <class Visit>
  static void forEachBufferOf(OpPlan &plan, Visit visit);

  // The following functions, in ShareConstants.cpp, let operations that read the same constants use one buffer.

  using OnStaging = std::function<void(Staging &, const std::string &key)>;
  // Calls `visit` for each buffer of constants that other operations may use, with a key that is equal for equal
  // constants.
  void forEachStaging(OpPlan &plan, const DeviceOp &deviceOp, const OnStaging &visit);
  void shareConstants(uint64_t limitBytes);
  void useSharedBuffers();

  // The following functions, in FormBuffers.cpp, load constants early and give the buffers addresses.

  Result<std::optional<DoesNotFit>> place();
  Result<std::optional<DoesNotFit>> placeBuffers(MemoryEffort effort);
  MemoryProblem withAddressesKept(MemoryProblem problem) const;
  void loadEarly(uint64_t limitBytes);
  std::vector<uint64_t> bytesByTimeStep() const;

  // The following types and functions, in FreeOcmSpace.cpp, change the plan so that it needs less OCM space.

  struct Crowd {
    uint32_t timeStep = 0;
    uint64_t bytes = 0;
  };
  Crowd mostCrowdedTimeStep() const;
  Status relieve(Crowd crowd);
  void relieveAlone();
  bool relieveBlock(Crowd crowd, const FusionBlock &block);
  std::optional<std::vector<int64_t>> finerBands(const FusionBlock &block) const;
  Error doesNotFit(size_t index, Crowd crowd);
  std::optional<TensorIndex> tensorBeyondDdr(size_t index) const;
  bool uses(size_t index, TensorIndex tensor) const;
  const Buffer &bufferOf(TensorIndex tensor) const {
    return result.memory.buffers[result.places[tensor].buffer];
  }
  std::vector<TensorIndex> tensorsAt(uint32_t timeStep, const FusionBlock &deviceOps, bool areUsed) const;
  uint64_t bytesUsedAt(uint32_t timeStep, const FusionBlock &deviceOps) const;
  bool evict(uint32_t timeStep, const FusionBlock &deviceOps, bool areUsed);
  bool evictOwn(uint32_t timeStep, size_t index);
  bool isWorthCutting(const DeviceOp &deviceOp, const OpPlan &plan) const;
  bool cutFiner(const DeviceOp &deviceOp, OpPlan &plan);
  bool isSumWorthCutting(const DeviceOp &deviceOp, const OpPlan &plan, int64_t parts) const;
  bool canStep(const DeviceOp &deviceOp, const std::vector<int64_t> &cuts,
               const std::vector<Box> &owned) const;
  uint64_t bytesOfStep(const DeviceOp &deviceOp, const OpPlan &plan, const std::vector<int64_t> &cuts,
                       const Box &share, int64_t depthParts) const;

  const DeviceNetwork &network;
  const Machine &machine;
  const PlanOptions &options;
  const Choices &choices;
  // tensor views that do not increase the traffic between tiles while their tensors are in the OCMs
  TensorViews views;
  bool hasViews = false;
  TilePlan result;
  const std::vector<bool> repeated; // for each step of the network, whether it repeats (RepeatedSteps.h)
  std::vector<Life> lives;          // live range of each tensor; unused for tensor views
  std::vector<Formed> formed;       // for each step of the network, its cached buffers
  // For each step of the network, the buffers of its constants, which may be loaded some time steps before
  // their use.
  std::vector<std::vector<size_t>> early;
  // For each buffer: the buffer with the same constants that is used instead, if there is one.
  std::vector<std::optional<size_t>> heldIn;
  std::vector<size_t> opAt; // for each time step, the number of the network step that runs then
};

template <class Visit>
void Planner::forEachBufferOf(OpPlan &plan, Visit visit) {
  for (std::vector<size_t> *numbers : {&plan.resultBuffers, &plan.scratchBuffers, &plan.sumBuffers})
    for (size_t &number : *numbers)
      visit(number);
  for (std::array<size_t, 2> *numbers : {&plan.sentSums, &plan.receivedSums})
    for (size_t &number : *numbers)
      visit(number);
  for (std::vector<Staging> &stages : plan.stages)
    for (Staging &stage : stages)
      visit(stage.buffer);
  for (Staging &stage : plan.vectorStages)
    visit(stage.buffer);
}

} // namespace tilerig::compiler
