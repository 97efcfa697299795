#include "compiler/Tile/Plan/ChooseSplits.h"

#include "compiler/Tile/Plan/AlikeSplits.h"
#include "compiler/Tile/Plan/OcmEstimate.h"
#include "compiler/Tile/Plan/PlaceParts.h"

#include <algorithm>
#include <fmt/core.h>
#include <functional>

namespace tilerig::compiler {

namespace {

// Coordinate descent over splits: first each operation gets its best split without regard to its readers;
// then, in a few sweeps over all operations, each split is chosen again given the current splits of its
// neighbours. The traffic to readers counts as a cost of the operation whose split causes it.
class Chooser {
public:
  Chooser(const SplitProblem &problem, std::vector<SplitCandidates> candidates)
      : problem(problem), movement(problem.machine, problem.tiles), candidates(std::move(candidates)),
        chosen(numSteps()), arrivals(problem, chosen), ocm(problem, chosen) {}

  // The price, in cycles, of keeping 1 KiB of constants in every OCM (on-chip memory). It is `first` for the
  // first `numFirst` steps of the network, and `others` for all later steps.
  struct Prices {
    uint64_t others = 0, first = 0;
    size_t numFirst = 0;
    // A step that uses more bytes of an OCM than this, beside pinned constants, is assumed to spill its operands.
    uint64_t mostInUse = UINT64_MAX;

    uint64_t at(size_t step) const { return step < numFirst ? first : others; }
  };
  struct Outcome {
    Prices prices;
    Choices choices;
    std::vector<uint64_t> inUse; // estimated bytes in an OCM at each step, beside pinned constants
    uint64_t bytes = 0;          // estimate of the largest number of bytes in an OCM at a time
    uint64_t cycles = 0;         // estimated cycles of all operations together
  };
  // Chooses splits. If `alike` has candidates for a step, the step has one of these.
  Outcome choose(const Prices &prices, std::span<const AlikeSplits> alike = {}) {
    allowed = alike;
    mostInUse = prices.mostInUse;
    for (size_t step = 0; step < numSteps(); ++step)
      place(step, nullptr);
    constexpr int sweeps = 4;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      pinnedBytes = ocm.pinnedBytes();
      for (size_t step = 0; step < numSteps(); ++step)
        if (problem.opAt(step))
          place(step, bestOf(step, prices.at(step), sweep > 0));
    }
    // Chains (tiles that divide the depth of a sum) are tried last, against the best split without chains.
    // Earlier, while the splits of neighbouring operations still change, chains would be estimated too fast.
    for (size_t step = 0; step < numSteps(); ++step)
      if (problem.opAt(step) && candidates[step].back().isChain() && !chosen[step]->isChain() &&
          (allowed.empty() || allowed[step].empty()))
        place(step, bestOf(step, prices.at(step), true, true));
    Outcome outcome{.prices = prices, .choices = Choices(numSteps()), .inUse = ocm.bytesInUse()};
    outcome.bytes = ocm.pinnedBytes();
    if (!outcome.inUse.empty())
      outcome.bytes += std::ranges::max(outcome.inUse);
    for (size_t step = 0; step < numSteps(); ++step)
      if (const SplitCandidate *candidate = chosen[step]) {
        outcome.choices[step] = candidate->choice;
        outcome.choices[step].cycles = cyclesOf(step, *candidate);
        outcome.cycles += outcome.choices[step].cycles;
      }
    return outcome;
  }

  // For each limit of OCM bytes that can be met, the fastest choices of splits that meet it.
  std::vector<Choices> fastestWithin(std::span<const uint64_t> limits) {
    std::vector<Outcome> outcomes = atRisingPrices(std::ranges::min(limits));
    if (const Outcome *fastest = fastestOf(outcomes, std::ranges::max(limits))) {
      std::vector<Outcome> more = withLowerPeaks(*fastest);
      std::ranges::move(more, std::back_inserter(outcomes));
    }
    std::vector<Choices> all;
    for (const uint64_t limit : limits)
      if (const Outcome *best = fastestOf(outcomes, limit))
        all.push_back(fillOcm(*best, limit));
    // If no choice of splits meets any limit of OCM bytes, the planner can still spill tensors.
    if (all.empty())
      for (size_t i = 0; i < outcomes.size(); i += 4)
        all.push_back(std::move(outcomes[i].choices));
    return all;
  }

private:
  size_t numSteps() const { return problem.network.steps.size(); }

  static const Outcome *fastestOf(std::span<const Outcome> outcomes, uint64_t limit) {
    const Outcome *best = nullptr;
    for (const Outcome &outcome : outcomes)
      if (outcome.bytes <= limit && (!best || outcome.cycles < best->cycles))
        best = &outcome;
    return best;
  }

  // A higher price of constants (cycles per KiB in the OCM) mostly lowers the peak of the bytes, but not always. So
  // prices up to twice the first one that meets the limit are tried.
  std::vector<Outcome> atRisingPrices(uint64_t limit) {
    constexpr uint64_t least = 32, highest = uint64_t{1} << 14;
    std::vector<Outcome> outcomes;
    uint64_t enough = highest;
    for (uint64_t before = 0, price = 0; price <= enough;
         before = std::exchange(price, std::max(least, price + price / 4))) {
      outcomes.push_back(choose({.others = price, .first = before}));
      if (outcomes.back().bytes <= limit)
        enough = std::min(enough, 2 * price);
    }
    return outcomes;
  }

