#include "emulator/Debug/StopPoint.h"

#include <algorithm>
#include <map>

namespace tilerig::emulator {

namespace {

const Instruction &instructionOf(const DeviceStage &code, const StageCosts &costs, Event event) {
  return code.tiles[tileOfThread(event.thread)][costs.threads.step(event).instruction];
}

// Finds the moments of stop points in the steps of a device stage.
class MomentFinder {
public:
  MomentFinder(unsigned number, const Program &program, const TimedStage &stage, const EngineStates &states,
               std::vector<StopMoment> &out)
      : number(number), code(std::get<DeviceStage>(program.stages[stage.index].work)), stage(stage),
        isLast(stage.index + 1 == program.stages.size()), costs(*stage.costs), timeline(*stage.timeline),
        states(states), out(out) {}

  void operator()(const InstructionStop &stop) {
    if (stop.stage && *stop.stage != costs.threads.stage)
      return;
    forEachStep([&](Event event, uint32_t tile, uint32_t index) {
      const Instruction &instruction = code.tiles[tile][index];
      if ((!stop.tile || *stop.tile == tile) && (!stop.instruction || *stop.instruction == index) &&
          (!stop.engine || *stop.engine == engineOfThread(event.thread)) &&
          (stop.mnemonic.empty() || stop.mnemonic == mnemonicOf(instruction)) &&
          isOwnStep(event, instruction))
        add(event);
    });
  }
  void operator()(const LayerStop &stop) {
    for (const Event &event : firstStepsOfLayers(code, costs, timeline))
      if (std::ranges::count(stop.layers, layerOf(instructionOf(code, costs, event))) > 0)
        add(event);
  }
  void operator()(const CycleStop &stop) {
    // The end of a stage is the beginning of the next one.
    if (stop.cycle >= stage.begin && (stop.cycle < stage.end || (isLast && stop.cycle == stage.end)))
      out.push_back({stop.cycle, number});
  }
  void operator()(const SemaphoreStop &stop) {
    for (const SemaphoreChange &change : states.semaphoreChanges())
      if (change.tile == stop.tile && change.semaphore == stop.semaphore && change.value >= stop.value) {
        if (change.cycle <= stage.end) // a signal may arrive after the last instruction has ended
          out.push_back({change.cycle, number});
        return;
      }
  }
  void operator()(const ConflictStop &stop) {
    for (const Place &place : stop.places)
      if (place.stage == costs.threads.stage && !place.host)
        if (const auto event = states.stepOf(code, place.tile, place.instruction);
            event && timeline.ended[event->thread] >= event->ordinal)
          add(*event);
  }
  void operator()(const std::vector<Watch> &) {}

private:
  template <class Visit>
  void forEachStep(Visit visit) const {
    for (ThreadId thread = 0; thread < costs.threads.numThreads(); ++thread) {
      if (slotOf(thread) >= numThreadKinds || isDmaWrite(kindOf(thread)))
        continue;
      for (uint32_t ordinal = 1; ordinal <= timeline.ended[thread]; ++ordinal) {
        const Event event{thread, ordinal};
        visit(event, tileOfThread(thread), costs.threads.step(event).instruction);
      }
    }
  }
  // Whether the step executes the instruction, and does not only put it into the queue of another engine.
  static bool isOwnStep(Event event, const Instruction &instruction) {
    return engineOfThread(event.thread) == engineOf(instruction);
  }
  uint64_t beginOf(Event event) const { return timeline.steps[event.thread][event.ordinal - 1].begin; }
  void add(Event event) { out.push_back({beginOf(event), number, event}); }

  unsigned number;
  const DeviceStage &code;
  const TimedStage &stage;
  const bool isLast;
  const StageCosts &costs;
  const Timeline &timeline;
  const EngineStates &states;
  std::vector<StopMoment> &out;
};

} // namespace

std::vector<Event> firstStepsOfLayers(const DeviceStage &code, const StageCosts &costs,
                                      const Timeline &timeline) {
  struct First {
    Event event;
    bool computes;
    uint64_t begin;
  };
  std::map<uint32_t, First> firsts; // by layer
  for (ThreadId thread = 0; thread < costs.threads.numThreads(); ++thread) {
    if (slotOf(thread) >= numThreadKinds || isDmaWrite(kindOf(thread)))
      continue;
    const bool computes = kindOf(thread) == ThreadKind::pod || kindOf(thread) == ThreadKind::pe;
    for (uint32_t ordinal = 1; ordinal <= timeline.ended[thread]; ++ordinal) {
      const Event event{thread, ordinal};
      if (!costs.threads.step(event).accesses)
        continue;
      const First own{event, computes, timeline.steps[thread][ordinal - 1].begin};
      const auto [at, isNew] = firsts.try_emplace(layerOf(instructionOf(code, costs, event)), own);
      First &first = at->second;
      if (!isNew && (own.computes != first.computes ? own.computes : own.begin < first.begin))
        first = own;
    }
  }
  std::vector<Event> events;
  for (const auto &[layer, first] : firsts)
    events.push_back(first.event);
  return events;
}

void appendMoments(const StopPoint &stopPoint, const Program &program, const TimedStage &stage,
                   const EngineStates &states, std::vector<StopMoment> &out) {
  std::visit(MomentFinder(stopPoint.number, program, stage, states, out), stopPoint.what);
}

std::optional<std::pair<MemoryId, ByteRange>> touchedBy(const std::vector<Watch> &watches,
                                                        const Access &access, std::optional<uint32_t> layer) {
  for (const Watch &watch : watches) {
    if (watch.layer && access.kind == AccessKind::write && layer != watch.layer)
      continue;
    if (watch.memory != access.memory || !(access.kind == AccessKind::read ? watch.reads : watch.writes))
      continue;
    for (const Region &region : watch.regions)
      if (const auto bytes = firstOverlap(region, access.region))
        return std::pair(access.memory, *bytes);
  }
  return {};
}

} // namespace tilerig::emulator
