#include "compiler/Tiling/ChooseSplits.h"

#include "compiler/Cost/Movement.h"
#include "compiler/Tiling/OpCycles.h"
#include "compiler/Tiling/Views.h"
#include "isa/Timing/Pod.h"

#include <fmt/core.h>
#include <numeric>
#include <optional>
#include <unordered_map>

namespace tilerig::compiler {

namespace {

bool cutsImage(const DeviceOp &deviceOp, const Split &split) {
  for (size_t axis = 0; axis < split.parts.size(); ++axis)
    if (axis != deviceOp.outputAxis && split.parts[axis] > 1)
      return true;
  return false;
}
bool cutsWeights(const DeviceOp &deviceOp, const Split &split) {
  return deviceOp.outputAxis && split.parts[*deviceOp.outputAxis] > 1;
}

// The reason why the split does not meet the hints; empty if it meets all of them.
std::string missedBy(const Hints &hints, const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors,
                     const Split &split) {
  if (hints.flattening && deviceOp.kind != DeviceOpKind::conv)
    return "the layer is not a convolution";
  const bool flattens = hints.flattening.value_or(Flattening::none) != Flattening::none;
  if (flattens && !canFlatten(deviceOp, tensors))
    return "its windows cannot be copied to the rows of a matrix: the convolution has groups, or padding "
           "and floating-point inputs";
  if (hints.mapping && deviceOp.kind != DeviceOpKind::matmul && !flattens)
    return "the layer is not a matrix product";
  if (hints.cutsWeights && !deviceOp.outputAxis)
    return "the layer has no weights";
  if (hints.splitsDepth != (split.chain > 1))
    return hints.splitsDepth
               ? "the depth of its sums cannot be split (hint split_k): the layer is not a matrix product, "
                 "adds another tensor, has pinned weights, or has too little depth for two tiles"
               : "the depth of its sums would be split, but the hint split_k is not given";
  if (hints.tiles && *hints.tiles != split.tiles())
    return fmt::format("with these hints, its result cannot be split among {} tiles", *hints.tiles);
  if (hints.cutsImage && *hints.cutsImage != cutsImage(deviceOp, split))
    return "its result can only be split along its output channels";
  if (hints.cutsWeights && *hints.cutsWeights != cutsWeights(deviceOp, split))
    return *hints.cutsWeights ? "its output channels cannot be split"
                              : "its result can only be split along its output channels";
  return "";
}

// One candidate for an operation: a split, with all its properties that do not depend on neighbouring
// operations.
struct Candidate {
  Choice choice;
  std::vector<Box> boxes;                 // by tile, its part of the final result
  std::vector<Box> worked;                // for chains: by tile, the box that it works on
  std::vector<Range> depths;              // for chains: by tile, its part of the depth
  std::vector<std::vector<int64_t>> ends; // by axis of the result, end index of each part
  uint64_t compute = 0, constantBytes = 0;
  uint64_t inPlace = 0;   // like `compute`, but with all possible tensor views, which save copies
  uint64_t readBytes = 0; // largest number of bytes that a tile reads besides constants

  bool isChain() const { return choice.split.chain > 1; }
  const Box &workedBox(unsigned tile) const { return worked.empty() ? boxes[tile] : worked[tile]; }
  Box needed(const Operand &operand, const DeviceTensor &tensor, unsigned tile) const {
    return neededBox(operand, tensor, workedBox(tile), depths.empty() ? Range{} : depths[tile]);
  }

  // Number of parts of this split that have elements in common with the box.
  uint64_t partsIn(const Box &box) const {
    uint64_t count = 1;
    for (size_t axis = 0; axis < ends.size(); ++axis) {
      const auto first = std::ranges::upper_bound(ends[axis], box[axis].begin);
      const auto last = std::lower_bound(first, ends[axis].end(), box[axis].end);
      count *= static_cast<uint64_t>(last - first) + 1;
    }
    return count;
  }
};

struct HashOfPointers {
  size_t operator()(const std::vector<const Candidate *> &all) const {
    return std::accumulate(all.begin(), all.end(), size_t{0}, [](size_t hash, const Candidate *candidate) {
      return (hash ^ std::hash<const Candidate *>()(candidate)) * 0x9E3779B97F4A7C15;
    });
  }
};

// Traffic that the arrival of operands causes: bytes that have to reach each tile, for one operand or for all
// operands of an operation.
struct Arrival {
  struct OfTile {
    uint64_t bytes = 0, partners = 0; // partners: number of other tiles' parts that the bytes come from
  };
  std::vector<OfTile> byTile;
  uint64_t ddrBytes = 0;            // bytes that DDR serves to all tiles together
  const Candidate *maker = nullptr; // of one operand: its producer's split; null: it comes from DDR