  // Choices for which the steps that use most of the OCM use less than in the given ones. Constants can then be pinned
  // on more tiles, so lower prices of constants are enough.
  std::vector<Outcome> withLowerPeaks(const Outcome &given) {
    constexpr size_t numPeaks = 3, numPrices = 4;
    std::vector<uint64_t> peaks = given.inUse;
    std::ranges::sort(peaks, std::greater());
    peaks.erase(std::unique(peaks.begin(), peaks.end()), peaks.end());
    std::vector<Outcome> outcomes;
    for (size_t peak = 1; peak < std::min(peaks.size(), numPeaks + 1); ++peak) {
      uint64_t price = given.prices.others;
      for (size_t i = 0; i < (price > 0 ? numPrices : 1); ++i, price -= price / 5)
        outcomes.push_back(choose({.others = price, .first = price - price / 5, .mostInUse = peaks[peak]}));
    }
    return outcomes;
  }

  // Choices that make better use of the OCM bytes up to the limit. A price is the cost, in cycles, of 1 KiB
  // of constants in the OCM. If all steps have the same price, layers that are alike all change their splits
  // at once, which leaves bytes unused. So a binary search finds how many of the first steps can get the next
  // lower price without exceeding the limit.
  Choices fillOcm(Outcome best, uint64_t limit) {
    Prices prices = best.prices;
    for (size_t few = 0, many = numSteps(); many - few > 1;) {
      prices.numFirst = (few + many) / 2;
      Outcome outcome = choose(prices);
      const bool fits = outcome.bytes <= limit;
      (fits ? few : many) = prices.numFirst;
      if (fits && outcome.cycles < best.cycles)
        best = std::move(outcome);
    }
    return std::move(best.choices);
  }

  // The cheapest candidate split of a step, if constants cost `price` cycles per KiB that they occupy in the
  // OCM (on-chip memory). With `withChains`, the candidates are the chains (splits of the summed axis) and
  // the present choice; without it, all splits that are not chains. If a step has only chains, all of them
  // are candidates.
  const SplitCandidate *bestOf(size_t step, uint64_t price, bool withReaders, bool withChains = false) {
    const bool onlyChains = candidates[step].front().isChain();
    const SplitCandidate *const present = chosen[step];
    waitingBytes = pinnedBytes == 0 ? 0 : ocm.bytesWaiting(step);
    const SplitCandidate *best = nullptr;
    uint64_t least = UINT64_MAX;
    for (const SplitCandidate &candidate : candidates[step]) {
      if (!onlyChains && candidate.isChain() != withChains && (!withChains || &candidate != present))
        continue;
      if (!allowed.empty() && !allowed[step].empty() &&
          std::ranges::find(allowed[step], &candidate - candidates[step].data()) == allowed[step].end())
        continue;
      // Costs that are quick to compute are added first. Since no cost is negative, a candidate is dropped as
      // soon as its costs so far exceed those of the best candidate.
      uint64_t cycles = price * candidate.constantBytes / 1024;
      if (cycles + candidate.inPlace >= least || (cycles += cyclesOf(step, candidate)) >= least ||
          (cycles += spillCycles(step, candidate)) >= least)
        continue;
      if (withReaders) {
        place(step, &candidate);
        for (const SplitProblem::Use &use : problem.uses[problem.opAt(step)->result])
          cycles += arrivals.of(use.step, *chosen[use.step]);
        place(step, present);
      }
      // Of two splits that are equally fast, the one on fewer tiles is chosen.
      if (cycles < least ||
          (cycles == least && candidate.choice.split.tiles() < best->choice.split.tiles())) {
        least = cycles;
        best = &candidate;
      }
    }
    return best;
  }

  // Cycles of the step with this candidate split, including the arrival of the operands. If every tile
  // already has all that it reads, operands that can be tensor views (share the result's buffer) are not
  // copied.
  uint64_t cyclesOf(size_t step, const SplitCandidate &candidate) {
    // the number of cycles in `compute` already includes the loads of the operands
    if (candidate.choice.product)
      return candidate.compute;
    const uint64_t arrival = arrivals.of(step, candidate);
    return arrival + (arrival == 0 ? candidate.inPlace : candidate.compute) + storeCycles(step, candidate);
  }

  // Cycles until DDR has stored a result that no operation reads. They matter where splits are chosen for the sake of
  // other operations: a network whose operations are split alike may have an output in many short runs of bytes.
  uint64_t storeCycles(size_t step, const SplitCandidate &candidate) const {
    const TensorIndex result = problem.opAt(step)->result;
    if (allowed.empty() || !problem.uses[result].empty())
      return 0;
    uint64_t bytes = 0;
    for (const Box &box : candidate.boxes)
      if (!box.empty())
        bytes += bytesInRuns(problem.network.tensors[result], box, problem.machine.ddr.granuleBytes);
    return movement.ddrCycles(bytes);
  }

