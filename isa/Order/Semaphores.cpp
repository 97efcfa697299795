#include "isa/Order/Semaphores.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace tilerig {

namespace {

// All signals and waits of one semaphore.
struct Uses {
  std::span<const SignalStep> signals;
  std::span<const WaitStep> waits;
  uint32_t tile = 0, semaphore = 0;

  uint64_t total() const {
    return std::accumulate(signals.begin(), signals.end(), uint64_t{0},
                           [](uint64_t sum, const SignalStep &signal) { return sum + signal.amount; });
  }
  uint64_t mostWaitedFor() const {
    uint64_t most = 0;
    for (const WaitStep &wait : waits)
      most = std::max<uint64_t>(most, wait.value);
    return most;
  }
  std::string name() const { return fmt::format("semaphore {} of tile {}", semaphore, tile); }
};

template <class T>
uint32_t keyOf(const T &use) {
  return use.tile << 8 | use.semaphore;
}

class Matcher {
public:
  Matcher(const Program &program, StageThreads &stage, Report &report)
      : program(program), stage(stage), report(report) {}

  void match(const Uses &uses) {
    const std::vector<Producer> producers = producersOf(uses);
    checkProducers(uses, producers);
    checkTotal(uses);
    if (producers.size() > 1)
      return matchShared(uses, producers);
    for (const WaitStep &wait : uses.waits) {
      Step &step = stage.step(wait.start);
      const auto *sums = producers.empty() ? nullptr : &producers[0].sums;
      if (!sums || sums->back().sum < wait.value) {
        step.need = Need::never;
        continue;
      }
      step.need = Need::event;
      step.event = {producers[0].thread, firstToReach(*sums, wait.value)};
    }
  }

private:
  static uint32_t firstToReach(const std::vector<Producer::Sum> &sums, uint64_t value) {
    return std::ranges::lower_bound(sums, value, {}, &Producer::Sum::sum)->ordinal;
  }

  // Groups the signals by thread. The signals of one thread are in the order of its steps.
  static std::vector<Producer> producersOf(const Uses &uses) {
    std::vector<Producer> producers;
    for (const SignalStep &signal : uses.signals) {
      auto producer = std::ranges::find(producers, signal.finish.thread, &Producer::thread);
      if (producer == producers.end())
        producer = producers.insert(producers.end(), Producer{signal.finish.thread, {}});
      const uint64_t before = producer->sums.empty() ? 0 : producer->sums.back().sum;
      producer->sums.push_back({signal.finish.ordinal, before + signal.amount});
    }
    return producers;
  }

  void matchShared(const Uses &uses, const std::vector<Producer> &producers) {
    const uint64_t total = uses.total();
    for (const WaitStep &wait : uses.waits) {
      Step &step = stage.step(wait.start);
      step.need = total < wait.value ? Need::never : Need::sum;
      step.index = static_cast<uint32_t>(stage.sumWaits.size());
      SumWait &sumWait = stage.sumWaits.emplace_back();
      sumWait.semaphore = static_cast<uint32_t>(stage.shared.size());
      sumWait.value = wait.value;
      for (const Producer &producer : producers)
        if (const uint64_t others = total - producer.sums.back().sum;
            others < wait.value && step.need == Need::sum)
          sumWait.before.push_back({producer.thread, firstToReach(producer.sums, wait.value - others)});
    }
    stage.shared.push_back(producers);
  }

  Place placeOfStep(ThreadId thread, uint32_t instruction) const {
    return placeOf(program, stage.stage, tileOfThread(thread), instruction);
  }
  Place placeOfSignal(const SignalStep &signal) const {
    return placeOfStep(signal.finish.thread, signal.instruction);
  }

  void checkProducers(const Uses &uses, const std::vector<Producer> &producers) {
    if (producers.size() < 2)
      return;
    Problem problem{.kind = ProblemKind::severalProducers};
    for (const Producer &producer : producers)
      problem.places.push_back(placeOfSignal(*std::ranges::find(
          uses.signals, Event{producer.thread, producer.sums[0].ordinal}, &SignalStep::finish)));
    problem.text =
        fmt::format("{} is signalled by {} engines, but within a stage only one engine may signal it",
                    uses.name(), producers.size());
    report.add(std::move(problem));
  }

  void checkTotal(const Uses &uses) {
    const uint64_t total = uses.total(), most = uses.mostWaitedFor();
    for (const WaitStep &wait : uses.waits)
      if (wait.value > total)
        report.add({.kind = ProblemKind::waitNeverSatisfied,
                    .places = {placeOfStep(wait.start.thread, wait.instruction)},
                    .text = fmt::format("waits for {} to reach {}, but all signals of the stage add up to {}",
                                        uses.name(), wait.value, total)});
    if (total > UINT32_MAX)
      report.add({.kind = ProblemKind::semaphoreOverflow,
                  .places = {placeOfSignal(uses.signals.back())},
                  .text = fmt::format("the signals of {} add up to {}, but the sum must stay below 2^32",
                                      uses.name(), total)});
    if (total > most)
      report.add({.kind = ProblemKind::semaphoreLeftOver,
                  .places = {placeOfSignal(uses.signals.back())},
                  .text = most == 0 ? fmt::format("{} reaches {}, but no instruction waits for it",
                                                  uses.name(), total)
                                    : fmt::format("{} reaches {}, but no instruction waits for more than {}",
                                                  uses.name(), total, most)});
  }

  const Program &program;
  StageThreads &stage;
  Report &report;
};

// Removes the leading elements that have the given key from a list that is sorted by key, and returns them.
template <class T>
std::span<const T> takeKey(std::span<const T> &list, uint32_t key) {
  size_t count = 0;
  while (count < list.size() && keyOf(list[count]) == key)
    ++count;
  const auto taken = list.first(count);
  list = list.subspan(count);
  return taken;
}

} // namespace

void matchSemaphores(const Program &program, StageThreads &stage, Report &report) {
  const auto byKey = [](const auto &a, const auto &b) { return keyOf(a) < keyOf(b); };
  std::ranges::stable_sort(stage.signals, byKey);
  std::ranges::stable_sort(stage.waits, byKey);
  Matcher matcher(program, stage, report);
  std::span<const SignalStep> signals = stage.signals;
  std::span<const WaitStep> waits = stage.waits;
  while (!signals.empty() || !waits.empty()) {
    const uint32_t key = std::min(signals.empty() ? UINT32_MAX : keyOf(signals[0]),
                                  waits.empty() ? UINT32_MAX : keyOf(waits[0]));
    Uses uses;
    uses.tile = key >> 8, uses.semaphore = key & 0xFF;
    uses.signals = takeKey(signals, key);
    uses.waits = takeKey(waits, key);
    matcher.match(uses);
  }
}

} // namespace tilerig