  explicit Arrival(unsigned tiles = 0) : byTile(tiles) {}
  Arrival &operator+=(const Arrival &other) {
    return combine(other, [](uint64_t &a, uint64_t b) { a += b; });
  }
  Arrival &operator-=(const Arrival &other) {
    return combine(other, [](uint64_t &a, uint64_t b) { a -= b; });
  }

private:
  template <class Apply>
  Arrival &combine(const Arrival &other, Apply apply) {
    for (size_t tile = 0; tile < byTile.size(); ++tile) {
      apply(byTile[tile].bytes, other.byTile[tile].bytes);
      apply(byTile[tile].partners, other.byTile[tile].partners);
    }
    apply(ddrBytes, other.ddrBytes);
    return *this;
  }
};

// Cached traffic to a step with many operands, as it is with the present choices of all splits.
struct WideArrival {
  const Candidate *candidate = nullptr; // split of this step for which this was computed
  std::vector<Arrival> operands;
  Arrival sum;
  std::vector<size_t> changed; // operands whose producer may have another split by now
};

// Coordinate descent over splits: first each operation gets its best split without regard to its readers;
// then, in a few sweeps over all operations, each split is chosen again given the current splits of its
// neighbours. The traffic to readers counts as a cost of the operation whose split causes it.
class Chooser {
public:
  Chooser(const DeviceNetwork &network, const Machine &machine, unsigned tiles, std::span<const Hints> hints,
          std::vector<bool> pinned)
      : network(network), machine(machine), tiles(tiles), movement(machine, tiles), hints(hints),
        pinned(std::move(pinned)), views(possibleViews(network)), noViews(network.tensors.size()),
        makers(network.tensors.size()), readers(network.tensors.size()), slots(network.tensors.size()),
        chosen(network.steps.size()), wideArrivals(network.steps.size()) {
    for (size_t i = 0; i < network.steps.size(); ++i)
      if (const DeviceOp *deviceOp = opAt(i)) {
        makers[deviceOp->result] = i;
        for (size_t slot = 0; slot < deviceOp->operands.size(); ++slot) {
          readers[deviceOp->operands[slot].tensor].push_back(i);
          slots[deviceOp->operands[slot].tensor].push_back(slot);
        }
      }
  }

  Status findCandidates() {
    candidates.resize(network.steps.size());
    for (size_t i = 0; i < network.steps.size(); ++i)
      if (const DeviceOp *deviceOp = opAt(i)) {
        TILERIG_TRY(candidates[i], candidatesOf(i, *deviceOp));
      }
    return success();
  }

  // Lower bound of the bytes per tile of the pinned constants, over all splits.
  uint64_t leastPinnedBytes() const {
    uint64_t bytes = 0;
    for (size_t i = 0; i < candidates.size(); ++i)
      if (pinned[i])
        bytes += std::ranges::min(candidates[i], {}, &Candidate::constantBytes).constantBytes;
    return bytes;
  }

  // The price (in cycles) of 1 KiB of constants in every OCM: `first` for the first `numFirst` steps,
  // `others` for all later steps.
  struct Prices {
    uint64_t others = 0, first = 0;
    size_t numFirst = 0;
  };
  struct Outcome {
    Prices prices;
    Choices choices;
    uint64_t bytes = 0;  // estimated peak of the bytes in use in an OCM
    uint64_t cycles = 0; // estimate, summed over all operations
  };
  Outcome choose(const Prices &prices) {
    for (size_t i = 0; i < chosen.size(); ++i)
      place(i, nullptr);
    constexpr int sweeps = 4;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      pinnedBytes = bytesOfPinned();
      for (size_t i = 0; i < network.steps.size(); ++i)
        if (opAt(i))
          place(i, bestOf(i, i < prices.numFirst ? prices.first : prices.others, sweep > 0));
    }
    // Chains (tiles that divide the depth of a sum) are tried last, against the best split without chains. As
    // long as the choices for neighbouring operations change, a chain may look better than it is and would
    // mislead the choices for these neighbours.
    for (size_t i = 0; i < network.steps.size(); ++i)
      if (opAt(i) && candidates[i].back().isChain() && !chosen[i]->isChain())
        place(i, bestOf(i, i < prices.numFirst ? prices.first : prices.others, true, true));
    Outcome outcome{.prices = prices, .choices = Choices(network.steps.size()), .bytes = mostBytes()};
    for (size_t i = 0; i < network.steps.size(); ++i)
      if (const Candidate *candidate = chosen[i]) {
        outcome.choices[i] = candidate->choice;
        outcome.choices[i].cycles = cyclesOf(i, *candidate);
        outcome.cycles += outcome.choices[i].cycles;
      }
    return outcome;
  }

