#include "emulator/Observe/CriticalPath.h"

#include "isa/Timing/Traffic.h"

#include <optional>

namespace tilerig::emulator {

namespace {

class Chain {
public:
  Chain(const StageThreads &threads, const Timeline &timeline) : threads(threads), timeline(timeline) {}

  std::optional<Event> last() {
    latest.reset();
    for (ThreadId thread = 0; thread < threads.numThreads(); ++thread)
      if (slotOf(thread) < numThreadKinds)
        consider({thread, timeline.ended[thread]});
    return latest;
  }

  // Of all dependencies of a step, the one that ended latest; none if the step had none in this stage.
  std::optional<Event> before(Event event) {
    latest.reset();
    const Step &step = threads.step(event);
    const unsigned tile = tileOfThread(event.thread);
    consider({event.thread, event.ordinal - 1});
    if (kindOf(event.thread) != ThreadKind::sequencer)
      consider({threadOf(tile, ThreadKind::sequencer), step.issue});
    if (isDmaWrite(kindOf(event.thread)))
      consider({readerOf(event.thread), event.ordinal});
    considerNeed(step, tile, endOf(event));
    return latest;
  }

  uint64_t endOf(Event event) const { return timeline.steps[event.thread][event.ordinal - 1].end; }

private:
  void consider(Event event) {
    const bool hasEnded = event.ordinal > 0 && event.ordinal <= timeline.ended[event.thread];
    if (hasEnded && (!latest || endOf(event) > endOf(*latest)))
      latest = event;
  }

  void considerNeed(const Step &step, unsigned tile, uint64_t end) {
    switch (step.need) {
    case Need::nothing:
    case Need::never:
      break;
    case Need::event:
    case Need::space:
      consider(step.event);
      break;
    case Need::sum:
      for (const Producer &producer : threads.shared[threads.sumWaits[step.index].semaphore])
        considerProducer(producer, end);
      break;
    case Need::drain:
      for (size_t engine = 1; engine < numEngines; ++engine)
        consider(
            {threadOf(tile, finishKind(static_cast<Engine>(engine))), threads.drains[step.index][engine]});
      break;
    case Need::meet:
      for (const Event &arrival : threads.meetings[step.index].arrivals)
        consider(arrival);
      break;
    }
  }

  // Considers a dependency of a wait instruction: the last signal that a producer sent before the wait ended.
  // A producer is a thread that signals the semaphore of the wait.
  void considerProducer(const Producer &producer, uint64_t end) {
    for (const Producer::Sum &sum : producer.sums)
      if (sum.ordinal > 0 && sum.ordinal <= timeline.ended[producer.thread])
        if (const Event signal = {producer.thread, sum.ordinal}; endOf(signal) <= end)
          consider(signal);
  }

  const StageThreads &threads;
  const Timeline &timeline;
  std::optional<Event> latest;
};

PathWork workOf(const Instruction &instruction, Engine engine, const Machine &machine, unsigned tile) {
  if (engine == Engine::sequencer)
    return PathWork::issue;
  if (isControl(instruction))
    return PathWork::synchronisation;
  if (engine == Engine::pod)
    return PathWork::pod;
  if (engine == Engine::pe)
    return PathWork::pe;
  const Traffic traffic = trafficOf(instruction, machine, tile);
  return traffic.ddrReadBytes + traffic.ddrWriteBytes > 0 ? PathWork::ddr : PathWork::network;
}

} // namespace

void addCriticalPath(const Program &program, const StageCosts &costs, const Timeline &timeline,
                     uint64_t begin, CriticalPath &path) {
  const StageThreads &threads = costs.threads;
  const auto &code = std::get<DeviceStage>(program.stages[threads.stage].work).tiles;
  Chain chain(threads, timeline);
  for (std::optional<Event> event = chain.last(); event;) {
    const std::optional<Event> before = chain.before(*event);
    const uint64_t from = before ? chain.endOf(*before) : begin, to = chain.endOf(*event);
    const unsigned tile = tileOfThread(event->thread);
    const Instruction &instruction = code[tile][threads.step(*event).instruction];
    path[layerOf(instruction)].add(workOf(instruction, engineOfThread(event->thread), program.machine, tile),
                                   to - from);
    event = before;
  }
}

} // namespace tilerig::emulator
