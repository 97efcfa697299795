#include "compiler/Tile/Plan/LayViews.h"
#include "compiler/Tile/Plan/Planner.h"
#include "compiler/Tile/Plan/RepeatedSteps.h"

#include <fmt/core.h>

namespace tilerig::compiler {

bool holdsConstants(const DeviceOp &deviceOp, const DeviceNetwork &network) {
  if (deviceOp.bias.present() || deviceOp.scale.present() || deviceOp.table.present())
    return true;
  // The table of a gather operation does not count as a constant that tiles hold: its rows are gathered
  // directly from DDR.
  for (size_t i = 0; i < deviceOp.operands.size(); ++i)
    if (network.tensors[deviceOp.operands[i].tensor].constant() &&
        !(deviceOp.kind == DeviceOpKind::gather && i == 0))
      return true;
  return false;
}

bool isPinned(const DeviceOp &deviceOp, const DeviceNetwork &network, const PlanOptions &options) {
  const bool isWanted =
      options.pinsWeights || (!options.hints.empty() && options.hints[deviceOp.layer].pinsWeights);
  return isWanted && holdsConstants(deviceOp, network);
}

Planner::Planner(const DeviceNetwork &network, const Machine &machine, const PlanOptions &options,
                 const Choices &choices, std::vector<FusionBlock> blocks)
    : network(network), machine(machine), options(options), choices(choices),
      repeated(repeatedSteps(network)) {
  result.blocks = std::move(blocks);
}

Result<TilePlan> Planner::plan(uint64_t ddrBegin, uint32_t images) {
  result.images = images;
  takeChoices();
  chooseMemories();
  letPassInBands();
  placeInDdr(ddrBegin);
  formed.assign(network.steps.size(), {});
  // After this many changes, one at a time, several are made at once: the plan is formed anew after each.
  constexpr unsigned mostSingleChanges = 32;
  for (unsigned changes = 0;; ++changes) {
    cutShares();
    TILERIG_CHECK_OK(checkBands());
    keepParts();
    countTimeSteps();
    formBuffers();
    if (const Crowd crowd = mostCrowdedTimeStep(); crowd.bytes > machine.tile.ocmBytes) {
      TILERIG_CHECK_OK(relieve(crowd));
      if (changes >= mostSingleChanges)
        relieveAlone();
      continue;
    }
    TILERIG_TRY(const std::optional<DoesNotFit> refused, place());
    if (!refused)
      return std::move(result);
    // Called if some buffers do not fit into the OCM. Frees space in the time step in which no address was
    // found for a buffer or, if that is impossible, in the time step with the most bytes in use.
    if (!relieve({refused->step, refused->alive})) {
      tooLarge.reset();
      TILERIG_CHECK_OK(relieve(mostCrowdedTimeStep()));
    }
  }
}

void Planner::takeChoices() {
  result.tiles = options.tiles;
  result.deviceOps.resize(network.steps.size());
  for (size_t i = 0; i < network.steps.size(); ++i)
    if (const DeviceOp *deviceOp = opOf(i)) {
      OpPlan &plan = result.deviceOps[i];
      plan.split = choices[i].split;
      plan.engineMapping = choices[i].engineMapping;
      plan.chosenCycles = choices[i].cycles;
      plan.isPinned = isPinned(*deviceOp, network, options);
      plan.cuts.assign(choices[i].split.parts.size(), 1);
      plan.product = choices[i].product;
      if (plan.product) {
        plan.cuts[plan.product->axis] = plan.product->parts;
        plan.depthParts = plan.product->depthParts;
      }
      if (!choices[i].cuts.empty())
        plan.cuts = choices[i].cuts;
    }
}

void Planner::chooseMemories() {
  result.places.resize(network.tensors.size());
  for (TensorPlace &place : result.places)
    place.inOcm = true;
  for (size_t i = 0; i < network.tensors.size(); ++i)
    if (network.tensors[i].constant())
      result.places[i] = {.inOcm = false, .inDdr = true, .owned = {}, .kept = {}};
  for (const TensorIndex input : network.inputs)
    result.places[input] = {.inOcm = false, .inDdr = true, .owned = {}, .kept = {}};
  const std::vector<bool> isRead = readByOps();
  const auto goesToDdr = [&](TensorIndex tensor) {
    result.places[tensor].inDdr = true;
    result.places[tensor].inOcm &= isRead[tensor];
  };
  for (const TensorIndex output : network.outputs)
    goesToDdr(output);
  for (const NetworkStep &step : network.steps)
    if (const auto *host = std::get_if<HostStep>(&step)) {
      for (const auto &input : host->inputs)
        if (input)
          goesToDdr(*input);
      for (const TensorIndex output : host->outputs)
        result.places[output] = {.inOcm = false, .inDdr = true, .owned = {}, .kept = {}};
    }
  for (size_t i = 0; i < network.steps.size(); ++i)
    if (const DeviceOp *deviceOp = opOf(i))
      result.deviceOps[i].leavesByClip = !result.places[deviceOp->result].inOcm &&
                                         !isRead[deviceOp->result] &&
                                         canGiveNineBits(*deviceOp, network.tensors);
}

void Planner::letPassInBands() {
  for (const FusionBlock &block : result.blocks)
    for (size_t step = block.first; step < block.last; ++step) {
      TensorPlace &place = result.places[opOf(step)->result];
      place.inOcm = false;
      place.inBands = true;
    }
}

std::vector<bool> Planner::readByOps() const {
  std::vector<bool> isRead(network.tensors.size());
  for (const NetworkStep &step : network.steps)
    if (const DeviceOp *deviceOp = std::get_if<DeviceOp>(&step))
      for (const Operand &operand : deviceOp->operands)
        isRead[operand.tensor] = true;
  return isRead;
}

void Planner::placeInDdr(uint64_t ddrBegin) {
  uint64_t at = ddrBegin;
  for (size_t i = 0; i < network.tensors.size(); ++i)
    if (result.places[i].inDdr && !network.tensors[i].constant()) {
      result.places[i].ddrAddress = at;
      at += alignedInMemory(network.tensors[i].sizeInBytes() * result.images);
    }
  result.ddrEnd = at;
}

void Planner::cutShares() {
  for (size_t i = 0; i < network.steps.size(); ++i) {
    const DeviceOp *deviceOp = opOf(i);
    const FusionBlock *block = result.blockOf(i);
    if (deviceOp && !formed[i].isFresh && (!block || block->last == i))
      cutShare(i, *deviceOp);
  }
  for (const FusionBlock &block : result.blocks)
    if (!formed[block.last].isFresh)
      cutBands(block);
}

void Planner::cutShare(size_t index, const DeviceOp &deviceOp) {
  OpPlan &plan = result.deviceOps[index];
  const std::vector<int64_t> &shape = network.tensors[deviceOp.result].shape;
  plan.worked = workedBoxesOf(plan.split, deviceOp, shape, options.tiles);
  const int64_t depth = depthOf(deviceOp, network.tensors);
  plan.depths = plan.product ? depthsOf(*plan.product, depth) : depthsOf(depth, plan.depthParts);
  plan.chainDepths.clear();
  for (unsigned tile = 0; tile < options.tiles && plan.split.chain > 1; ++tile)
    plan.chainDepths.push_back(depthOfTile(plan.split, depth, tile));
  plan.steps.assign(options.tiles, {});
  plan.numSteps = 0;
  for (unsigned tile = 0; tile < options.tiles; ++tile) {
    if (!plan.chainDepths.empty())
      plan.steps[tile].resize(static_cast<size_t>(plan.split.placeInChain(tile)), Box(shape.size()));
    for (const Box &box : boxesOfSteps(plan.worked[tile], plan, deviceOp))
      plan.steps[tile].insert(plan.steps[tile].end(), std::max<size_t>(1, plan.depths.size()), box);
    plan.numSteps = std::max(plan.numSteps, static_cast<uint32_t>(plan.steps[tile].size()));
  }
  result.places[deviceOp.result].owned = boxesOf(plan.split, deviceOp, shape, options.tiles);
}

// Sets the steps of a fusion block's operations. The steps of the last operation are the bands of its result.
// In each step, the earlier operations compute what the band needs.
void Planner::cutBands(const FusionBlock &block) {
  const OpPlan &last = result.deviceOps[block.last];
  for (size_t i = block.first; i < block.last; ++i) {
    OpPlan &plan = result.deviceOps[i];
    const size_t rank = network.tensors[opOf(i)->result].shape.size();
    plan.numSteps = last.numSteps;
    plan.worked.assign(options.tiles, Box(rank));
    plan.steps.assign(options.tiles, {});
  }
  for (unsigned tile = 0; tile < options.tiles; ++tile)
    for (const Box &band : last.steps[tile]) {
      const std::vector<Box> boxes = boxesOfBand(network, block, band);
      for (size_t i = block.first; i < block.last; ++i) {
        const Box &box = boxes[i - block.first];
        result.deviceOps[i].steps[tile].push_back(box);
        result.deviceOps[i].worked[tile] = hull(result.deviceOps[i].worked[tile], box);
      }
    }
  for (size_t i = block.first; i < block.last; ++i)
    result.places[opOf(i)->result].owned = result.deviceOps[i].worked;
}

// Checks that instructions can compute every band of each fusion block. A strategy file may request a split
// for which this is not so.
Status Planner::checkBands() const {
  for (const FusionBlock &block : result.blocks)
    if (!formed[block.last].isFresh)
      for (const std::vector<Box> &bands : result.deviceOps[block.last].steps)
        for (const Box &band : bands)
          if (!band.empty() && !isBandComputable(network, block, band))
            return unsupported(fmt::format("layer '{}'", network.layers[opOf(block.last)->layer].name),
                               "cannot be the last layer of a fusion block with this split: a part of its "
                               "result needs no element, or only padding, of an earlier layer of the block");
  return success();
}

std::vector<Box> Planner::boxesOfSteps(const Box &share, const OpPlan &plan, const DeviceOp &deviceOp) const {
  std::vector<Box> boxes = stepsOf(share, plan.cuts, deviceOp);
  if (plan.product)
    halveLast(boxes, plan.product->axis, plan.product->halvings);
  return boxes;
}

void Planner::keepParts() {
  for (TensorPlace &place : result.places) {
    place.kept = place.inOcm ? place.owned : std::vector<Box>();
    place.wanted.assign(place.kept.size(), {});
  }
  for (size_t i = 0; i < network.steps.size(); ++i)
    if (const DeviceOp *deviceOp = opOf(i))
      for (const Operand &operand : deviceOp->operands) {
        TensorPlace &place = result.places[operand.tensor];
        const OpPlan &its = result.deviceOps[i];
        for (unsigned tile = 0; tile < options.tiles && place.inOcm; ++tile)
          if (!its.worked[tile].empty()) {
            const Box needed = neededBox(operand, network.tensors[operand.tensor], its.worked[tile],
                                         its.chainDepths.empty() ? Range{} : its.chainDepths[tile]);
            place.kept[tile] = hull(place.kept[tile], needed);
            addWanted(place.wanted[tile], needed);
          }
      }
  // A tensor that contains views is complete only when all operations that compute the views have ended. If
  // the images (elements) of a batch run one after another, later images would have to wait for these
  // operations. So in this case no views are used.
  if (!hasViews)
    views = result.images > 1 ? TensorViews(network.tensors.size())
                              : viewsWorthTheirTraffic(network, possibleViews(network), result.places);
  hasViews = true;
  result.views = layViews(network, views, result.places);
  shareWanted(network, result.views, result.places);
  for (size_t i = 0; i < network.steps.size(); ++i)
    if (const DeviceOp *deviceOp = opOf(i))
      result.places[deviceOp->result].comesInPlace = isInPlaceInPart(*deviceOp, result.views);
}

// Numbers the time steps of all operations in order of execution. The operations of a fusion block
// alternate: each computes one band before the next band begins.
void Planner::countTimeSteps() {
  opAt.clear();
  for (size_t i = 0; i < network.steps.size();) {
    const FusionBlock *block = result.blockOf(i);
    const size_t last = block ? block->last : i;
    const uint32_t steps = std::max<uint32_t>(1, result.deviceOps[last].numSteps);
    const auto first = static_cast<uint32_t>(opAt.size());
    for (size_t index = i; index <= last; ++index) {
      result.deviceOps[index].firstTimeStep = first + static_cast<uint32_t>(index - i);
      result.deviceOps[index].timeStepsApart = static_cast<uint32_t>(last - i + 1);
    }
    for (uint32_t step = 0; step < steps; ++step)
      for (size_t index = i; index <= last; ++index)
        opAt.push_back(index);
    i = last + 1;
  }
}

} // namespace tilerig::compiler
