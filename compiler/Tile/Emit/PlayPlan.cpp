#include "compiler/Tile/Emit/PlayPlan.h"

#include "isa/Base/Support/InParallel.h"

#include <algorithm>
#include <array>
#include <mutex>

namespace tilerig::compiler {

std::vector<OrderRule> orderRules(const ProgramOptions &options) {
  // Few bytes in flight let urgent reads through, many keep DDR busy. Each of the first four rules is the fastest
  // for some networks (Schedule/README.md).
  constexpr MostInFlight few{.transfers = 32, .bytes = 48 << 10, .always = 7},
      many{.transfers = 64, .bytes = 128 << 10, .always = 9}, anySize{.transfers = 32};
  constexpr std::array all = {OrderRule{OrderMode::reordered, TransferSharing::firstCome, few},
                              OrderRule{OrderMode::reordered, TransferSharing::roundRobin, few},
                              OrderRule{OrderMode::reordered, TransferSharing::firstCome, many},
                              OrderRule{OrderMode::interleaved, TransferSharing::firstCome, anySize},
                              OrderRule{OrderMode::listed, TransferSharing::roundRobin, {}}};
  std::vector<OrderRule> rules;
  for (OrderRule rule : all) {
    if (options.ddrReads && rule.mode != OrderMode::listed)
      rule.reads = {.transfers = *options.ddrReads};
    const bool isAllowed = options.order ? rule.mode == *options.order : rule.mode != OrderMode::listed;
    if (isAllowed && std::ranges::find(rules, rule) == rules.end())
      rules.push_back(rule);
  }
  return rules;
}

ScheduleOptions scheduleOptions(const ProgramOptions &options, const OrderRule &rule,
                                std::span<const ByteRange> constants) {
  return {.order = {.mode = rule.mode,
                    .sharing = rule.sharing,
                    .ddrReads = rule.reads,
                    .ddrWrites = {.bytes = options.ddrWriteBytes}},
          .constants = constants,
          .redundancy = options.redundancy};
}

namespace {

// Generates the tasks of a plan. Constants get addresses, but their bytes are not stored.
struct PlanTasks {
  std::vector<ProgramPart> parts;
  ByteRange readOnly;

