#include "compiler/Tile/Ops/Instructions.h"
#include "compiler/Tile/Plan/LayViews.h"
#include "compiler/Tile/Plan/Planner.h"
#include "compiler/Tile/Plan/RepeatedSteps.h"

namespace tilerig::compiler {

namespace {

uint64_t largest(const std::vector<Box> &boxes, ElementType type) {
  uint64_t most = 0;
  for (const Box &box : boxes)
    most = std::max(most, box.elements());
  return most * sizeBytes(type);
}

std::vector<Box> boxesAt(const OpPlan &plan, uint32_t step) {
  std::vector<Box> boxes;
  for (const std::vector<Box> &steps : plan.steps)
    boxes.push_back(step < steps.size() ? steps[step] : Box(plan.cuts.size()));
  return boxes;
}

bool endsSums(const OpPlan &plan, uint32_t step) {
  for (unsigned tile = 0; tile < plan.steps.size(); ++tile)
    if (plan.computes(tile, step) && plan.endsSum(tile, step))
      return true;
  return false;
}

// Lets a step use a stage (a buffer that was filled from DDR) of an earlier step, if no tile needs another
// box than the stage holds. `held` has the box in each tile's stage, and `wanted` the box that the step reads
// on each tile. Tiles that hold no box yet get the box that they read.
void holdForLater(std::vector<Box> &held, const std::vector<Box> &wanted) {
  const auto agrees = [&](size_t tile) {
    return held[tile].empty() || wanted[tile].empty() || held[tile] == wanted[tile];
  };
  for (size_t tile = 0; tile < held.size(); ++tile)
    if (!agrees(tile))
      return;
  for (size_t tile = 0; tile < held.size(); ++tile)
    if (held[tile].empty())
      held[tile] = wanted[tile];
}

// Whether every tile that reads a box in this step (its element of `wanted` is not empty) holds exactly that
// box.
bool sameOrIdle(const std::vector<Box> &held, const std::vector<Box> &wanted) {
  for (size_t tile = 0; tile < held.size(); ++tile)
    if (!wanted[tile].empty() && !(held[tile] == wanted[tile]))
      return false;
  return true;
}

// How many time steps before its use a buffer is filled. Usually it is filled during the previous step or
// band of the operation; a product with ProductSteps (both factors come from DDR) states the number. 0 if
// loading and computing do not overlap.
uint32_t timeStepsAhead(const OpPlan &plan) {
  if (!plan.overlaps)
    return 0;
  return plan.product ? plan.product->timeStepsAhead : plan.timeStepsApart;
}

} // namespace

size_t Planner::addBuffer(uint64_t size, uint32_t from, uint32_t to) {
  result.memory.buffers.push_back(
      {.size = std::max<uint64_t>(size, 1), .alignment = alignmentInMemory, .from = from, .to = to});
  return result.memory.buffers.size() - 1;
}

void Planner::formBuffers() {
  result.memory = {.base = options.ocmBase, .capacity = machine.tile.ocmBytes, .buffers = {}};
  early.resize(network.steps.size());
  findLives();
  std::vector<std::optional<size_t>> buffers(network.tensors.size());
  for (size_t i = 0; i < network.steps.size(); ++i)
    if (const DeviceOp *deviceOp = opOf(i)) {
      if (TensorPlace &place = result.places[deviceOp->result]; place.inOcm) {
        const TensorIndex whole = outermost(result.views, deviceOp->result);
        if (!buffers[whole])
          buffers[whole] = addBuffer(largest(result.places[whole].kept, network.tensors[whole].type),
                                     lives[whole].first, lives[whole].last);
        place.buffer = *buffers[whole];
      }
      formed[i].isFresh ? formAgain(i) : formBuffers(i, *deviceOp);
      if (result.deviceOps[i].isPinned)
        keepConstants(result.deviceOps[i], *deviceOp);
    }
  readBands();
}

// Constants that stay in the OCM all the time get buffers whose live range is all time steps.
void Planner::keepConstants(const OpPlan &plan, const DeviceOp &deviceOp) {
  const auto keep = [&](const std::vector<Staging> &stages) {
    for (const Staging &stage : stages) {
      Buffer &buffer = result.memory.buffers[stage.buffer];
      buffer.from = 0;
      buffer.to = static_cast<uint32_t>(opAt.size());
    }
  };
  for (size_t i = 0; i < deviceOp.operands.size(); ++i)
    if (network.tensors[deviceOp.operands[i].tensor].constant())
      keep(plan.stages[i]);
  keep(plan.vectorStages);
}

void Planner::keepFormed(size_t index, size_t firstBuffer) {
  const std::vector<Buffer> &all = result.memory.buffers;
  formed[index] = {true,
                   result.deviceOps[index].firstTimeStep,
                   firstBuffer,
                   {all.begin() + static_cast<std::ptrdiff_t>(firstBuffer), all.end()}};
}

void Planner::formAgain(size_t index) {
  OpPlan &plan = result.deviceOps[index];
  Formed &its = formed[index];
  // Buffers of the operation were numbered in an earlier round of planning. Returns the number to add to
  // their old indices; a negative number is represented modulo 2^64.
  const size_t moved = result.memory.buffers.size() - its.firstBuffer;
  const uint32_t later = plan.firstTimeStep - its.firstTimeStep;
  its.firstBuffer += moved;
  its.firstTimeStep += later;
  for (Buffer &buffer : its.buffers) {
    buffer.from += later;
    buffer.to += later;
    result.memory.buffers.push_back(buffer);
  }
  forEachBufferOf(plan, [&](size_t &number) { number += moved; });
  for (size_t &number : early[index])
    number += moved;
}

// After a tensor has been moved to DDR, invalidates the cached buffers of all operations that read or write
// it.
void Planner::formAnew(TensorIndex tensor) {
  for (size_t i = 0; i < network.steps.size(); ++i)
    if (opOf(i) && uses(i, tensor))
      formed[i].isFresh = false;
}

void Planner::findLives() {
  lives.assign(network.tensors.size(), {});
  for (size_t i = 0; i < network.steps.size(); ++i)
    if (const DeviceOp *deviceOp = opOf(i)) {
      const uint32_t first = result.deviceOps[i].firstTimeStep, last = result.deviceOps[i].lastTimeStep();
      const auto lengthen = [&](TensorIndex tensor) {
        Life &life = lives[outermost(result.views, tensor)];
        life = {std::min(life.first, first), std::max(life.last, last)};
      };
      lengthen(deviceOp->result);
      for (const Operand &operand : deviceOp->operands)
        lengthen(operand.tensor);
    }
}

void Planner::formBuffers(size_t index, const DeviceOp &deviceOp) {
  OpPlan &plan = result.deviceOps[index];
  const size_t firstBuffer = result.memory.buffers.size();
  early[index].clear();
  plan.resultBuffers.clear();
  plan.scratchBuffers.clear();
  plan.sumBuffers.clear();
  for (uint32_t step = 0; step < plan.numSteps; ++step)
    formStepBuffers(plan, deviceOp, step);
  if (!plan.chainDepths.empty())
    formChainBuffers(plan, deviceOp);
  plan.stages.assign(deviceOp.operands.size(), {});
  plan.stageOf.assign(deviceOp.operands.size(), {});
  for (size_t i = 0; i < deviceOp.operands.size(); ++i)
    if (isStaged(deviceOp, i))
      formStages(plan, deviceOp, i, index);
  formVectorStages(plan, deviceOp, index);
  keepFormed(index, firstBuffer);
}

void Planner::formStepBuffers(OpPlan &plan, const DeviceOp &deviceOp, uint32_t step) {
  const std::vector<Box> boxes = boxesAt(plan, step);
  const uint32_t timeStep = plan.timeStepOf(step);
  if (!result.places[deviceOp.result].inOcm && endsSums(plan, step))
    plan.resultBuffers.resize(step + 1, addBuffer(largest(boxes, resultTypeOf(deviceOp, plan, network)),
                                                  timeStep, lastTimeStepOfResult(plan, deviceOp, step)));
  if (const auto parts = static_cast<uint32_t>(plan.depths.size()); parts > 0 && step % parts == 0)
    plan.sumBuffers.resize(step + parts, addBuffer(largest(boxes, sumTypeOf(deviceOp, network.tensors)),
                                                   timeStep, timeStep + parts - 1));
  uint64_t scratch = 0;
  for (const Box &box : boxes)
    if (!box.empty())
      scratch = std::max(scratch, scratchBytes(deviceOp, network.tensors, plan.engineMapping, box));
  if (scratch > 0)
    plan.scratchBuffers.push_back(addBuffer(scratch, timeStep, timeStep));
}

// The last time step in which the buffer of a step's result is needed, if the result does not stay in the
// OCM. In a fusion block, it is the step in which the last reader of the band runs. For a product whose
// factors both come from DDR, it is the last step of the operation, because loads have priority over stores.
// Otherwise it is the next step of the operation, so that storing overlaps with computing.
uint32_t Planner::lastTimeStepOfResult(const OpPlan &plan, const DeviceOp &deviceOp, uint32_t step) const {
  if (result.places[deviceOp.result].inBands) {
    uint32_t last = plan.timeStepOf(step);
    const FusionBlock &block = *result.blockOf(opAt[plan.firstTimeStep]);
    for (size_t i = block.first; i <= block.last; ++i)
      if (std::ranges::find(opOf(i)->operands, deviceOp.result, &Operand::tensor) != opOf(i)->operands.end())
        last = std::max(last, result.deviceOps[i].timeStepOf(step));
    return last;
  }
  return plan.product
             ? plan.lastTimeStep()
             : plan.timeStepOf(step) + (plan.numSteps > 1 && plan.overlaps ? plan.timeStepsApart : 0);
}

// Adds the buffers of chains (tiles that divide the depth of a sum): two for partial sums to send and two for
// received ones. While the sums of one box are in transit, those of the next box are computed.
void Planner::formChainBuffers(OpPlan &plan, const DeviceOp &deviceOp) {
  std::vector<Box> all;
  for (const std::vector<Box> &steps : plan.steps)
    all.insert(all.end(), steps.begin(), steps.end());
  const uint64_t size = largest(all, sumTypeOf(deviceOp, network.tensors));
  for (std::array<size_t, 2> *buffers : {&plan.sentSums, &plan.receivedSums})
    for (size_t &buffer : *buffers)
      buffer = addBuffer(size, plan.firstTimeStep, plan.lastTimeStep());
}

// Whether an operand is loaded from DDR into buffers (stages). The table of a gather is not, because its rows
// are gathered directly from DDR.
bool Planner::isStaged(const DeviceOp &deviceOp, size_t operand) const {
  const TensorPlace &place = result.places[deviceOp.operands[operand].tensor];
  return !place.inOcm && !place.inBands && !(deviceOp.kind == DeviceOpKind::gather && operand == 0);
}

// The stages (buffers filled from DDR) of an operand: consecutive steps that need equal boxes share one
// stage. For a product in ProductSteps, the first `kept` stages stay in the OCM, and later steps use them
// again.
template <class BoxFor>
std::vector<Staging> Planner::stagesOf(const OpPlan &plan, BoxFor boxFor,
                                       std::vector<uint32_t> *stageOf) const {
  const auto kept = static_cast<size_t>(plan.product ? plan.product->kept : 0);
  std::vector<Staging> stages;
  for (uint32_t step = 0; step < plan.numSteps; ++step) {
    std::vector<Box> boxes;
    for (unsigned tile = 0; tile < options.tiles; ++tile)
      boxes.push_back(plan.computes(tile, step) ? boxFor(plan.steps[tile][step], plan.depthAt(tile, step))
                                                : Box(1));
    if (!plan.chainDepths.empty() && !stages.empty())
      holdForLater(stages.back().boxes, boxes);
    size_t stage = stages.size();
    for (size_t i = 0; i < std::min(kept, stages.size()); ++i)
      if (sameOrIdle(stages[i].boxes, boxes))
        stage = i;
    if (!stages.empty() && sameOrIdle(stages.back().boxes, boxes))
      stage = stages.size() - 1;
    if (stage == stages.size())
      stages.push_back({step, step, std::move(boxes), 0});
    stages[stage].lastStep = step;
    if (stageOf)
      stageOf->push_back(static_cast<uint32_t>(stage));
  }
  return stages;
}

template <class SizeOf>
void Planner::addStageBuffers(OpPlan &plan, std::vector<Staging> &stages, bool isConstant, size_t index,
                              SizeOf sizeOf) {
  for (Staging &stage : stages) {
    uint64_t most = 0;
    for (const Box &box : stage.boxes)
      most = std::max(most, box.empty() ? 0 : sizeOf(box));
    // A stage (a buffer filled from DDR) that is first used after step 0 of the operation is filled some time
    // steps before that use. Constants for step 0 may be loaded even earlier (loadEarly()).
    const uint32_t ahead = std::min(stage.firstStep * plan.timeStepsApart, timeStepsAhead(plan));
    stage.buffer = addBuffer(most, plan.timeStepOf(stage.firstStep) - ahead, plan.timeStepOf(stage.lastStep));
    if (stage.firstStep == 0 && isConstant && !plan.isPinned)
      early[index].push_back(stage.buffer);
  }
}

void Planner::formStages(OpPlan &plan, const DeviceOp &deviceOp, size_t operand, size_t index) {
  const Operand &stagedOperand = deviceOp.operands[operand];
  const DeviceTensor &tensor = network.tensors[stagedOperand.tensor];
  const bool comesWhole = plan.product && operand < 2 && plan.product->comesWhole[operand];
  plan.stages[operand] = stagesOf(
      plan,
      [&](const Box &box, Range depth) {
        return neededBox(stagedOperand, tensor, box, comesWhole ? Range{} : depth);
      },
      &plan.stageOf[operand]);
  addStageBuffers(plan, plan.stages[operand], tensor.constant(), index,
                  [&](const Box &box) { return box.elements() * sizeBytes(tensor.type); });
}

void Planner::formVectorStages(OpPlan &plan, const DeviceOp &deviceOp, size_t index) {
  plan.vectorStages.clear();
  if (!deviceOp.bias.present() && !deviceOp.scale.present() && !deviceOp.table.present())
    return;
  plan.vectorStages = stagesOf(plan, [&](const Box &box, Range) {
    Box outputs(1);
    outputs[0] = deviceOp.bias.perOutput || deviceOp.scale.perOutput ? box[box.rank() - 1] : Range{0, 1};
    return outputs;
  });
  addStageBuffers(plan, plan.vectorStages, true, index,
                  [&](const Box &box) { return vectorLayout(deviceOp, box.elements()).size; });
}

// Inside a fusion block, an operation writes its bands (groups of rows) into buffers. Sets these buffers as
// those from which the later operations of the block read.
void Planner::readBands() {
  for (const FusionBlock &block : result.blocks)
    for (size_t maker = block.first; maker < block.last; ++maker)
      for (size_t reader = maker + 1; reader <= block.last; ++reader)
        for (size_t operand = 0; operand < opOf(reader)->operands.size(); ++operand) {
          if (opOf(reader)->operands[operand].tensor != opOf(maker)->result)
            continue;
          const OpPlan &makerPlan = result.deviceOps[maker];
          OpPlan &readerPlan = result.deviceOps[reader];
          readerPlan.stages[operand].clear();
          readerPlan.stageOf[operand].clear();
          for (uint32_t step = 0; step < readerPlan.numSteps; ++step) {
            readerPlan.stages[operand].push_back(
                {step, step, boxesAt(makerPlan, step), makerPlan.resultBuffers[step]});
            readerPlan.stageOf[operand].push_back(step);
          }
        }
}

// Gives all buffers addresses; returns why they do not fit, or nullopt if they do.
//
// The first attempt loads constants as late as possible: if the buffers do not fit then, they never will.
// (Only if less than 1/32 of an OCM is missing, a thorough search for addresses is worth a try.) Further
// attempts keep constants that several operations read in the OCM between them, and load constants earlier, as
// long as the live bytes stay below a limit. The limit falls until the buffers fit.
Result<std::optional<DoesNotFit>> Planner::place() {
  const MemoryProblem late = result.memory;
  constexpr uint64_t all = 32;
  TILERIG_TRY(std::optional<DoesNotFit> refused, placeBuffers(MemoryEffort::brief));
  if (refused && refused->needed > machine.tile.ocmBytes + machine.tile.ocmBytes / all)
    return refused;
  if (refused)
    return placeBuffers(MemoryEffort::thorough);
  for (const uint64_t part : {32, 31, 30, 28, 24, 16}) {
    result.memory = late;
    shareConstants(machine.tile.ocmBytes * part / all);
    loadEarly(machine.tile.ocmBytes * part / all);
    TILERIG_TRY(refused, placeBuffers(MemoryEffort::brief));
    if (!refused) {
      useSharedBuffers();
      return refused;
    }
  }
  result.memory = late;
  heldIn.assign(late.buffers.size(), std::nullopt);
  return placeBuffers(MemoryEffort::thorough);
}

// If an address is used again soon, a task may have to wait for tasks that still read the former contents, and layers
// that run at the same time are slowed down by each other. So if there is space, the buffers of repeated operations
// keep their addresses for some more repetitions.
MemoryProblem Planner::withAddressesKept(MemoryProblem problem) const {
  constexpr uint32_t keptRepetitions = 6; // of 0, 2, 6 and 16, the fastest for most layers that were measured
  const auto numTimeSteps = static_cast<uint32_t>(opAt.size());
  const std::vector<StepRange> ranges = repeatedRanges(network);
  for (Buffer &buffer : problem.buffers)
    for (const StepRange &range : ranges)
      if (!buffer.partOf && buffer.to < numTimeSteps && range.first <= opAt[buffer.to] &&
          opAt[buffer.to] <= range.last) {
        buffer.to =
            std::min(numTimeSteps - 1, buffer.to + keptRepetitions * static_cast<uint32_t>(range.period));
        break;
      }
  return problem;
}

Result<std::optional<DoesNotFit>> Planner::placeBuffers(MemoryEffort effort) {
  MemoryProblem problem = result.memory;
  std::erase_if(problem.buffers, [](const Buffer &buffer) { return buffer.size == 0; });
  const bool repeats = std::ranges::count(repeated, true) > 0;
  TILERIG_TRY(MemoryOutcome outcome, planMemory(repeats ? withAddressesKept(problem) : problem, effort));
  if (repeats && std::holds_alternative<DoesNotFit>(outcome)) {
    TILERIG_TRY(outcome, planMemory(problem, effort));
  }
  if (const auto *refused = std::get_if<DoesNotFit>(&outcome))
    return std::optional(*refused);
  const auto &placed = std::get<MemoryPlan>(outcome);
  result.addresses.clear();
  for (size_t next = 0; const Buffer &buffer : result.memory.buffers) // a buffer of size 0 is not used
    result.addresses.push_back(buffer.size > 0 ? placed.addresses[next++] : 0);
  result.ocmPeak = placed.peak;
  return std::optional<DoesNotFit>();
}

// Moves loads of constants, in the order of their first use, to earlier time steps as long as the number of
// live bytes stays within `limitBytes`.
void Planner::loadEarly(uint64_t limitBytes) {
  std::vector<uint64_t> alive = bytesByTimeStep();
  for (size_t i = 0; i < early.size(); ++i) {
    uint64_t bytes = 0;
    for (const size_t buffer : early[i])
      bytes += alignedInMemory(result.memory.buffers[buffer].size);
    const uint32_t use = result.deviceOps[i].firstTimeStep,
                   limit = use > options.prefetchSteps ? use - options.prefetchSteps : 0;
    uint32_t timeStep = use;
    for (; bytes > 0 && timeStep > limit && alive[timeStep - 1] + bytes <= limitBytes; --timeStep)
      alive[timeStep - 1] += bytes;
    for (const size_t buffer : early[i])
      result.memory.buffers[buffer].from = timeStep;
  }
}

std::vector<uint64_t> Planner::bytesByTimeStep() const {
  const auto numTimeSteps = static_cast<uint32_t>(opAt.size());
  std::vector<uint64_t> alive(opAt.size() + 2);
  for (const Buffer &buffer : result.memory.buffers) {
    alive[buffer.from] += alignedInMemory(buffer.size);
    alive[std::min(buffer.to, numTimeSteps) + 1] -= alignedInMemory(buffer.size);
  }
  for (size_t timeStep = 1; timeStep < alive.size(); ++timeStep)
    alive[timeStep] += alive[timeStep - 1];
  return alive;
}

} // namespace tilerig::compiler
