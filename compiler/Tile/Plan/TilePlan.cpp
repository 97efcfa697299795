#include "compiler/Tile/Plan/TilePlan.h"

#include "compiler/Tile/Plan/ChooseBlocks.h"
#include "compiler/Tile/Plan/Foresee.h"
#include "compiler/Tile/Plan/OneImage.h"
#include "compiler/Tile/Plan/Planner.h"
#include "isa/Base/Support/InParallel.h"

#include <fmt/core.h>

namespace tilerig::compiler {

VectorLayout vectorLayout(const DeviceOp &deviceOp, uint64_t outputs) {
  VectorLayout layout;
  const auto place = [&](const OpVector &vector, uint64_t &offset) {
    if (!vector.present())
      return;
    offset = layout.size;
    layout.size += vector.perOutput ? outputs * vector.elementBytes : (vector.bytes.size() + 3) / 4 * 4;
  };
  place(deviceOp.bias, layout.bias);
  place(deviceOp.scale, layout.scale);
  place(deviceOp.table, layout.table);
  return layout;
}

namespace {

Error cannotBeFollowed(const DeviceNetwork &network, uint32_t layer, const std::string &why) {
  return unsupported(fmt::format("the strategy of layer {} ('{}')", layer + 1, network.layers[layer].name),
                     "cannot be applied: " + why);
}

// Returns an error for a hint that pins the weights of a layer without weights.
Status checkPinned(const DeviceNetwork &network, std::span<const Hints> hints) {
  std::vector<bool> hasConstants(network.layers.size());
  for (const NetworkStep &step : network.steps)
    if (const DeviceOp *deviceOp = std::get_if<DeviceOp>(&step);
        deviceOp && holdsConstants(*deviceOp, network))
      hasConstants[deviceOp->layer] = true;
  for (size_t layer = 0; layer < hints.size(); ++layer)
    if (hints[layer].pinsWeights && !hasConstants[layer])
      return cannotBeFollowed(network, static_cast<uint32_t>(layer), "the layer has no weights to pin");
  return success();
}

// The fusion blocks that hints request: consecutive layers with the same block number.
Result<std::vector<FusionBlock>> blocksOf(const DeviceNetwork &network, std::span<const Hints> hints) {
  std::vector<FusionBlock> blocks;
  std::vector<int64_t> numbers;
  for (size_t step = 0; step < network.steps.size() && !hints.empty(); ++step) {
    const uint32_t layer =
        std::visit([](const auto &typedStep) { return typedStep.layer; }, network.steps[step]);
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
                         "cannot be formed: " + *why);
    for (size_t step = blocks[i].first; step <= blocks[i].last; ++step) {
      const uint32_t layer = std::get<DeviceOp>(network.steps[step]).layer;
      const bool isLast = layer == std::get<DeviceOp>(network.steps[blocks[i].last]).layer;
      if (hints[layer].splitsDepth || (!isLast && hints[layer].saysHowToCut()))
        return cannotBeFollowed(network, layer,
                                "in a fusion block, only the last layer may have hints for its split, and "
                                "none may have split_k");
    }
  }
  return blocks;
}

// Makes plans from several sets of choices, one after another. It is no failure if a set does not fit the
// OCMs (on-chip memories), because others may fit. The error of the last such set is kept in `refusal`.
class Attempts {
public:
  Attempts(const DeviceNetwork &network, const Machine &machine, const PlanOptions &options,
           std::vector<FusionBlock> wanted, uint64_t ddrBegin, uint32_t images)
      : network(network), machine(machine), options(options), wanted(std::move(wanted)), ddrBegin(ddrBegin),
        images(images) {}

  // Makes one plan with the requested fusion blocks. If no block is requested, makes a plan without blocks
  // and, if some blocks promise to save cycles, a second plan with these.
  Result<std::vector<TilePlan>> plans(const Choices &choices) {
    std::vector<TilePlan> plans;
    TILERIG_TRY(auto plan, planWith(wanted, choices));
    if (!plan)
      return plans;
    if (options.fusesBlocks && wanted.empty()) {
      std::vector<FusionBlock> blocks = chooseBlocks(network, machine, *plan, options.hints);
      if (!blocks.empty()) {
        TILERIG_TRY(auto fused, planWith(std::move(blocks), choices));
        if (fused && !fused->blocks.empty())
          plans.push_back(std::move(*fused));
      }
    }
    plans.push_back(std::move(*plan));
    return plans;
  }