  // For each limit (bytes of an OCM) that can be kept, the fastest choices that keep it. The peak does not
  // fall monotonically as the price of constants (cycles per KiB in the OCM) rises, so prices are tried up to
  // twice the first one that meets the lowest limit.
  std::vector<Choices> fastestWithin(std::span<const uint64_t> limits) {
    constexpr uint64_t least = 32, highest = uint64_t{1} << 14;
    std::vector<Outcome> outcomes;
    uint64_t enough = highest;
    for (uint64_t before = 0, price = 0; price <= enough;
         before = std::exchange(price, std::max(least, price + price / 4))) {
      outcomes.push_back(choose({.others = price, .first = before}));
      if (outcomes.back().bytes <= std::ranges::min(limits))
        enough = std::min(enough, 2 * price);
    }
    std::vector<Choices> all;
    for (const uint64_t limit : limits) {
      const Outcome *best = nullptr;
      for (const Outcome &outcome : outcomes)
        if (outcome.bytes <= limit && (!best || outcome.cycles < best->cycles))
          best = &outcome;
      if (best)
        all.push_back(fillRoom(*best, limit));
    }
    if (all.empty()) // no limit can be kept, but the planner can still spill tensors
      for (size_t i = 0; i < outcomes.size(); i += 4)
        all.push_back(std::move(outcomes[i].choices));
    return all;
  }

private:
  // Choices that make better use of the OCM bytes up to the limit. A price is the cost, in cycles, of 1 KiB
  // of constants in the OCM. Layers that are alike all change their splits at the same price, which leaves
  // bytes unused. So a binary search finds how many of the first steps can get the next lower price without
  // exceeding the limit.
  Choices fillRoom(Outcome best, uint64_t limit) {
    Prices prices = best.prices;
    for (size_t few = 0, many = network.steps.size(); many - few > 1;) {
      prices.numFirst = (few + many) / 2;
      Outcome outcome = choose(prices);
      const bool fits = outcome.bytes <= limit;
      (fits ? few : many) = prices.numFirst;
      if (fits && outcome.cycles < best.cycles)
        best = std::move(outcome);
    }
    return std::move(best.choices);
  }

  const DeviceOp *opAt(size_t i) const { return std::get_if<DeviceOp>(&network.steps[i]); }

  // Whether the step is a matrix product that reads both factors from DDR, because no device operation
  // produces either.
  bool isFedByDdr(size_t index) const {
    const DeviceOp &deviceOp = *opAt(index);
    return deviceOp.kind == DeviceOpKind::matmul && !pinned[index] && !makers[deviceOp.operands[0].tensor] &&
           !makers[deviceOp.operands[1].tensor] && depthOf(deviceOp, network.tensors) > 0;
  }

  // Replaces the candidate's costs by those of ProductSteps (a product whose factors both come from DDR,
  // computed in steps): `compute` then includes the loads, and no constant occupies the OCM for long.
  void goThroughInSteps(Candidate &candidate, const DeviceOp &deviceOp,
                        std::span<const EngineMapping> engineMappings) const {
    Split &split = candidate.choice.split;
    split.band = bestBand(deviceOp, split);
    std::vector<Box> shares = boxesOf(split, deviceOp, network.tensors[deviceOp.result].shape, tiles);
    const auto outlook = chooseSteps(deviceOp, network.tensors, shares, engineMappings,
                                     readers[deviceOp.result].empty(), machine);
    if (!outlook) {
      split.band = 0;
      return;
    }
    candidate.boxes = std::move(shares);
    candidate.choice.engineMapping = outlook->engineMapping;
    candidate.choice.product = outlook->steps;
    candidate.compute = candidate.inPlace = outlook->cycles;
    candidate.constantBytes = 0;
  }

  // The value of Split::band, which determines the order in which parts go to tiles, with the fewest bytes
  // through the busiest DDR port: tiles that read the same part should be within few rows of routers.
  int64_t bestBand(const DeviceOp &deviceOp, Split split) const {
    int64_t best = 0;
    uint64_t least = UINT64_MAX;
    for (const int64_t band : {int64_t{0}, int64_t{1}, int64_t{2}, int64_t{4}, int64_t{8}, int64_t{16}}) {
      if (band > 0 && (band >= split.parts.back() || split.parts.back() % band != 0))
        continue;
      split.band = band;
      const uint64_t bytes = bytesAtBusiestPort(
          deviceOp, network.tensors, boxesOf(split, deviceOp, network.tensors[deviceOp.result].shape, tiles),
          machine);
      if (bytes < least) {
        least = bytes;
        best = band;
      }
    }
    return best;
  }

  // By axis of the result, the end index of each part into which the split divides the axis.
  static std::vector<std::vector<int64_t>> endsOf(const Split &split, const DeviceOp &deviceOp,
                                                  std::span<const int64_t> shape) {
    std::vector<std::vector<int64_t>> all(shape.size());
    for (size_t axis = 0; axis < shape.size(); ++axis)
      for (int64_t part = 0; part < split.parts[axis]; ++part)
        all[axis].push_back(split.rangeOf(axis, part, shape[axis], deviceOp.groupSize[axis]).end);
    return all;
  }