  PlanTasks(const DeviceNetwork &network, const TilePlan &plan) {
    ConstantPool constants = ConstantPool::behind(plan.ddrEnd, ConstantPool::Keeps::places);
    parts = generateTasks(network, plan, constants);
    readOnly = {constants.address(), constants.end()};
  }
};

bool isDeviceInference(const ProgramPart &part) { return !part.host && part.phase == Phase::inference; }

uint64_t cyclesOfHost(const DeviceNetwork &network, const std::vector<ProgramPart> &parts,
                      const Machine &machine) {
  uint64_t cycles = 0;
  for (const ProgramPart &part : parts)
    if (part.host)
      cycles += hostCycles(network.layers[part.host->layer], machine);
  return cycles;
}

struct OrderedPlan {
  size_t plan = 0, rule = 0;
};

// For each rule for ordering tasks, the plan with the fewest estimated cycles.
std::vector<OrderedPlan> likelyFastest(const std::vector<PlayedPlan> &played, size_t numRules) {
  std::vector<OrderedPlan> candidates;
  for (size_t rule = 0; rule < numRules; ++rule) {
    const auto fastest =
        std::ranges::min_element(played, {}, [&](const PlayedPlan &plan) { return plan.cycles[rule]; });
    candidates.push_back({static_cast<size_t>(fastest - played.begin()), rule});
  }
  return candidates;
}

// Frees the data of all plans that can no longer be the fastest.
void forgetOthers(const std::vector<OrderedPlan> &candidates, std::vector<PlayedPlan> &played) {
  for (size_t plan = 0; plan < played.size(); ++plan)
    if (std::ranges::find(candidates, plan, &OrderedPlan::plan) == candidates.end())
      played[plan].stages.clear();
}

// Returns the values of all results or, if some are errors, the first error.
template <class T>
Result<std::vector<T>> allOf(std::vector<Result<T>> results) {
  std::vector<T> values;
  for (Result<T> &result : results) {
    TILERIG_CHECK_OK(result);
    values.push_back(*std::move(result));
  }
  return values;
}

// The finished plan with the fewest cycles, of those that were offered; of equally fast ones, that with the lowest number.
// The others are freed at once: the instructions of a large network take more than 100 MB.
class FastestFinished {
public:
  void offer(size_t number, FinishedPlan plan) {
    const std::lock_guard lock(mutex);
    if (best && std::pair(best->cycles, bestNumber) < std::pair(plan.cycles, number))
      return;
    best = std::move(plan);
    bestNumber = number;
  }
  size_t number() const { return bestNumber; }
  FinishedPlan take() { return *std::move(best); }

private:
  std::mutex mutex;
  std::optional<FinishedPlan> best;
  size_t bestNumber = 0;
};

} // namespace

Result<PlayedPlan> playPlan(const DeviceNetwork &network, const TilePlan &plan, const Machine &machine,
                            const ProgramOptions &options, std::span<const OrderRule> rules) {
  const PlanTasks tasks(network, plan);
  const uint64_t cyclesOfOthers = cyclesOfHost(network, tasks.parts, machine);
  PlayedPlan played{.cycles = std::vector<uint64_t>(rules.size(), cyclesOfOthers),
                    .stages = std::vector<std::optional<PlayedStage>>(tasks.parts.size())};
  for (size_t i = 0; i < tasks.parts.size(); ++i) {
    const ProgramPart &part = tasks.parts[i];
    if (!isDeviceInference(part))
      continue;
    PlayedStage &stage = played.stages[i].emplace();
    TILERIG_TRY(stage.dependencies, dependenciesOf(part.tasks, options.tiles,
                                                   scheduleOptions(options, rules[0], {&tasks.readOnly, 1})));
    for (size_t rule = 0; rule < rules.size(); ++rule) {
      const OrderOptions order = scheduleOptions(options, rules[rule], {}).order;
      stage.orders.push_back(orderTasks(part.tasks, stage.dependencies, machine, order));
      played.cycles[rule] += stage.orders.back().cycles;
    }
  }
  return played;
}

Result<FinishedPlan> finishPlan(const DeviceNetwork &network, const TilePlan &plan, const Machine &machine,
                                const ProgramOptions &options, const PlayedPlan &played,
                                std::span<const OrderRule> rules, size_t rule) {
  const PlanTasks tasks(network, plan);
  FinishedPlan finished{.cycles = cyclesOfHost(network, tasks.parts, machine),
                        .stages = std::vector<std::optional<ScheduledStage>>(tasks.parts.size())};
  for (size_t i = 0; i < tasks.parts.size(); ++i)
    if (const auto &stage = played.stages[i]) {
      TILERIG_TRY(finished.stages[i],
                  finishStage(tasks.parts[i].tasks, machine, options.tiles, stage->dependencies,
                              stage->orders[rule],
                              scheduleOptions(options, rules[rule], {&tasks.readOnly, 1})));
      finished.cycles += finished.stages[i]->cycles;
    }
  return finished;
}

Result<ChosenPlan> fastestPlan(const DeviceNetwork &network, std::vector<TilePlan> plans,
                               const Machine &machine, const ProgramOptions &options) {
  const std::vector<OrderRule> rules = orderRules(options);
  if (plans.size() == 1 && rules.size() == 1)
    return ChosenPlan{std::move(plans.front()), rules.front(), std::nullopt};
  std::vector<Result<PlayedPlan>> plays(plans.size(), PlayedPlan{});
  inParallel(plans.size(),
             [&](size_t i) { plays[i] = playPlan(network, plans[i], machine, options, rules); });
  TILERIG_TRY(std::vector<PlayedPlan> played, allOf(std::move(plays)));
  const std::vector<OrderedPlan> candidates = likelyFastest(played, rules.size());
  forgetOthers(candidates, played);
  FastestFinished fastest;
  TILERIG_CHECK_OK(checkInParallel(candidates.size(), [&](size_t i) -> Status {
    const auto &[plan, rule] = candidates[i];
    TILERIG_TRY(FinishedPlan finished,
                finishPlan(network, plans[plan], machine, options, played[plan], rules, rule));
    fastest.offer(i, std::move(finished));
    return success();
  }));
  const auto &[plan, rule] = candidates[fastest.number()];
  return ChosenPlan{std::move(plans[plan]), rules[rule], fastest.take()};
}

} // namespace tilerig::compiler