  std::optional<Error> refusal;
  std::optional<uint32_t> tooLarge; // the layer that needs more OCM than a tile has, if that is the error

private:
  // Makes a plan with these fusion blocks, except those that would fit the OCM (on-chip memory) only in too
  // many bands. Returns nullopt if the choices do not fit. Internal errors are returned as errors, because no
  // other choice would avoid them.
  Result<std::optional<TilePlan>> planWith(std::vector<FusionBlock> blocks, const Choices &choices) {
    while (true) {
      const Choices adapted =
          choicesWithBlocks(network, machine, options.tiles, blocks, options.hints, choices);
      Planner planner(network, machine, options, adapted, blocks);
      Result<TilePlan> plan = planner.plan(ddrBegin, images);
      if (plan) {
        plan->foreseenCycles = foreseenCycles(network, machine, *plan, adapted);
        return std::optional(std::move(*plan));
      }
      if (plan.error().kind == ErrorKind::internal)
        return plan.error();
      if (!planner.refusedBlock) {
        refusal = plan.error();
        tooLarge = planner.tooLarge;
        return std::optional<TilePlan>();
      }
      std::erase(blocks, *planner.refusedBlock);
    }
  }

  const DeviceNetwork &network;
  const Machine &machine;
  const PlanOptions &options;
  const std::vector<FusionBlock> wanted;
  const uint64_t ddrBegin;
  const uint32_t images;
};

// Whether any tensor that one device operation computes and another reads goes through DDR.
bool spills(const DeviceNetwork &network, const TilePlan &plan) {
  for (const NetworkStep &step : network.steps)
    if (const DeviceOp *deviceOp = std::get_if<DeviceOp>(&step))
      for (const Operand &operand : deviceOp->operands)
        if (const TensorPlace &place = plan.places[operand.tensor]; !place.inOcm && !place.owned.empty())
          return true;
  return false;
}

void append(std::vector<TilePlan> more, std::vector<TilePlan> &plans) {
  std::ranges::move(more, std::back_inserter(plans));
}

// Plans for pinned constants, which stay in the OCMs (on-chip memories) all the time, beside all other
// buffers. The gaps between buffers are unknown before the buffers have addresses. So splits are chosen for
// less and less OCM, from 100 % down to 90 %, until a plan spills no tensor.
Result<std::vector<TilePlan>> planPinned(const DeviceNetwork &network, const Machine &machine,
                                         const PlanOptions &options, std::vector<bool> pinned,
                                         Attempts &attempts) {
  std::vector<uint64_t> limits;
  for (const uint64_t percent : {100, 99, 98, 97, 96, 94, 90})
    limits.push_back(machine.tile.ocmBytes * percent / 100);
  TILERIG_TRY(const PinnedChoices all,
              choosePinnedSplits(network, machine, options.tiles, options.hints, std::move(pinned), limits));
  std::vector<TilePlan> plans;
  for (const Choices &choices : all.within) {
    TILERIG_TRY(auto more, attempts.plans(choices));
    const bool isAsWanted = !more.empty() && !spills(network, more.back());
    append(std::move(more), plans);
    if (isAsWanted)
      break;
  }
  for (const Choices &choices : all.alike) {
    TILERIG_TRY(auto more, attempts.plans(choices));
    append(std::move(more), plans);
  }
  return plans;
}

Result<std::vector<TilePlan>> planStreamed(const DeviceNetwork &network, const Machine &machine,
                                           const PlanOptions &options, Attempts &attempts) {
  static constexpr std::array<uint64_t, 4> prices = {0, 100, 200, 400};
  TILERIG_TRY(const std::vector<Choices> all,
              chooseSplits(network, machine, options.tiles, options.hints, prices));
  // Of the sets of choices, selects those that differ from the one before. Returns indices into `all`.
  std::vector<size_t> different;
  for (size_t i = 0; i < all.size(); ++i)
    if (i == 0 || all[i] != all[i - 1])
      different.push_back(i);
  std::vector<Attempts> each(different.size(), attempts);
  std::vector<Result<std::vector<TilePlan>>> results(different.size(), std::vector<TilePlan>());
  inParallel(different.size(), [&](size_t i) { results[i] = each[i].plans(all[different[i]]); });
  std::vector<TilePlan> plans;
  for (size_t i = 0; i < results.size(); ++i) {
    TILERIG_CHECK_OK(results[i]);
    append(*std::move(results[i]), plans);
    if (each[i].refusal) {
      attempts.refusal = each[i].refusal;
      attempts.tooLarge = each[i].tooLarge;
    }
  }
  return plans;
}

// The plans that may be the fastest. `images` is 1, unless the images of a batch run one after another: then
// it is the batch size, and `network` is the network of one image.
Result<std::vector<TilePlan>> plansOf(const DeviceNetwork &network, const Machine &machine,
                                      const PlanOptions &options, uint64_t ddrBegin,
                                      std::optional<uint32_t> &tooLarge, uint32_t images = 1) {
  TILERIG_CHECK_OK(checkPinned(network, options.hints));
  TILERIG_TRY(std::vector<FusionBlock> wanted, blocksOf(network, options.hints));
  Attempts attempts(network, machine, options, std::move(wanted), ddrBegin, images);
  std::vector<bool> pinned;
  for (const NetworkStep &step : network.steps) {
    const DeviceOp *deviceOp = std::get_if<DeviceOp>(&step);
    pinned.push_back(deviceOp && isPinned(*deviceOp, network, options));
  }
  TILERIG_TRY(std::vector<TilePlan> plans,
              std::ranges::count(pinned, true) > 0
                  ? planPinned(network, machine, options, std::move(pinned), attempts)
                  : planStreamed(network, machine, options, attempts));
  if (plans.empty()) {
    tooLarge = attempts.tooLarge;
    return *attempts.refusal;
  }
  return plans;
}

Result<std::vector<TilePlan>> plansInTurn(const DeviceNetwork &network, const Machine &machine,
                                          const PlanOptions &options, uint64_t ddrBegin,
                                          std::optional<uint32_t> &tooLarge) {
  TILERIG_TRY(DeviceNetwork narrow, oneImageOf(network));
  const auto image = std::make_shared<const DeviceNetwork>(std::move(narrow));
  const auto images = static_cast<uint32_t>(numImages(network));
  TILERIG_TRY(std::vector<TilePlan> plans, plansOf(*image, machine, options, ddrBegin, tooLarge, images));
  for (TilePlan &plan : plans) {
    plan.image = image;
    plan.foreseenCycles *= images;
  }
  return plans;
}

} // namespace