  // Whether to consider chains (tiles that divide the depth of a sum): if hints ask for them, or if the
  // result has so few POD blocks per tile that the tiles cannot share the blocks evenly. A single block takes
  // as long on a chain as on one tile, because its products are added in a fixed order.
  bool canFormChains(size_t index, const Hints &wanted) const {
    const DeviceOp &deviceOp = *opAt(index);
    if (deviceOp.kind != DeviceOpKind::matmul || deviceOp.addend || pinned[index] ||
        depthOf(deviceOp, network.tensors) == 0)
      return false;
    const PodRate &rate = rateOf(network.tensors[deviceOp.operands[0].tensor].type, machine.pod);
    const uint64_t block = uint64_t{rate.positions} * rate.outputs;
    constexpr uint64_t few = 4;
    const bool isShort = Box::whole(network.tensors[deviceOp.result].shape).elements() < few * tiles * block;
    return wanted.splitsDepth || (wanted.empty() && isShort && !isFedByDdr(index));
  }

  // The split that the hints ask for by its parts; without such hints all usual splits. If the requested
  // split is impossible, the list is empty and `missed` says why.
  std::vector<Split> splitsFor(const DeviceOp &deviceOp, const Hints &wanted, unsigned most,
                               std::string &missed) const {
    const std::vector<int64_t> &shape = network.tensors[deviceOp.result].shape;
    if (wanted.parts.empty())
      return possibleSplits(deviceOp, shape, most);
    if (std::string why = whyNotParts(wanted.parts, wanted.sizes, deviceOp, shape, most); !why.empty()) {
      missed = std::move(why);
      return {};
    }
    return {Split{.parts = wanted.parts, .sizes = wanted.sizes}};
  }

  void addChains(const DeviceOp &deviceOp, const Hints &wanted, std::span<const EngineMapping> engineMappings,
                 std::vector<Candidate> &all, std::string &missed) const {
    constexpr int64_t leastDepth = 32;
    const int64_t depth = depthOf(deviceOp, network.tensors);
    for (Split split : splitsFor(deviceOp, wanted, tiles / 2, missed))
      for (const int64_t parts = split.tiles(); split.chain * 2 * parts <= static_cast<int64_t>(tiles);) {
        split.chain *= 2;
        if (depth / split.chain < leastDepth)
          break;
        if (std::string why = missedBy(hintsOfChains(wanted), deviceOp, network.tensors, split); !why.empty())
          missed = std::move(why);
        else
          all.push_back(chainOf(deviceOp, split, engineMappings));
      }
  }
  // The hints that a chain (tiles that divide the depth of a sum) is checked against: chains are allowed even
  // if the layer's hints do not ask for them.
  static Hints hintsOfChains(Hints wanted) {
    wanted.splitsDepth = true;
    return wanted;
  }

  Candidate chainOf(const DeviceOp &deviceOp, const Split &split,
                    std::span<const EngineMapping> engineMappings) const {
    const std::vector<int64_t> &shape = network.tensors[deviceOp.result].shape;
    Candidate candidate;
    candidate.choice.split = split;
    candidate.boxes = boxesOf(split, deviceOp, shape, tiles);
    candidate.worked = workedBoxesOf(split, deviceOp, shape, tiles);
    for (unsigned tile = 0; tile < tiles; ++tile)
      candidate.depths.push_back(depthOfTile(split, depthOf(deviceOp, network.tensors), tile));
    candidate.ends = endsOf(split, deviceOp, shape);
    chooseBoxes(deviceOp, engineMappings, candidate);
    candidate.inPlace = candidate.compute;
    candidate.constantBytes = bytesKept(deviceOp, candidate, true);
    candidate.readBytes = bytesKept(deviceOp, candidate, false);
    return candidate;
  }

  void chooseBoxes(const DeviceOp &deviceOp, std::span<const EngineMapping> engineMappings,
                   Candidate &candidate) const {
    const Box &share = *std::ranges::max_element(candidate.worked, {}, &Box::elements);
    const size_t rows = share.rank() - 2, columns = share.rank() - 1;
    const size_t axis = deviceOp.divisible[rows] && share[rows].size() > 1 ? rows : columns;
    candidate.compute = UINT64_MAX;
    for (int64_t count = 1;
         count == 1 || (deviceOp.divisible[axis] && count <= share[axis].size() && count <= 32); count *= 2) {
      std::vector<int64_t> cuts(share.rank(), 1);
      cuts[axis] = count;
      const Box box = stepsOf(share, cuts, deviceOp).back();
      for (const EngineMapping &engineMapping : engineMappings) {
        const uint64_t cycles =
            cyclesOfChain(deviceOp, box, static_cast<uint64_t>(count), candidate, engineMapping);
        if (cycles < candidate.compute) {
          candidate.compute = cycles;
          candidate.choice.engineMapping = engineMapping;
          candidate.choice.cuts = cuts;
        }
      }
    }
  }
  // Cycles of a chain for `count` boxes like `box`. The first box passes all tiles of the chain, and the next
  // ones follow in a pipeline: the sums of one box are sent while those of the next box are added up.
  uint64_t cyclesOfChain(const DeviceOp &deviceOp, const Box &box, uint64_t count, const Candidate &candidate,
                         const EngineMapping &engineMapping) const {
    const uint64_t sums = box.elements() * sizeBytes(sumTypeOf(deviceOp, network.tensors)),
                   sent = movement.tileCycles(sums),
                   added = cyclesOfPart(deviceOp, network.tensors, box, candidate.depths.back(),
                                        engineMapping, machine),
                   wait = 2 * movement.handOverCycles() + machine.sync.localCycles;
    const auto length = static_cast<uint64_t>(candidate.choice.split.chain);
    return length * added + (length - 1) * (sent + wait) +
           (count - 1) * (std::max(added, sent) + machine.sync.semaphoreCycles);
  }

