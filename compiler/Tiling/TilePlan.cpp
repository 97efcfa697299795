#include "compiler/Tiling/TilePlan.h"

#include "compiler/Tiling/ChooseBlocks.h"
#include "compiler/Tiling/Foresee.h"
#include "compiler/Tiling/Planner.h"

#include <fmt/core.h>

namespace tilerig {

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

Error cannotBeFollowed(const DeviceNetwork &network, uint32_t layer, const std::string &why) {
  return unsupported(fmt::format("the strategy of layer {} ('{}')", layer + 1, network.layers[layer].name),
                     "cannot be followed: " + why);
}

// A hint that asks for weights to be pinned where there are none.
Status checkPinned(const DeviceNetwork &network, std::span<const Hints> hints) {
  std::vector<bool> hasConstants(network.layers.size());
  for (const NetworkStep &step : network.steps)
    if (const Work *work = std::get_if<Work>(&step); work && holdsConstants(*work, network))
      hasConstants[work->layer] = true;
  for (size_t layer = 0; layer < hints.size(); ++layer)
    if (hints[layer].pinsWeights && !hasConstants[layer])
      return cannotBeFollowed(network, static_cast<uint32_t>(layer),
                              "it has no weights that could be pinned");
  return success();
}

// The blocks that hints ask for: neighbouring layers with the same number.
Result<std::vector<FusionBlock>> blocksOf(const DeviceNetwork &network, std::span<const Hints> hints) {
  std::vector<FusionBlock> blocks;
  std::vector<int64_t> numbers;
  for (size_t step = 0; step < network.steps.size() && !hints.empty(); ++step) {
    const uint32_t layer = std::visit([](const auto &it) { return it.layer; }, network.steps[step]);
    const std::optional<int64_t> number = hints[layer].fusionBlock;
    if (!number)
      continue;
    if (!blocks.empty() && numbers.back() == *number && blocks.back().last + 1 == step) {
      blocks.back().last = step;
      continue;
    }
    if (std::ranges::find(numbers, *number) != numbers.end())
      return cannotBeFollowed(network, layer,
                              fmt::format("layers of fusion block {} do not follow each other", *number));
    blocks.push_back({step, step});
    numbers.push_back(*number);
  }
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (const auto why = whyNoBlock(network, blocks[i]))
      return unsupported(fmt::format("fusion block {} of the strategy", numbers[i]),
                         "cannot be followed: " + *why);
    for (size_t step = blocks[i].first; step <= blocks[i].last; ++step) {
      const uint32_t layer = std::get<Work>(network.steps[step]).layer;
      const bool isLast = layer == std::get<Work>(network.steps[blocks[i].last]).layer;
      if (hints[layer].splitsDepth || (!isLast && hints[layer].saysHowToCut()))
        return cannotBeFollowed(network, layer,
                                "the layers of a fusion block are cut as the last one's result is");
    }
  }
  return blocks;
}

// Makes plans of choices; keeps why the last one that came to nothing did not fit, as others may.
class Attempts {
public:
  Attempts(const DeviceNetwork &network, const Machine &machine, const PlanOptions &options,
           std::vector<FusionBlock> wanted, uint64_t ddrBegin)
      : network(network), machine(machine), options(options), wanted(std::move(wanted)), ddrBegin(ddrBegin) {}

  // With the blocks that are wanted, or with those that promise most if that is less than without.
  Result<std::optional<TilePlan>> plan(const Choices &choices) {
    TRY(auto plan, planWith(wanted, choices));
    if (!plan || !options.fusesBlocks || !wanted.empty())
      return plan;
    const std::vector<FusionBlock> blocks = chooseBlocks(network, machine, *plan, options.hints);
    if (blocks.empty())
      return plan;
    TRY(auto fused, planWith(blocks, choices));
    return fused && fused->foreseenCycles < plan->foreseenCycles ? std::move(fused) : std::move(plan);
  }

  std::optional<Error> refusal;

private:
  // A mistake of ours is one with any choices.
  Result<std::optional<TilePlan>> planWith(const std::vector<FusionBlock> &blocks, const Choices &choices) {
    const Choices adapted =
        choicesWithBlocks(network, machine, options.tiles, blocks, options.hints, choices);
    Result<TilePlan> plan = Planner(network, machine, options, adapted, blocks).plan(ddrBegin);
    if (plan) {
      plan->foreseenCycles = foreseenCycles(network, machine, *plan, adapted);
      return std::optional(std::move(*plan));
    }
    if (plan.error().kind == ErrorKind::internal)
      return plan.error();
    refusal = plan.error();
    return std::optional<TilePlan>();
  }

  const DeviceNetwork &network;
  const Machine &machine;
  const PlanOptions &options;
  const std::vector<FusionBlock> wanted;
  const uint64_t ddrBegin;
};

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
                            std::vector<bool> pinned, Attempts attempts) {
  std::vector<uint64_t> limits;
  for (const uint64_t percent : {100, 99, 98, 97, 96, 94, 90})
    limits.push_back(machine.tile.ocmBytes * percent / 100);
  TRY(const std::vector<Choices> all,
      choosePinnedSplits(network, machine, options.tiles, options.hints, std::move(pinned), limits));
  std::optional<TilePlan> best;
  for (const Choices &choices : all) {
    TRY(auto plan, attempts.plan(choices));
    const bool isAsWanted = plan && !spills(network, *plan);
    if (plan && (!best || plan->foreseenCycles < best->foreseenCycles))
      best = std::move(plan);
    if (isAsWanted)
      break;
  }
  if (!best)
    return *attempts.refusal;
  return std::move(*best);
}

} // namespace

Result<TilePlan> planTiles(const DeviceNetwork &network, const Machine &machine, const PlanOptions &options,
                           uint64_t ddrBegin) {
  CHECK_OK(checkPinned(network, options.hints));
  TRY(std::vector<FusionBlock> wanted, blocksOf(network, options.hints));
  Attempts attempts(network, machine, options, std::move(wanted), ddrBegin);
  std::vector<bool> pinned;
  for (const NetworkStep &step : network.steps) {
    const Work *work = std::get_if<Work>(&step);
    pinned.push_back(work && isPinned(*work, network, options));
  }
  if (std::ranges::count(pinned, true) > 0)
    return planPinned(network, machine, options, std::move(pinned), std::move(attempts));
  static constexpr std::array<uint64_t, 4> prices = {0, 100, 200, 400};
  TRY(const std::vector<Choices> all, chooseSplits(network, machine, options.tiles, options.hints, prices));
  std::vector<TilePlan> plans;
  for (size_t i = 0; i < all.size(); ++i) {
    if (i > 0 && all[i] == all[i - 1]) // the price changes nothing
      continue;
    TRY(auto plan, attempts.plan(all[i]));
    if (plan)
      plans.push_back(std::move(*plan));
  }
  if (plans.empty())
    return *attempts.refusal;
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