Result<std::vector<TilePlan>> planCandidates(const DeviceNetwork &network, const Machine &machine,
                                             const PlanOptions &options, uint64_t ddrBegin,
                                             std::optional<uint32_t> *tooLarge) {
  std::optional<uint32_t> large;
  Result<std::vector<TilePlan>> plans = std::vector<TilePlan>();
  if (options.images != ImageOrder::inTurn)
    plans = plansOf(network, machine, options, ddrBegin, large);
  if (options.images == ImageOrder::inTurn ||
      (options.images == ImageOrder::fastest && options.pinsWeights)) {
    Result<std::vector<TilePlan>> inTurn = plansInTurn(network, machine, options, ddrBegin, large);
    if (plans && inTurn)
      append(*std::move(inTurn), *plans);
    else if (inTurn || options.images == ImageOrder::inTurn)
      plans = std::move(inTurn);
  }
  if (!plans && tooLarge)
    *tooLarge = large;
  TILERIG_CHECK_OK(plans);
  std::ranges::stable_sort(*plans, {}, &TilePlan::foreseenCycles);
  return plans;
}

Result<TilePlan> planTiles(const DeviceNetwork &network, const Machine &machine, const PlanOptions &options,
                           uint64_t ddrBegin) {
  TILERIG_TRY(std::vector<TilePlan> plans, planCandidates(network, machine, options, ddrBegin));
  return std::move(plans.front());
}

} // namespace tilerig::compiler