  Result<std::vector<Candidate>> candidatesOf(size_t index, const DeviceOp &deviceOp) const {
    const std::vector<int64_t> &shape = network.tensors[deviceOp.result].shape;
    const Hints wanted = hints.empty() ? Hints{} : hints[deviceOp.layer];
    const std::vector<EngineMapping> tried = waysOf(deviceOp, wanted);
    std::vector<Candidate> all;
    std::string missed;
    for (const Split &split : splitsFor(deviceOp, wanted, tiles, missed)) {
      std::vector<Box> boxes = boxesOf(split, deviceOp, shape, tiles);
      if (!std::ranges::all_of(
              boxes, [&](const Box &box) { return isComputable(deviceOp, network.tensors, box); })) {
        if (missed.empty())
          missed = "no instruction can compute one part of its result alone";
        continue;
      }
      if (std::string why = missedBy(wanted, deviceOp, network.tensors, split); !why.empty()) {
        missed = std::move(why);
        continue;
      }
      const Box &largest = *std::ranges::max_element(boxes, {}, &Box::elements);
      Candidate candidate;
      candidate.choice.split = split;
      candidate.compute = UINT64_MAX;
      candidate.ends = endsOf(split, deviceOp, shape);
      for (const EngineMapping &engineMapping : tried)
        if (const uint64_t cycles =
                computeCycles(deviceOp, network.tensors, noViews, largest, engineMapping, machine);
            cycles < candidate.compute) {
          candidate.compute = cycles;
          candidate.choice.engineMapping = engineMapping;
        }
      candidate.inPlace = isInPlaceInPart(deviceOp, views)
                              ? computeCycles(deviceOp, network.tensors, views, largest, {}, machine)
                              : candidate.compute;
      candidate.boxes = std::move(boxes);
      candidate.constantBytes = bytesKept(deviceOp, candidate, true);
      candidate.readBytes = bytesKept(deviceOp, candidate, false);
      if (isFedByDdr(index))
        goThroughInSteps(candidate, deviceOp, tried);
      all.push_back(std::move(candidate));
    }
    if (canFormChains(index, wanted))
      addChains(deviceOp, wanted, tried, all, missed);
    if (all.empty())
      return unsupported(fmt::format("the strategy of layer {} ('{}')", deviceOp.layer + 1,
                                     network.layers[deviceOp.layer].name),
                         "cannot be applied: " + missed);
    return all;
  }

  std::vector<EngineMapping> waysOf(const DeviceOp &deviceOp, const Hints &wanted) const {
    std::vector<EngineMapping> engineMappings;
    const auto add = [&](Flattening flattening) {
      for (const Mapping mapping : {Mapping::lamm, Mapping::samm1, Mapping::samm2})
        if (!wanted.mapping || *wanted.mapping == mapping)
          engineMappings.push_back({mapping, flattening});
    };
    const Flattening flattening = wanted.flattening.value_or(Flattening::none);
    if (deviceOp.kind == DeviceOpKind::matmul || flattening != Flattening::none)
      add(flattening);
    else
      engineMappings.push_back({});
    // Im2col is tried, too, where direct convolution leaves lanes of the POD idle at every position of the
    // kernel.
    if (!wanted.flattening && canFlatten(deviceOp, network.tensors)) {
      const DeviceTensor &image = network.tensors[deviceOp.operands[0].tensor];
      if (image.shape.back() % rateOf(image.type, machine.pod).k != 0) {
        add(Flattening::whole);
        add(Flattening::overlapped);
      }
    }
    return engineMappings;
  }

  // The cheapest candidate split of a step, if constants cost `price` cycles per KiB in the OCM. With
  // `withChains`, the candidates are the chains (splits of the summed axis) and the present choice; without
  // it, all splits that are no chains. If a step has only chains, all of them are candidates.
  const Candidate *bestOf(size_t index, uint64_t price, bool withReaders, bool withChains = false) {
    const bool onlyChains = candidates[index].front().isChain();
    const Candidate *const present = chosen[index];
    const DeviceOp &deviceOp = *opAt(index);
    waitingBytes = pinnedBytes == 0 ? 0 : bytesWaiting(index);
    const Candidate *best = nullptr;
    uint64_t least = UINT64_MAX;
    for (const Candidate &candidate : candidates[index]) {
      if (!onlyChains && candidate.isChain() != withChains && (!withChains || &candidate != present))
        continue;
      // Costs that are quick to compute are added first. As no cost is negative, a candidate can be dropped
      // as soon as it exceeds the best one.
      uint64_t cycles = price * candidate.constantBytes / 1024;
      if (cycles + candidate.inPlace >= least || (cycles += cyclesOf(index, candidate)) >= least ||
          (cycles += spillCycles(index, candidate)) >= least)
        continue;
      if (withReaders) {
        place(index, &candidate);
        for (const size_t reader : readers[deviceOp.result])
          cycles += arrivalCycles(reader, *chosen[reader]);
        place(index, present);
      }
      // Of equally fast candidates, the one on fewer tiles is chosen.
      if (cycles < least ||
          (cycles == least && candidate.choice.split.tiles() < best->choice.split.tiles())) {
        least = cycles;
        best = &candidate;
      }
    }
    return best;
  }