  // Cycles for spilling operands to DDR and loading them again. It is assumed that operands are spilled if
  // they exceed a quarter of an OCM. If constants are pinned, the number of bytes in use is known; then
  // operands are spilled if all bytes together exceed an OCM.
  uint64_t spillCycles(size_t step, const SplitCandidate &candidate) {
    if (candidate.choice.product)
      return 0;
    const uint64_t ocmBytes = problem.machine.tile.ocmBytes;
    const SplitCandidate *const before = std::exchange(chosen[step], &candidate);
    const bool stays = pinnedBytes == 0 ? candidate.readBytes <= ocmBytes / 4
                                        : waitingBytes + ocm.bytesOfStep(step) <= mostBesidePinned();
    chosen[step] = before;
    if (stays)
      return 0;
    uint64_t bytes = 0;
    for (const Operand &operand : problem.opAt(step)->operands)
      if (const DeviceTensor &tensor = problem.network.tensors[operand.tensor]; !tensor.constant())
        bytes += 2 * tensor.sizeInBytes();
    return movement.ddrCycles(bytes);
  }

  // How many bytes of an OCM a step may use beside pinned constants without spilling.
  uint64_t mostBesidePinned() const {
    const uint64_t all = problem.machine.tile.ocmBytes;
    return std::min(mostInUse, all - std::min(all, pinnedBytes));
  }

  // Chooses a candidate split for a network step, and updates the estimates that depend on it.
  void place(size_t step, const SplitCandidate *candidate) {
    if (std::exchange(chosen[step], candidate) == candidate)
      return;
    if (const DeviceOp *deviceOp = problem.opAt(step))
      arrivals.producerChanged(deviceOp->result);
  }

  const SplitProblem &problem;
  MovementCosts movement;
  std::vector<SplitCandidates> candidates; // the candidate splits of each step
  uint64_t mostInUse = UINT64_MAX;         // see Prices
  uint64_t pinnedBytes = 0;                // pinned constants of a tile in bytes
  // for each step, the bytes per tile of tensors that later steps read
  uint64_t waitingBytes = 0;
  ChosenSplits chosen;                  // the splits that are chosen at present; changed by place() only
  std::span<const AlikeSplits> allowed; // the candidates of each step that may be chosen; see choose()
  ArrivalCycles arrivals;
  OcmEstimate ocm;
};

// For constants that stay in the OCM (on-chip memory) all the time, a lower bound of the bytes per tile with
// any split.
uint64_t leastPinnedBytes(const SplitProblem &problem, std::span<const SplitCandidates> candidates) {
  uint64_t bytes = 0;
  for (size_t step = 0; step < candidates.size(); ++step)
    if (problem.pinned[step])
      bytes += std::ranges::min(candidates[step], {}, &SplitCandidate::constantBytes).constantBytes;
  return bytes;
}

} // namespace

Result<std::vector<Choices>> chooseSplits(const DeviceNetwork &network, const Machine &machine,
                                          unsigned tiles, std::span<const Hints> hints,
                                          std::span<const uint64_t> prices) {
  const SplitProblem problem(network, machine, tiles, hints, std::vector<bool>(network.steps.size()));
  TILERIG_TRY(std::vector<SplitCandidates> candidates, findCandidates(problem));
  const std::vector<std::vector<AlikeSplits>> alike = alikeSplits(problem, candidates);
  Chooser chooser(problem, std::move(candidates));
  std::vector<Choices> all;
  for (const uint64_t price : prices)
    all.push_back(chooser.choose({price}).choices);
  for (const std::vector<AlikeSplits> &splits : alike) {
    all.push_back(chooser.choose({}, splits).choices);
    placeParts(problem, all.back());
  }
  return all;
}

Result<PinnedChoices> choosePinnedSplits(const DeviceNetwork &network, const Machine &machine, unsigned tiles,
                                         std::span<const Hints> hints, std::vector<bool> pinned,
                                         std::span<const uint64_t> limits) {
  const SplitProblem problem(network, machine, tiles, hints, std::move(pinned));
  TILERIG_TRY(std::vector<SplitCandidates> candidates, findCandidates(problem));
  if (const uint64_t least = leastPinnedBytes(problem, candidates); least > machine.tile.ocmBytes)
    return unsupported(
        "the pinned weights",
        fmt::format("pinning takes at least {} bytes of a tile's OCM, but a tile of machine '{}' has {}",
                    least, machine.name, machine.tile.ocmBytes),
        "pin the weights of fewer layers, or use more tiles");
  const std::vector<std::vector<AlikeSplits>> alike = alikeSplits(problem, candidates);
  Chooser chooser(problem, std::move(candidates));
  PinnedChoices choices{.within = chooser.fastestWithin(limits), .alike = {}};
  for (const std::vector<AlikeSplits> &splits : alike)
    if (Chooser::Outcome outcome = chooser.choose({}, splits); outcome.bytes <= machine.tile.ocmBytes) {
      choices.alike.push_back(std::move(outcome.choices));
      placeParts(problem, choices.alike.back());
    }
  return choices;
}

} // namespace tilerig::compiler
