#include "compiler/Tiling/TilePlan.h"

#include "compiler/Codegen/Instructions.h"
#include "compiler/Tiling/ChooseSplits.h"
#include "compiler/Tiling/Foresee.h"
#include "compiler/Tiling/LayViews.h"

#include <fmt/core.h>
#include <functional>
#include <optional>

namespace tilerig {

namespace {

constexpr uint64_t alignment = 64; // of tensors, in both memories

uint64_t aligned(uint64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

const Work *workOf(const DeviceNetwork &network, size_t step) {
  return std::get_if<Work>(&network.steps[step]);
}

// Whether it has constants that are brought to the tiles; rows of a table are gathered from where it is.
bool holdsConstants(const Work &work, const DeviceNetwork &network) {
  if (work.bias.present() || work.scale.present() || work.table.present())
    return true;
  for (size_t i = 0; i < work.operands.size(); ++i)
    if (network.tensors[work.operands[i].tensor].constant() && !(work.kind == WorkKind::gather && i == 0))
      return true;
  return false;
}

bool isPinned(const Work &work, const DeviceNetwork &network, const PlanOptions &options) {
  const bool isWanted =
      options.pinsWeights || (!options.hints.empty() && options.hints[work.layer].pinsWeights);
  return isWanted && holdsConstants(work, network);
}

// A hint that asks for weights to be pinned where there are none.
Status checkPinned(const DeviceNetwork &network, std::span<const Hints> hints) {
  std::vector<bool> hasConstants(network.layers.size());
  for (const NetworkStep &step : network.steps)
    if (const Work *work = std::get_if<Work>(&step); work && holdsConstants(*work, network))
      hasConstants[work->layer] = true;
  for (size_t layer = 0; layer < hints.size(); ++layer)
    if (hints[layer].pinsWeights && !hasConstants[layer])
      return unsupported(
          fmt::format("the strategy of layer {} ('{}')", layer + 1, network.layers[layer].name),
          "cannot be followed: it has no weights that could be pinned");
  return success();
}

class Planner {
public:
  Planner(const DeviceNetwork &network, const Machine &machine, const PlanOptions &options,
          const Choices &choices)
      : network(network), machine(machine), options(options), choices(choices) {}

  Result<TilePlan> plan(uint64_t ddrBegin) {
    result.tiles = options.tiles;
    result.works.resize(network.steps.size());
    for (size_t i = 0; i < network.steps.size(); ++i)
      if (workOf(network, i)) {
        result.works[i].split = choices[i].split;
        result.works[i].way = choices[i].way;
        result.works[i].chosenCycles = choices[i].cycles;
        result.works[i].isPinned = isPinned(*workOf(network, i), network, options);
        result.works[i].cuts.assign(choices[i].split.parts.size(), 1);
      }
    chooseMemories();
    placeInDdr(ddrBegin);
    formed.assign(network.steps.size(), {});
    for (;;) {
      cutShares();
      keepParts();
      countTurns();
      formBuffers();
      if (const Crowd crowd = mostCrowdedTurn(); crowd.bytes > machine.tile.ocmBytes) {
        CHECK_OK(relieve(crowd));
        continue;
      }
      TRY(const std::optional<DoesNotFit> refused, place());
      if (!refused) {
        result.foreseenCycles = foreseenCycles(network, machine, result, choices);
        return std::move(result);
      }
      // Where gaps were left over; if nothing helps there, where most is.
      if (!relieve({refused->step, refused->alive}))
        CHECK_OK(relieve(mostCrowdedTurn()));
    }
  }

private:
  // --- DDR or OCM ---

  void chooseMemories() {
    result.places.resize(network.tensors.size());
    for (TensorPlace &place : result.places)
      place.inOcm = true;
    for (size_t i = 0; i < network.tensors.size(); ++i)
      if (network.tensors[i].constant())
        result.places[i] = {.inOcm = false, .inDdr = true, .owned = {}, .kept = {}};
    for (const TensorIndex input : network.inputs)
      result.places[input] = {.inOcm = false, .inDdr = true, .owned = {}, .kept = {}};
    const std::vector<bool> isRead = readByWorks();
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
      if (const Work *work = workOf(network, i))
        result.works[i].leavesByClip = !result.places[work->result].inOcm && !isRead[work->result] &&
                                       canGiveNineBits(*work, network.tensors);
  }

  std::vector<bool> readByWorks() const {
    std::vector<bool> isRead(network.tensors.size());
    for (const NetworkStep &step : network.steps)
      if (const Work *work = std::get_if<Work>(&step))
        for (const Operand &operand : work->operands)
          isRead[operand.tensor] = true;
    return isRead;
  }

  void placeInDdr(uint64_t ddrBegin) {
    uint64_t at = ddrBegin;
    for (size_t i = 0; i < network.tensors.size(); ++i)
      if (result.places[i].inDdr && !network.tensors[i].constant()) {
        result.places[i].ddrAddress = at;
        at += aligned(network.tensors[i].sizeInBytes());
      }
    result.ddrEnd = at;
  }

  // --- Shares, parts that are kept, turns ---

  void cutShares() {
    for (size_t i = 0; i < network.steps.size(); ++i) {
      const Work *work = workOf(network, i);
      if (!work || formed[i].isFresh)
        continue;
      WorkPlan &plan = result.works[i];
      const std::vector<Box> boxes =
          boxesOf(plan.split, *work, network.tensors[work->result].shape, options.tiles);
      plan.depths = depthsOf(*work, plan.depthParts);
      plan.steps.assign(options.tiles, {});
      plan.numSteps = 0;
      for (unsigned tile = 0; tile < options.tiles; ++tile) {
        for (const Box &box : stepsOf(boxes[tile], plan.cuts, *work))
          plan.steps[tile].insert(plan.steps[tile].end(), std::max<size_t>(1, plan.depths.size()), box);
        plan.numSteps = std::max(plan.numSteps, static_cast<uint32_t>(plan.steps[tile].size()));
      }
      result.places[work->result].owned = boxes;
    }
  }

  std::vector<Range> depthsOf(const Work &work, int64_t parts) const {
    if (parts == 1)
      return {};
    constexpr int64_t wholePanels = 32; // that fill what the POD and the OCM take at a time
    return cutRange({0, depthOf(work, network.tensors)}, parts, wholePanels);
  }

  void keepParts() {
    for (TensorPlace &place : result.places)
      place.kept = place.inOcm ? place.owned : std::vector<Box>();
    for (size_t i = 0; i < network.steps.size(); ++i)
      if (const Work *work = workOf(network, i))
        for (const Operand &operand : work->operands) {
          TensorPlace &place = result.places[operand.tensor];
          const std::vector<Box> &owned = result.places[work->result].owned;
          for (unsigned tile = 0; tile < options.tiles && place.inOcm; ++tile)
            if (!owned[tile].empty())
              place.kept[tile] =
                  hull(place.kept[tile], neededBox(operand, network.tensors[operand.tensor], owned[tile]));
        }
    if (!hasViews)
      views = viewsWorthTheirTraffic(network, possibleViews(network), result.places);
    hasViews = true;
    result.views = layViews(network, views, result.places);
    for (size_t i = 0; i < network.steps.size(); ++i)
      if (const Work *work = workOf(network, i))
        result.places[work->result].comesInPlace = isInPlaceInPart(*work, result.views);
  }

  void countTurns() {
    uint32_t turn = 0;
    for (WorkPlan &plan : result.works) {
      plan.firstTurn = turn;
      turn += std::max<uint32_t>(1, plan.numSteps);
    }
    numTurns = turn;
  }

  // --- Buffers ---

  size_t addBuffer(uint64_t size, uint32_t from, uint32_t to) {
    result.memory.buffers.push_back(
        {.size = std::max<uint64_t>(size, 1), .alignment = alignment, .from = from, .to = to});
    return result.memory.buffers.size() - 1;
  }

  uint64_t largest(const std::vector<Box> &boxes, ElementType type) const {
    uint64_t most = 0;
    for (const Box &box : boxes)
      most = std::max(most, box.elements());
    return most * sizeBytes(type);
  }

  void formBuffers() {
    result.memory = {.base = options.ocmBase, .capacity = machine.tile.ocmBytes, .buffers = {}};
    early.resize(network.steps.size());
    findLives();
    std::vector<std::optional<size_t>> buffers(network.tensors.size());
    for (size_t i = 0; i < network.steps.size(); ++i)
      if (const Work *work = workOf(network, i)) {
        if (TensorPlace &place = result.places[work->result]; place.inOcm) {
          const TensorIndex whole = outermost(result.views, work->result);
          if (!buffers[whole])
            buffers[whole] = addBuffer(largest(result.places[whole].kept, network.tensors[whole].type),
                                       lives[whole].first, lives[whole].last);
          place.buffer = *buffers[whole];
        }
        formed[i].isFresh && !result.works[i].isPinned ? formAgain(i) : formBuffers(i, *work);
      }
  }

  // What a work has formed stays as it is, turns and numbers of buffers apart, until something of it changes.
  struct Formed {
    bool isFresh = false;
    uint32_t firstTurn = 0;
    size_t firstBuffer = 0;
    std::vector<Buffer> buffers = {};
  };
  void keepFormed(size_t index, size_t firstBuffer) {
    const std::vector<Buffer> &all = result.memory.buffers;
    formed[index] = {true,
                     result.works[index].firstTurn,
                     firstBuffer,
                     {all.begin() + static_cast<std::ptrdiff_t>(firstBuffer), all.end()}};
  }
  void formAgain(size_t index) {
    WorkPlan &plan = result.works[index];
    Formed &its = formed[index];
    const size_t moved = result.memory.buffers.size() - its.firstBuffer; // perhaps backwards
    const uint32_t later = plan.firstTurn - its.firstTurn;
    its.firstBuffer += moved;
    its.firstTurn += later;
    for (Buffer &buffer : its.buffers) {
      buffer.from += later;
      buffer.to += later;
      result.memory.buffers.push_back(buffer);
    }
    for (std::vector<size_t> *numbers :
         {&plan.resultBuffers, &plan.scratchBuffers, &plan.sumBuffers, &early[index]})
      for (size_t &number : *numbers)
        number += moved;
    for (std::vector<Staging> &stages : plan.stages)
      for (Staging &stage : stages)
        stage.buffer += moved;
    for (Staging &stage : plan.vectorStages)
      stage.buffer += moved;
  }
  // Whatever reads or makes the tensor has it elsewhere now.
  void formAnew(TensorIndex tensor) {
    for (size_t i = 0; i < network.steps.size(); ++i)
      if (const Work *work = workOf(network, i))
        if (work->result == tensor ||
            std::ranges::any_of(work->operands, [&](const Operand &it) { return it.tensor == tensor; }))
          formed[i].isFresh = false;
  }

  // From the turn at which the first element of a tensor, or of what lies in it, is made to that at which the
  // last one is read.
  void findLives() {
    lives.assign(network.tensors.size(), {});
    for (size_t i = 0; i < network.steps.size(); ++i)
      if (const Work *work = workOf(network, i)) {
        const uint32_t first = result.works[i].firstTurn, last = first + result.works[i].numSteps - 1;
        const auto lengthen = [&](TensorIndex tensor) {
          Life &life = lives[outermost(result.views, tensor)];
          life = {std::min(life.first, first), std::max(life.last, last)};
        };
        lengthen(work->result);
        for (const Operand &operand : work->operands)
          lengthen(operand.tensor);
      }
  }

  void formBuffers(size_t index, const Work &work) {
    WorkPlan &plan = result.works[index];
    const size_t firstBuffer = result.memory.buffers.size();
    const uint32_t first = plan.firstTurn;
    early[index].clear();
    const TensorPlace &place = result.places[work.result];
    const ElementType type = resultTypeOf(work, plan, network);
    plan.resultBuffers.clear();
    plan.scratchBuffers.clear();
    plan.sumBuffers.clear();
    for (uint32_t step = 0; step < plan.numSteps; ++step) {
      std::vector<Box> boxes = boxesAt(plan, step);
      if (!place.inOcm && plan.endsSum(step)) // one turn more, so that storing meets the next step
        plan.resultBuffers.resize(
            step + 1, addBuffer(largest(boxes, type), first + step, first + step + (plan.numSteps > 1)));
      if (plan.depths.size() > 0 && step % plan.depths.size() == 0)
        plan.sumBuffers.resize(step + plan.depths.size(),
                               addBuffer(largest(boxes, sumTypeOf(work, network.tensors)), first + step,
                                         first + step + static_cast<uint32_t>(plan.depths.size()) - 1));
      uint64_t scratch = 0;
      for (const Box &box : boxes)
        if (!box.empty())
          scratch = std::max(scratch, scratchBytes(work, network.tensors, plan.way, box));
      if (scratch > 0)
        plan.scratchBuffers.push_back(addBuffer(scratch, first + step, first + step));
    }
    plan.stages.assign(work.operands.size(), {});
    for (size_t i = 0; i < work.operands.size(); ++i)
      if (isStaged(work, i))
        formStages(plan, work, i, index);
    formVectorStages(plan, work, index);
    keepFormed(index, firstBuffer);
  }

  // Rows of a table are gathered from where it is.
  bool isStaged(const Work &work, size_t operand) const {
    return !result.places[work.operands[operand].tensor].inOcm &&
           !(work.kind == WorkKind::gather && operand == 0);
  }

  std::vector<Box> boxesAt(const WorkPlan &plan, uint32_t step) const {
    std::vector<Box> boxes;
    for (unsigned tile = 0; tile < options.tiles; ++tile)
      boxes.push_back(step < plan.steps[tile].size() ? plan.steps[tile][step] : Box(plan.cuts.size()));
    return boxes;
  }

  template <class BoxFor>
  std::vector<Staging> stagesOf(const WorkPlan &plan, BoxFor boxFor) const {
    std::vector<Staging> stages;
    for (uint32_t step = 0; step < plan.numSteps; ++step) {
      std::vector<Box> boxes;
      for (const Box &box : boxesAt(plan, step))
        boxes.push_back(box.empty() ? Box(1) : boxFor(box, plan.depthAt(step)));
      if (!stages.empty() && sameOrIdle(stages.back().boxes, boxes))
        stages.back().lastStep = step;
      else
        stages.push_back({step, step, std::move(boxes), 0});
    }
    return stages;
  }
  // Tiles that have nothing to do any more do not mind what others hold.
  static bool sameOrIdle(const std::vector<Box> &held, const std::vector<Box> &wanted) {
    for (size_t tile = 0; tile < held.size(); ++tile)
      if (!wanted[tile].empty() && !(held[tile] == wanted[tile]))
        return false;
    return true;
  }

  void addStageBuffers(WorkPlan &plan, std::vector<Staging> &stages, bool isConstant, size_t index,
                       auto sizeOf) {
    for (Staging &stage : stages) {
      uint64_t most = 0;
      for (const Box &box : stage.boxes)
        most = std::max(most, box.empty() ? 0 : sizeOf(box));
      if (isConstant && plan.isPinned) {
        stage.buffer = addBuffer(most, 0, numTurns);
        continue;
      }
      // What follows the first step comes one turn ahead; what comes with it, earlier if it is constant.
      const uint32_t first = plan.firstTurn + stage.firstStep;
      stage.buffer =
          addBuffer(most, stage.firstStep == 0 ? first : first - 1, plan.firstTurn + stage.lastStep);
      if (stage.firstStep == 0 && isConstant)
        early[index].push_back(stage.buffer);
    }
  }

  void formStages(WorkPlan &plan, const Work &work, size_t operand, size_t index) {
    const Operand &it = work.operands[operand];
    const DeviceTensor &tensor = network.tensors[it.tensor];
    plan.stages[operand] =
        stagesOf(plan, [&](const Box &box, Range depth) { return neededBox(it, tensor, box, depth); });
    addStageBuffers(plan, plan.stages[operand], tensor.constant(), index,
                    [&](const Box &box) { return box.elements() * sizeBytes(tensor.type); });
  }

  void formVectorStages(WorkPlan &plan, const Work &work, size_t index) {
    plan.vectorStages.clear();
    if (!work.bias.present() && !work.scale.present() && !work.table.present())
      return;
    plan.vectorStages = stagesOf(plan, [&](const Box &box, Range) {
      Box outputs(1);
      outputs[0] = work.bias.perOutput || work.scale.perOutput ? box[box.rank() - 1] : Range{0, 1};
      return outputs;
    });
    addStageBuffers(plan, plan.vectorStages, true, index,
                    [&](const Box &box) { return vectorLayout(work, box.elements()).size; });
  }

  // --- Constants, as early as there is room ---

  // With less of them where there is no plan for more, at last with none. A long search brings a percent or
  // two: it is made only at last, and where that may be enough.
  Result<std::optional<DoesNotFit>> place() {
    const MemoryProblem late = result.memory;
    constexpr uint64_t all = 32;
    for (const uint64_t part : {32, 31, 30, 28, 24, 16}) {
      result.memory = late;
      loadEarly(machine.tile.ocmBytes * part / all);
      TRY(const std::optional<DoesNotFit> refused, placeBuffers(MemoryEffort::brief));
      if (!refused)
        return refused;
    }
    result.memory = late;
    TRY(std::optional<DoesNotFit> refused, placeBuffers(MemoryEffort::brief));
    if (refused && refused->needed > machine.tile.ocmBytes + machine.tile.ocmBytes / all)
      return refused;
    return placeBuffers(MemoryEffort::thorough);
  }

  Result<std::optional<DoesNotFit>> placeBuffers(MemoryEffort effort) {
    TRY(const MemoryOutcome outcome, planMemory(result.memory, effort));
    if (const auto *refused = std::get_if<DoesNotFit>(&outcome))
      return std::optional(*refused);
    const auto &placed = std::get<MemoryPlan>(outcome);
    result.addresses = placed.addresses;
    result.ocmPeak = placed.peak;
    return std::optional<DoesNotFit>();
  }

  // In the order in which works need them: what is needed first goes first to where there is room.
  void loadEarly(uint64_t room) {
    std::vector<uint64_t> alive = bytesByTurn();
    for (size_t i = 0; i < early.size(); ++i) {
      uint64_t bytes = 0;
      for (const size_t buffer : early[i])
        bytes += aligned(result.memory.buffers[buffer].size);
      const uint32_t use = result.works[i].firstTurn,
                     limit = use > options.prefetchTurns ? use - options.prefetchTurns : 0;
      uint32_t turn = use;
      for (; turn > limit && alive[turn - 1] + bytes <= room; --turn)
        alive[turn - 1] += bytes;
      for (const size_t buffer : early[i])
        result.memory.buffers[buffer].from = turn;
    }
  }

  std::vector<uint64_t> bytesByTurn() const {
    std::vector<uint64_t> alive(numTurns + 2);
    for (const Buffer &buffer : result.memory.buffers) {
      alive[buffer.from] += aligned(buffer.size);
      alive[std::min(buffer.to, numTurns) + 1] -= aligned(buffer.size);
    }
    for (size_t turn = 1; turn < alive.size(); ++turn)
      alive[turn] += alive[turn - 1];
    return alive;
  }

  // --- Where it does not fit ---

  struct Crowd {
    uint32_t turn = 0;
    uint64_t bytes = 0;
  };
  Crowd mostCrowdedTurn() const {
    const std::vector<uint64_t> alive = bytesByTurn();
    Crowd most;
    for (uint32_t turn = 0; turn < numTurns; ++turn)
      if (alive[turn] > most.bytes)
        most = {turn, alive[turn]};
    return most;
  }

  size_t workAt(uint32_t turn) const {
    size_t index = 0;
    while (index + 1 < result.works.size() && result.works[index + 1].firstTurn <= turn)
      ++index;
    return index;
  }

  // One thing less in the OCMs at that turn: a tensor that only waits there, then smaller steps, then what
  // the work itself reads and writes, and at last steps as small as can be.
  Status relieve(Crowd crowd) {
    const size_t index = workAt(crowd.turn);
    formed[index].isFresh = false; // whatever is done to it
    if (evict(crowd.turn, index, false))
      return success();
    const Work *work = workOf(network, index);
    WorkPlan &plan = result.works[index];
    if (work && isWorthCutting(*work, plan) && cutFiner(*work, plan))
      return success();
    if (evict(crowd.turn, index, true)) {
      plan.depthParts = 1; // it was cut for less room than it has now
      plan.cuts.assign(plan.cuts.size(), 1);
      return success();
    }
    if (work && cutFiner(*work, plan))
      return success();
    return unsupported(work ? network.layers[work->layer].name : "the network",
                       fmt::format("needs {} bytes of a tile at a time, and the machine '{}' has {}",
                                   crowd.bytes, machine.name, machine.tile.ocmBytes));
  }

  // The largest tensor that is in the OCMs then goes to DDR; of those that the work itself uses only if asked
  // for.
  bool evict(uint32_t turn, size_t index, bool isUsed) {
    const Work *work = workOf(network, index);
    TensorPlace *victim = nullptr;
    uint64_t most = 0;
    for (size_t i = 0; i < network.tensors.size(); ++i) {
      TensorPlace &place = result.places[i];
      if (!place.inOcm || result.views[i])
        continue;
      const Buffer &buffer = result.memory.buffers[place.buffer];
      const auto isThere = [&](TensorIndex tensor) { return outermost(result.views, tensor) == i; };
      const bool uses =
          work && (isThere(work->result) || std::ranges::any_of(work->operands, [&](const Operand &it) {
                     return isThere(it.tensor);
                   }));
      if (buffer.from <= turn && turn <= buffer.to && uses == isUsed && buffer.size > most) {
        most = buffer.size;
        victim = &place;
      }
    }
    if (!victim)
      return false;
    victim->inOcm = false;
    formAnew(static_cast<TensorIndex>(victim - result.places.data()));
    if (!victim->inDdr) {
      victim->inDdr = true;
      victim->ddrAddress = result.ddrEnd;
      result.ddrEnd +=
          aligned(network.tensors[static_cast<size_t>(victim - result.places.data())].sizeInBytes());
    }
    return true;
  }

  // Steps that are small beside what else is there bring little room and many instructions.
  bool isWorthCutting(const Work &work, const WorkPlan &plan) const {
    const std::vector<Box> &owned = result.places[work.result].owned;
    const Box &share = *std::ranges::max_element(owned, {}, &Box::elements);
    return bytesOfStep(work, plan, plan.cuts, share, plan.depthParts) > machine.tile.ocmBytes / 8;
  }

  // As many steps as make sense along what is summed over, if that makes them smaller, as it brings nothing
  // twice; else twice as many along the axis that makes the buffers of a step smallest.
  bool cutFiner(const Work &work, WorkPlan &plan) {
    const std::vector<Box> &owned = result.places[work.result].owned;
    const Box &share = *std::ranges::max_element(owned, {}, &Box::elements);
    const uint64_t before = bytesOfStep(work, plan, plan.cuts, share, plan.depthParts);
    if (isSumWorthCutting(work, plan.depthParts * 2) &&
        bytesOfStep(work, plan, plan.cuts, share, plan.depthParts * 2) < before) {
      while (isSumWorthCutting(work, plan.depthParts * 2))
        plan.depthParts *= 2;
      return true;
    }
    uint64_t least = before;
    std::vector<int64_t> best;
    for (size_t axis = 0; axis < plan.cuts.size(); ++axis) {
      std::vector<int64_t> cuts = plan.cuts;
      cuts[axis] = std::min(cuts[axis] * 2, share[axis].size());
      if (!work.divisible[axis] || cuts == plan.cuts || !canStep(work, cuts, owned))
        continue;
      const uint64_t bytes = bytesOfStep(work, plan, cuts, share, plan.depthParts);
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

  // Only where both factors have to come, and not into parts that are too small to be worth an instruction.
  bool isSumWorthCutting(const Work &work, int64_t parts) const {
    constexpr int64_t leastDepth = 64;
    return depthOf(work, network.tensors) / parts >= leastDepth && isStaged(work, 0) && isStaged(work, 1);
  }

  bool canStep(const Work &work, const std::vector<int64_t> &cuts, const std::vector<Box> &owned) const {
    return std::ranges::all_of(owned, [&](const Box &box) {
      return std::ranges::all_of(stepsOf(box, cuts, work),
                                 [&](const Box &step) { return isComputable(work, network.tensors, step); });
    });
  }

  uint64_t bytesOfStep(const Work &work, const WorkPlan &plan, const std::vector<int64_t> &cuts,
                       const Box &share, int64_t depthParts) const {
    const std::vector<Range> depths = depthsOf(work, depthParts);
    const Range depth = depths.empty() ? Range{} : depths.back();
    uint64_t most = 0;
    for (const Box &box : stepsOf(share, cuts, work)) {
      uint64_t bytes = scratchBytes(work, network.tensors, plan.way, box);
      if (!depths.empty())
        bytes += aligned(box.elements() * sizeBytes(sumTypeOf(work, network.tensors)));
      if (!result.places[work.result].inOcm)
        bytes += 2 * aligned(box.elements() * sizeBytes(resultTypeOf(work, plan, network)));
      for (size_t i = 0; i < work.operands.size(); ++i) {
        const DeviceTensor &tensor = network.tensors[work.operands[i].tensor];
        if (isStaged(work, i))
          bytes +=
              aligned(neededBox(work.operands[i], tensor, box, depth).elements() * sizeBytes(tensor.type));
      }
      most = std::max(most, bytes);
    }
    return most;
  }

  const DeviceNetwork &network;
  const Machine &machine;
  const PlanOptions &options;
  const Choices &choices;
  TensorViews views; // that are worth it while their tensors are in the OCMs
  bool hasViews = false;
  TilePlan result;
  struct Life {
    uint32_t first = UINT32_MAX, last = 0; // turns
  };
  std::vector<Life> lives;                // of tensors that lie in no other
  std::vector<Formed> formed;             // by step of the network
  std::vector<std::vector<size_t>> early; // the same, the buffers that may be filled early
  uint32_t numTurns = 0;
};

} // namespace

VectorLayout vectorLayout(const Work &work, uint64_t outputs) {
  VectorLayout layout;
  const auto place = [&](const WorkVector &vector, uint64_t &offset) {
    if (!vector.present())
      return;
    offset = layout.size;
    layout.size += vector.perOutput ? outputs * vector.elementBytes : (vector.bytes.size() + 3) / 4 * 4;
  };
  place(work.bias, layout.bias);
  place(work.scale, layout.scale);
  place(work.table, layout.table);
  return layout;
}

namespace {

// None, and why, where it does not fit: with other choices it may. A mistake of ours is one with any.
Result<std::optional<TilePlan>> planOf(const Choices &choices, const DeviceNetwork &network,
                                       const Machine &machine, const PlanOptions &options, uint64_t ddrBegin,
                                       std::optional<Error> &refusal) {
  Result<TilePlan> plan = Planner(network, machine, options, choices).plan(ddrBegin);
  if (plan)
    return std::optional(std::move(*plan));
  if (plan.error().kind == ErrorKind::internal)
    return plan.error();
  refusal = plan.error();
  return std::optional<TilePlan>();
}

// Whether a tensor that works make for each other goes through DDR.
bool spills(const DeviceNetwork &network, const TilePlan &plan) {
  for (const NetworkStep &step : network.steps)
    if (const Work *work = std::get_if<Work>(&step))
      for (const Operand &operand : work->operands)
        if (const TensorPlace &place = plan.places[operand.tensor]; !place.inOcm && !place.owned.empty())
          return true;
  return false;
}

// What is pinned has to fit, and gaps between addresses are not known before: less and less room is asked for
// until nothing else has to leave.
Result<TilePlan> planPinned(const DeviceNetwork &network, const Machine &machine, const PlanOptions &options,
                            std::vector<bool> pinned, uint64_t ddrBegin) {
  std::vector<uint64_t> limits;
  for (const uint64_t percent : {100, 99, 98, 97, 96, 94, 90})
    limits.push_back(machine.tile.ocmBytes * percent / 100);
  TRY(const std::vector<Choices> all,
      choosePinnedSplits(network, machine, options.tiles, options.hints, std::move(pinned), limits));
  std::optional<TilePlan> best;
  std::optional<Error> refusal;
  for (const Choices &choices : all) {
    TRY(auto plan, planOf(choices, network, machine, options, ddrBegin, refusal));
    const bool isAsWanted = plan && !spills(network, *plan);
    if (plan && (!best || plan->foreseenCycles < best->foreseenCycles))
      best = std::move(plan);
    if (isAsWanted)
      break;
  }
  if (!best)
    return *refusal;
  return std::move(*best);
}

} // namespace

Result<TilePlan> planTiles(const DeviceNetwork &network, const Machine &machine, const PlanOptions &options,
                           uint64_t ddrBegin) {
  CHECK_OK(checkPinned(network, options.hints));
  std::vector<bool> pinned;
  for (const NetworkStep &step : network.steps) {
    const Work *work = std::get_if<Work>(&step);
    pinned.push_back(work && isPinned(*work, network, options));
  }
  if (std::ranges::count(pinned, true) > 0)
    return planPinned(network, machine, options, std::move(pinned), ddrBegin);
  static constexpr std::array<uint64_t, 4> prices = {0, 100, 200, 400};
  TRY(const std::vector<Choices> all, chooseSplits(network, machine, options.tiles, options.hints, prices));
  std::vector<TilePlan> plans;
  std::optional<Error> refusal;
  for (size_t i = 0; i < all.size(); ++i) {
    if (i > 0 && all[i] == all[i - 1]) // the price changes nothing
      continue;
    TRY(auto plan, planOf(all[i], network, machine, options, ddrBegin, refusal));
    if (plan)
      plans.push_back(std::move(*plan));
  }
  if (plans.empty())
    return *refusal;
  // The one with the least in the OCMs of those that are nearly the fastest: where loads run into each
  // other's rooms they hold each other up, which is not foreseen.
  uint64_t least = UINT64_MAX;
  for (const TilePlan &plan : plans)
    least = std::min(least, plan.foreseenCycles);
  const auto best = std::ranges::find_if(plans.rbegin(), plans.rend(), [&](const TilePlan &plan) {
    return plan.foreseenCycles <= least + least / 10;
  });
  return std::move(*best);
}

} // namespace tilerig