  // Cycles of the step with this candidate split, including the arrival of the operands. If no operand has to
  // arrive, every tile already has what it reads, and operands that can be tensor views are not copied.
  uint64_t cyclesOf(size_t index, const Candidate &candidate) {
    if (candidate.choice.product) // `compute` includes the loads
      return candidate.compute;
    const uint64_t arrival = arrivalCycles(index, candidate);
    return arrival + (arrival == 0 ? candidate.inPlace : candidate.compute);
  }

  // Most bytes that an operation reads on any one tile: bytes of its constants or, with `constants` false, of
  // all its other operands.
  uint64_t bytesKept(const DeviceOp &deviceOp, const Candidate &candidate, bool constants) const {
    uint64_t most = 0;
    for (unsigned tile = 0; tile < tiles; ++tile) {
      uint64_t bytes = 0;
      if (!candidate.workedBox(tile).empty())
        for (const Operand &operand : deviceOp.operands)
          if (const DeviceTensor &tensor = network.tensors[operand.tensor]; tensor.constant() == constants)
            bytes += candidate.needed(operand, tensor, tile).elements() * sizeBytes(tensor.type);
      most = std::max(most, bytes);
    }
    return most;
  }

  // Bytes of the tensor in the OCM of the tile that keeps most of it: the hull of the part that the tile
  // computes and of what operations on it read.
  uint64_t bytesKept(TensorIndex tensor) const {
    const Candidate *maker = makerOf(tensor);
    if (!maker)
      return 0;
    uint64_t most = 0;
    for (unsigned tile = 0; tile < tiles; ++tile) {
      Box kept = maker->boxes[tile];
      for (size_t use = 0; use < readers[tensor].size(); ++use)
        if (const Candidate *read = chosen[readers[tensor][use]]; read && !read->workedBox(tile).empty())
          kept = hull(kept, read->needed(opAt(readers[tensor][use])->operands[slots[tensor][use]],
                                         network.tensors[tensor], tile));
      most = std::max(most, kept.elements());
    }
    return most * sizeBytes(network.tensors[tensor].type);
  }
  uint64_t bytesTouched(size_t index) const {
    const DeviceOp &deviceOp = *opAt(index);
    uint64_t bytes = bytesKept(deviceOp.result) + (pinned[index] ? 0 : chosen[index]->constantBytes);
    for (const Operand &operand : deviceOp.operands)
      bytes += bytesKept(operand.tensor);
    return bytes;
  }
  // Bytes that the step uses in an OCM: its result, operands and constants. `kept`: by tensor, its bytes in
  // the OCM of the tile that keeps most of it.
  uint64_t bytesTouched(size_t index, std::span<const uint64_t> kept) const {
    const DeviceOp &deviceOp = *opAt(index);
    uint64_t bytes = kept[deviceOp.result] + (pinned[index] ? 0 : chosen[index]->constantBytes);
    for (const Operand &operand : deviceOp.operands)
      bytes += kept[operand.tensor];
    return bytes;
  }
  // Bytes of tensors that are computed before step `index` and read after that step, but not by it.
  uint64_t bytesWaiting(size_t index) const {
    uint64_t bytes = 0;
    for (size_t tensor = 0; tensor < makers.size(); ++tensor)
      if (makers[tensor] && *makers[tensor] < index && !readers[tensor].empty() &&
          readers[tensor].back() > index &&
          std::ranges::find(readers[tensor], index) == readers[tensor].end())
        bytes += bytesKept(static_cast<TensorIndex>(tensor));
    return bytes;
  }

  // Peak bytes per OCM over all steps: tensors and constants that the step uses, and tensors that wait for
  // later steps. Each tensor is visited once: differences from step to step add its bytes behind its producer
  // and subtract them behind its last reader. Steps that read the tensor are left out, since it is part of
  // their own bytes.
  uint64_t mostBytes() const {
    std::vector<uint64_t> kept(network.tensors.size());
    std::vector<uint64_t> waiting(network.steps.size() + 1); // by step: change of waiting bytes, mod 2^64
    const auto waits = [&](size_t begin, size_t end, uint64_t bytes) {
      waiting[begin] += bytes;
      waiting[end] -= bytes;
    };
    for (size_t tensor = 0; tensor < makers.size(); ++tensor) {
      if (!makers[tensor])
        continue;
      kept[tensor] = bytesKept(static_cast<TensorIndex>(tensor));
      size_t from = *makers[tensor] + 1;
      for (const size_t reader : readers[tensor]) { // in ascending order
        waits(std::min(from, reader), reader, kept[tensor]);
        from = reader + 1;
      }
    }
    uint64_t most = 0, now = 0;
    for (size_t i = 0; i < network.steps.size(); ++i) {
      now += waiting[i];
      if (chosen[i])
        most = std::max(most, now + bytesTouched(i, kept));
    }
    return bytesOfPinned() + most;
  }

