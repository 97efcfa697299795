#include "compiler/Tile/Ops/Instructions.h"
#include "compiler/Tile/Plan/LayViews.h"
#include "compiler/Tile/Plan/Planner.h"

#include <fmt/core.h>
#include <functional>
#include <numeric>
#include <utility>

namespace tilerig::compiler {

namespace {

void stepAsOthers(OpPlan &plan) {
  plan.product.reset();
  plan.depthParts = 1;
  plan.cuts.assign(plan.cuts.size(), 1);
}

// Makes the steps of a matrix product whose factors both come from DDR need less OCM (on-chip memory). First
// halves the number of factor parts that stay in the OCM, then loads parts fewer steps ahead, and at last
// uses ordinary steps instead.
void needLess(OpPlan &plan) {
  ProductSteps &steps = *plan.product;
  if (steps.kept > 0)
    steps.kept /= 2;
  else if (steps.timeStepsAhead > 1)
    --steps.timeStepsAhead;
  else
    stepAsOthers(plan);
}

// Changes the plan so that steps run strictly one after another, with no loads and stores for other steps at
// the same time. A step can then use a whole OCM.
void stopOverlapping(OpPlan &plan) {
  stepAsOthers(plan);
  plan.overlaps = false;
}

} // namespace

Planner::Crowd Planner::mostCrowdedTimeStep() const {
  const std::vector<uint64_t> alive = bytesByTimeStep();
  Crowd most;
  for (uint32_t timeStep = 0; timeStep < opAt.size(); ++timeStep)
    if (alive[timeStep] > most.bytes)
      most = {timeStep, alive[timeStep]};
  return most;
}

// Makes one change that frees OCM space in the given time step. The options, in order: spill operands or
// result of the operation that runs then, if these alone exceed the OCM; spill a tensor that this operation
// does not use; keep fewer or smaller parts of a product's factors in the OCM (ProductSteps); store results
// in 8 bits instead of 9; make steps smaller, as long as they are large (isWorthCutting()); spill operands or
// result of the operation; make steps as small as possible; run steps without overlap.
Status Planner::relieve(Crowd crowd) {
  const size_t index = opAt[std::min<size_t>(crowd.timeStep, opAt.size() - 1)];
  if (const FusionBlock *block = result.blockOf(index))
    return relieveBlock(crowd, *block) ? success() : Status(doesNotFit(index, crowd));
  formed[index].isFresh = false; // the buffers of the operation change, whichever change is made
  const FusionBlock alone{index, index};
  const DeviceOp *deviceOp = opOf(index);
  OpPlan &plan = result.deviceOps[index];
  if (bytesUsedAt(crowd.timeStep, alone) > machine.tile.ocmBytes && evictOwn(crowd.timeStep, index))
    return success();
  if (evict(crowd.timeStep, alone, false))
    return success();
  if (plan.product) {
    needLess(plan);
    return success();
  }
  // 8-bit elements take half the bytes of 9-bit elements in the OCM
  if (std::exchange(plan.leavesByClip, false))
    return success();
  if (deviceOp && isWorthCutting(*deviceOp, plan) && cutFiner(*deviceOp, plan))
    return success();
  if (evictOwn(crowd.timeStep, index))
    return success();
  if (deviceOp && cutFiner(*deviceOp, plan))
    return success();
  if (deviceOp && plan.numSteps > 1 && plan.overlaps) {
    stopOverlapping(plan);
    return success();
  }
  return doesNotFit(index, crowd);
}

// Frees OCM space in the most crowded time step of every operation that shares the OCM with no other tensor then, or
// needs more than a whole OCM for its own tensors. Such a change does not depend on changes for other operations.
void Planner::relieveAlone() {
  const std::vector<uint64_t> alive = bytesByTimeStep();
  std::vector<Crowd> crowds(network.steps.size());
  for (uint32_t timeStep = 0; timeStep < opAt.size(); ++timeStep)
    if (Crowd &crowd = crowds[opAt[timeStep]]; alive[timeStep] > crowd.bytes)
      crowd = {timeStep, alive[timeStep]};
  for (size_t index = 0; index < crowds.size(); ++index) {
    const Crowd &crowd = crowds[index];
    // What is no longer fresh has been changed since the bytes were counted.
    if (crowd.bytes <= machine.tile.ocmBytes || result.blockOf(index) || !opOf(index) ||
        !formed[index].isFresh)
      continue;
    const FusionBlock alone{index, index};
    if (bytesUsedAt(crowd.timeStep, alone) > machine.tile.ocmBytes ||
        tensorsAt(crowd.timeStep, alone, false).empty())
      std::ignore = relieve(crowd); // if nothing can be changed, it may fit once others have been changed
  }
  tooLarge.reset();
}

// Frees OCM space while a fusion block runs. In this order: spills tensors that the block does not use, makes
// its bands half as high, and spills tensors that it uses.
bool Planner::relieveBlock(Crowd crowd, const FusionBlock &block) {
  for (size_t i = block.first; i <= block.last; ++i)
    formed[i].isFresh = false;
  if (evict(crowd.timeStep, block, false))
    return true;
  auto cuts = finerBands(block);
  if (!cuts)
    return evict(crowd.timeStep, block, true);
  if (std::reduce(cuts->begin(), cuts->end(), int64_t{1}, std::multiplies()) > block.mostBands) {
    refusedBlock = block;
    return false;
  }
  result.deviceOps[block.last].cuts = std::move(*cuts);
  return true;
}

// Halves all bands of a fusion block along the first axis that still allows it, and returns the new number of
// bands along each axis; nullopt if no axis allows it.
std::optional<std::vector<int64_t>> Planner::finerBands(const FusionBlock &block) const {
  const DeviceOp &deviceOp = *opOf(block.last);
  const OpPlan &plan = result.deviceOps[block.last];
  for (size_t axis = 0; axis < plan.cuts.size(); ++axis) {
    int64_t longest = 0;
    for (const Box &share : plan.worked)
      longest = std::max(longest, share[axis].size());
    std::vector<int64_t> cuts = plan.cuts;
    cuts[axis] = std::min(2 * cuts[axis], longest);
    if (!deviceOp.divisible[axis] || axis == deviceOp.outputAxis || cuts == plan.cuts)
      continue;
    const auto canMake = [&](const Box &share) {
      return std::ranges::all_of(stepsOf(share, cuts, deviceOp),
                                 [&](const Box &band) { return isBandComputable(network, block, band); });
    };
    if (std::ranges::all_of(plan.worked, canMake))
      return cuts;
  }
  return std::nullopt;
}

Error Planner::doesNotFit(size_t index, Crowd crowd) {
  const DeviceOp *deviceOp = opOf(index);
  const std::string place =
      deviceOp ? fmt::format("layer '{}'", network.layers[deviceOp->layer].name) : "the network";
  if (const std::optional<TensorIndex> tooLarge = deviceOp ? tensorBeyondDdr(index) : std::nullopt) {
    const DeviceTensor &tensor = network.tensors[*tooLarge];
    return unsupported(
        place,
        fmt::format("{} {} of {} bytes, but the DDR of machine '{}' has {} and the OCM of a tile has {}",
                    deviceOp->result == *tooLarge ? "computes" : "reads",
                    tensor.name.empty() ? "a tensor" : fmt::format("tensor '{}'", tensor.name),
                    tensor.sizeInBytes() * result.images, machine.name, machine.ddr.sizeBytes,
                    machine.tile.ocmBytes),
        "use a smaller batch, a precision of fewer bits, or a machine with more memory");
  }
  if (deviceOp)
    tooLarge = deviceOp->layer;
  return unsupported(
      place,
      fmt::format("needs {} bytes of a tile's OCM at a time, but a tile of machine '{}' has {}", crowd.bytes,
                  machine.name, machine.tile.ocmBytes),
      "use a smaller batch, a precision of fewer bits, or a machine with a larger OCM");
}

// A tensor of the operation that is larger than the whole DDR, so that it cannot be spilled to DDR.
std::optional<TensorIndex> Planner::tensorBeyondDdr(size_t index) const {
  for (TensorIndex tensor = 0; tensor < network.tensors.size(); ++tensor)
    if (uses(index, tensor) && network.tensors[tensor].sizeInBytes() > machine.ddr.sizeBytes / result.images)
      return tensor;
  return std::nullopt;
}

bool Planner::uses(size_t index, TensorIndex tensor) const {
  const DeviceOp &deviceOp = *opOf(index);
  return deviceOp.result == tensor ||
         std::ranges::find(deviceOp.operands, tensor, &Operand::tensor) != deviceOp.operands.end();
}

// The tensors that are in the OCMs at that time step: those that the operations `deviceOps` use if `areUsed`
// is true, otherwise those that they do not use. Tensor views are left out, since they have no memory.
std::vector<TensorIndex> Planner::tensorsAt(uint32_t timeStep, const FusionBlock &deviceOps,
                                            bool areUsed) const {
  std::vector<bool> used(network.tensors.size());
  for (size_t i = deviceOps.first; i <= deviceOps.last; ++i)
    if (const DeviceOp *deviceOp = opOf(i)) {
      used[outermost(result.views, deviceOp->result)] = true;
      for (const Operand &operand : deviceOp->operands)
        used[outermost(result.views, operand.tensor)] = true;
    }
  std::vector<TensorIndex> tensors;
  for (TensorIndex i = 0; i < network.tensors.size(); ++i) {
    const TensorPlace &place = result.places[i];
    if (!place.inOcm || result.views[i] || used[i] != areUsed)
      continue;
    const Buffer &buffer = result.memory.buffers[place.buffer];
    if (buffer.from <= timeStep && timeStep <= buffer.to)
      tensors.push_back(i);
  }
  return tensors;
}

uint64_t Planner::bytesUsedAt(uint32_t timeStep, const FusionBlock &deviceOps) const {
  uint64_t bytes = 0;
  for (const TensorIndex tensor : tensorsAt(timeStep, deviceOps, true))
    bytes += alignedInMemory(bufferOf(tensor).size);
  return bytes;
}

// Spills to DDR the largest of the tensors that are in the OCMs in a time step, out of those that the
// operations `deviceOps` use (if `areUsed` is true) or do not use; returns false if there is none.
bool Planner::evict(uint32_t timeStep, const FusionBlock &deviceOps, bool areUsed) {
  const std::vector<TensorIndex> tensors = tensorsAt(timeStep, deviceOps, areUsed);
  const auto victim =
      std::ranges::max_element(tensors, {}, [&](TensorIndex tensor) { return bufferOf(tensor).size; });
  if (victim == tensors.end())
    return false;
  TensorPlace &place = result.places[*victim];
  place.inOcm = false;
  leaveInNineBits(*victim);
  formAnew(*victim);
  if (!place.inDdr) {
    place.inDdr = true;
    place.ddrAddress = result.ddrEnd;
    result.ddrEnd += alignedInMemory(network.tensors[*victim].sizeInBytes() * result.images);
  }
  return true;
}

// Lets the operation that computes `tensor` store it as i9 (9-bit integers) in the OCM, if the operation can.
// The DMA then clamps the elements to 8 bits on the way to DDR.
void Planner::leaveInNineBits(TensorIndex tensor) {
  for (size_t i = 0; i < network.steps.size(); ++i)
    if (const DeviceOp *deviceOp = opOf(i); deviceOp && deviceOp->result == tensor)
      result.deviceOps[i].leavesByClip = canGiveNineBits(*deviceOp, network.tensors);
}

bool Planner::evictOwn(uint32_t timeStep, size_t index) {
  if (!evict(timeStep, {index, index}, true))
    return false;
  // The OCM has more free space than before, so the operation may fit with larger steps.
  stepAsOthers(result.deviceOps[index]);
  return true;
}

// Whether the steps of the operation occupy more than 1/8 of an OCM. Splitting smaller steps would free
// little memory and cost many instructions.
bool Planner::isWorthCutting(const DeviceOp &deviceOp, const OpPlan &plan) const {
  const std::vector<Box> &owned = result.places[deviceOp.result].owned;
  const Box &share = *std::ranges::max_element(owned, {}, &Box::elements);
  return bytesOfStep(deviceOp, plan, plan.cuts, share, plan.depthParts) > machine.tile.ocmBytes / 8;
}

// Makes the steps smaller; returns false if that is impossible. Splits the depth of sums, which loads nothing
// twice, as often as isSumWorthCutting() allows. If it does not allow that, doubles the number of steps along
// the axis for which a step then has fewest bytes.
bool Planner::cutFiner(const DeviceOp &deviceOp, OpPlan &plan) {
  const std::vector<Box> &owned = plan.worked;
  const Box &share = *std::ranges::max_element(owned, {}, &Box::elements);
  const uint64_t before = bytesOfStep(deviceOp, plan, plan.cuts, share, plan.depthParts);
  if (isSumWorthCutting(deviceOp, plan, plan.depthParts * 2) &&
      bytesOfStep(deviceOp, plan, plan.cuts, share, plan.depthParts * 2) < before) {
    while (isSumWorthCutting(deviceOp, plan, plan.depthParts * 2))
      plan.depthParts *= 2;
    return true;
  }
  uint64_t least = before;
  std::vector<int64_t> best;
  for (size_t axis = 0; axis < plan.cuts.size(); ++axis) {
    std::vector<int64_t> cuts = plan.cuts;
    cuts[axis] = std::min(cuts[axis] * 2, share[axis].size());
    if (!deviceOp.divisible[axis] || cuts == plan.cuts || !canStep(deviceOp, cuts, owned))
      continue;
    const uint64_t bytes = bytesOfStep(deviceOp, plan, cuts, share, plan.depthParts);
    if (bytes < least) {
      least = bytes;
      best = cuts;
    }
  }
  if (best.empty())
    return false;
  plan.cuts = best;
  return true;
}

// Whether to split the depth of the sums into `parts` parts. Splits it only if both factors are loaded from
// DDR, and if the parts are long enough (64) to be worth an instruction each.
bool Planner::isSumWorthCutting(const DeviceOp &deviceOp, const OpPlan &plan, int64_t parts) const {
  constexpr int64_t leastDepth = 64;
  return plan.chainDepths.empty() && depthOf(deviceOp, network.tensors) / parts >= leastDepth &&
         isStaged(deviceOp, 0) && isStaged(deviceOp, 1);
}

bool Planner::canStep(const DeviceOp &deviceOp, const std::vector<int64_t> &cuts,
                      const std::vector<Box> &owned) const {
  return std::ranges::all_of(owned, [&](const Box &box) {
    return std::ranges::all_of(stepsOf(box, cuts, deviceOp), [&](const Box &step) {
      return isComputable(deviceOp, network.tensors, step);
    });
  });
}

uint64_t Planner::bytesOfStep(const DeviceOp &deviceOp, const OpPlan &plan, const std::vector<int64_t> &cuts,
                              const Box &share, int64_t depthParts) const {
  const std::vector<Range> depths = depthsOf(depthOf(deviceOp, network.tensors), depthParts);
  const bool isChain = !plan.chainDepths.empty();
  const Range depth = isChain ? plan.chainDepths.front() : depths.empty() ? Range{} : depths.back();
  uint64_t most = 0;
  for (const Box &box : stepsOf(share, cuts, deviceOp)) {
    uint64_t bytes = scratchBytes(deviceOp, network.tensors, plan.engineMapping, box);
    if (isChain || !depths.empty())
      bytes += (isChain ? 4 : 1) *
               alignedInMemory(box.elements() * sizeBytes(sumTypeOf(deviceOp, network.tensors)));
    if (!result.places[deviceOp.result].inOcm)
      bytes += 2 * alignedInMemory(box.elements() * sizeBytes(resultTypeOf(deviceOp, plan, network)));
    for (size_t i = 0; i < deviceOp.operands.size(); ++i) {
      const DeviceTensor &tensor = network.tensors[deviceOp.operands[i].tensor];
      if (isStaged(deviceOp, i))
        bytes += alignedInMemory(neededBox(deviceOp.operands[i], tensor, box, depth).elements() *
                                 sizeBytes(tensor.type));
    }
    most = std::max(most, bytes);
  }
  return most;
}

} // namespace tilerig::compiler