  uint64_t bytesOfPinned() const {
    uint64_t bytes = 0;
    for (size_t i = 0; i < chosen.size(); ++i)
      if (chosen[i] && pinned[i])
        bytes += chosen[i]->constantBytes;
    return bytes;
  }

  // Cycles for spilling: operands go to DDR and back if they exceed a quarter of an OCM (the rest is for
  // constants and results). With pinned constants the bytes in use are known: then operands spill if these
  // bytes, with all that the step needs, exceed an OCM.
  uint64_t spillCycles(size_t index, const Candidate &candidate) {
    const DeviceOp &deviceOp = *opAt(index);
    if (candidate.choice.product)
      return 0;
    const Candidate *const before = std::exchange(chosen[index], &candidate);
    const bool stays = pinnedBytes == 0
                           ? candidate.readBytes <= machine.tile.ocmBytes / 4
                           : pinnedBytes + waitingBytes + bytesTouched(index) <= machine.tile.ocmBytes;
    chosen[index] = before;
    if (stays)
      return 0;
    uint64_t bytes = 0;
    for (const Operand &operand : deviceOp.operands)
      if (const DeviceTensor &tensor = network.tensors[operand.tensor]; !tensor.constant())
        bytes += 2 * tensor.sizeInBytes();
    return movement.ddrCycles(bytes);
  }

  // Changes the choice of a step. For each reader with many operands (isWide()), records which of its
  // operands now comes from another split.
  void place(size_t index, const Candidate *candidate) {
    if (std::exchange(chosen[index], candidate) == candidate)
      return;
    const DeviceOp *deviceOp = opAt(index);
    for (size_t use = 0; deviceOp && use < readers[deviceOp->result].size(); ++use)
      if (const size_t reader = readers[deviceOp->result][use]; isWide(*opAt(reader)))
        wideArrivals[reader].changed.push_back(slots[deviceOp->result][use]);
  }

  // Cycles until all operands have arrived: of the tile that receives most, or of DDR if that takes longer.
  uint64_t arrivalCycles(size_t index, const Candidate &candidate) {
    const DeviceOp &deviceOp = *opAt(index);
    return isWide(deviceOp) ? cyclesOfWideArrival(index, candidate) : knownArrivalCycles(deviceOp, candidate);
  }

  // Cycles until all operands of a step with few operands have arrived. These are memoised, as the same
  // splits of neighbouring operations recur in many sweeps and at many prices of OCM space.
  uint64_t knownArrivalCycles(const DeviceOp &deviceOp, const Candidate &candidate) {
    meeting.assign(1, &candidate);
    for (const Operand &operand : deviceOp.operands)
      meeting.push_back(makerOf(operand.tensor));
    if (const auto known = arrivals.find(meeting); known != arrivals.end())
      return known->second;
    return arrivals.emplace(meeting, cyclesOfArrival(deviceOp, candidate)).first->second;
  }
  uint64_t cyclesOfArrival(const DeviceOp &deviceOp, const Candidate &candidate) const {
    Arrival all(tiles);
    for (const Operand &operand : deviceOp.operands)
      all += arrivalOf(operand, candidate);
    return cyclesOf(all);
  }

  // Whether an operation has many operands, as a concat may have hundreds. All its producers hardly ever have
  // the same splits twice, so memoising does not help. But few splits change between two calls, so the total
  // traffic is kept and updated for the operands whose producers changed.
  static bool isWide(const DeviceOp &deviceOp) { return deviceOp.operands.size() > 8; }
  uint64_t cyclesOfWideArrival(size_t index, const Candidate &candidate) {
    const DeviceOp &deviceOp = *opAt(index);
    WideArrival &known = wideArrivals[index];
    if (std::exchange(known.candidate, &candidate) != &candidate) {
      known.operands.clear();
      known.sum = Arrival(tiles);
      for (const Operand &operand : deviceOp.operands) {
        known.operands.push_back(arrivalOf(operand, candidate));
        known.sum += known.operands.back();
      }
    } else {
      for (const size_t slot : known.changed)
        if (Arrival &operand = known.operands[slot];
            operand.maker != makerOf(deviceOp.operands[slot].tensor)) {
          known.sum -= operand;
          operand = arrivalOf(deviceOp.operands[slot], candidate);
          known.sum += operand;
        }
    }
    known.changed.clear();
    return cyclesOf(known.sum);
  }

  uint64_t cyclesOf(const Arrival &arrival) const {
    uint64_t most = 0;
    for (const Arrival::OfTile &tile : arrival.byTile)
      most = std::max(most, movement.arrivalCycles(tile.bytes, tile.partners));
    return std::max(most, movement.ddrCycles(arrival.ddrBytes));
  }

  // Bytes that DDR serves for an operand that is no constant. Each tile loads what it needs; equal boxes are
  // loaded once by multicast.
  uint64_t bytesOfDdr(const Operand &operand, const Candidate &candidate) const {
    const DeviceTensor &tensor = network.tensors[operand.tensor];
    std::vector<Box> parts;
    uint64_t bytes = 0;
    for (unsigned tile = 0; tile < tiles; ++tile)
      if (!candidate.workedBox(tile).empty())
        if (Box part = candidate.needed(operand, tensor, tile);
            std::ranges::find(parts, part) == parts.end()) {
          bytes += bytesInRuns(tensor, part, machine.ddr.granuleBytes);
          parts.push_back(std::move(part));
        }
    return bytes;
  }

  const Candidate *makerOf(TensorIndex tensor) const {
    return makers[tensor] ? chosen[*makers[tensor]] : nullptr;
  }

  Arrival arrivalOf(const Operand &operand, const Candidate &candidate) const {
    const DeviceTensor &tensor = network.tensors[operand.tensor];
    Arrival arrival(tiles);
    arrival.maker = makerOf(operand.tensor);
    for (unsigned tile = 0; tile < tiles; ++tile)
      if (!candidate.workedBox(tile).empty())
        arrival.byTile[tile] =
            arrivalAt(tile, candidate.needed(operand, tensor, tile), tensor, arrival.maker);
    if (!arrival.maker && !tensor.constant())
      arrival.ddrBytes = bytesOfDdr(operand, candidate);
    return arrival;
  }
  Arrival::OfTile arrivalAt(unsigned tile, const Box &needed, const DeviceTensor &tensor,
                            const Candidate *maker) const {
    if (needed.empty())
      return {};
    const uint64_t all = bytesInRuns(tensor, needed, machine.tile.ocmAccessBytes);
    if (!maker)
      return {all, 0};
    const uint64_t wanted = needed.elements(), here = intersection(needed, maker->boxes[tile]).elements();
    return {all * (wanted - here) / wanted, here < wanted ? maker->partsIn(needed) - (here > 0) : 0};
  }

  const DeviceNetwork &network;
  const Machine &machine;
  unsigned tiles;
  MovementCosts movement;
  std::span<const Hints> hints;
  std::vector<bool> pinned;                       // by step: whether its constants are pinned
  const TensorViews views, noViews;               // all possible views; no views
  std::vector<std::vector<Candidate>> candidates; // by step
  uint64_t pinnedBytes = 0, waitingBytes = 0;     // per tile: pinned constants; tensors needed later
  std::vector<std::optional<size_t>> makers;      // by tensor, the step that makes it
  std::vector<std::vector<size_t>> readers;       // by tensor, the steps that read it, one entry per operand
  std::vector<std::vector<size_t>> slots;         // by tensor, the operand index for each entry of `readers`
  std::vector<const Candidate *> chosen;          // by step, its present choice; changed by place() only
  // Key of the cache: a step's candidate split, then the splits of the operations that compute its operands.
  // Value: cycles until the operands have arrived.
  using Meeting = std::vector<const Candidate *>;
  std::unordered_map<Meeting, uint64_t, HashOfPointers> arrivals;
  Meeting meeting;                       // key to look up; kept to save allocations
  std::vector<WideArrival> wideArrivals; // by step; used for steps with many operands only
};

} // namespace

Result<std::vector<Choices>> chooseSplits(const DeviceNetwork &network, const Machine &machine,
                                          unsigned tiles, std::span<const Hints> hints,
                                          std::span<const uint64_t> prices) {
  Chooser chooser(network, machine, tiles, hints, std::vector<bool>(network.steps.size()));
  TILERIG_CHECK_OK(chooser.findCandidates());
  std::vector<Choices> all;
  for (const uint64_t price : prices)
    all.push_back(chooser.choose({price}).choices);
  return all;
}

Result<std::vector<Choices>> choosePinnedSplits(const DeviceNetwork &network, const Machine &machine,
                                                unsigned tiles, std::span<const Hints> hints,
                                                std::vector<bool> pinned, std::span<const uint64_t> limits) {
  Chooser chooser(network, machine, tiles, hints, std::move(pinned));
  TILERIG_CHECK_OK(chooser.findCandidates());
  if (const uint64_t least = chooser.leastPinnedBytes(); least > machine.tile.ocmBytes)
    return unsupported(
        "the pinned weights",
        fmt::format("need at least {} bytes of a tile's OCM, but a tile of machine '{}' has {}", least,
                    machine.name, machine.tile.ocmBytes),
        "pin the weights of fewer layers, or use more tiles");
  return chooser.fastestWithin(limits);
}

} // namespace tilerig::compiler
