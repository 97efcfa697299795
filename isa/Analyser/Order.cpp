#include "isa/Analyser/Order.h"

#include <algorithm>

namespace tilerig {

namespace {
constexpr uint32_t notMet = UINT32_MAX;
}

Order::Order(const StageThreads &stage)
    : stage(stage), times(stage), progress(stage.numThreads()), sleepers(stage.numThreads()),
      isReady(stage.numThreads()), meetings(stage.meetings.size(), notMet) {
  run();
}

void Order::run() {
  for (ThreadId thread = stage.numThreads(); thread-- > 0;)
    if (slotOf(thread) < numThreadKinds)
      makeReady(thread);
  while (!ready.empty()) {
    const ThreadId thread = ready.back();
    ready.pop_back();
    isReady[thread] = false;
    while (advance(thread))
      ;
  }
  for (ThreadId thread = 0; thread < stage.numThreads(); ++thread)
    if (slotOf(thread) < numThreadKinds && progress[thread] < stage.numSteps(thread))
      stuck.push_back(thread);
}

void Order::makeReady(ThreadId thread) {
  if (!isReady[thread])
    ready.push_back(thread);
  isReady[thread] = true;
}

// Takes the next step of the thread and returns true. Returns false if the thread has no more steps, or if
// its next step must wait; the thread then sleeps until what it waits for has happened.
bool Order::advance(ThreadId thread) {
  const auto &steps = stage.stepsOf(thread);
  if (progress[thread] == steps.size())
    return false;
  const Step &step = steps[progress[thread]];
  if (const Lack lack = lackOf(thread); lack.kind != LackKind::nothing) {
    sleepOn(thread, step, lack);
    return false;
  }
  take({thread, progress[thread] + 1}, step);
  ++progress[thread];
  wake(thread);
  return true;
}

Order::Lack Order::lackOf(ThreadId thread) const {
  const Event next{thread, progress[thread] + 1};
  const Step &step = stage.step(next);
  // The write step of a DMA engine waits only for the beginning of its read step. Here it is treated as if it
  // waited for the end of the read step.
  if (isDmaWrite(kindOf(thread)))
    return lackOf(Event{readerOf(thread), next.ordinal});
  if (kindOf(thread) != ThreadKind::sequencer)
    if (const Lack lack = lackOf(Event{threadOf(tileOfThread(thread), ThreadKind::sequencer), step.issue});
        lack.kind != LackKind::nothing)
      return lack;
  if (step.need != Need::drain)
    return lackOf(step);
  for (size_t engine = 1; engine < numEngines; ++engine) {
    const ThreadId finish = threadOf(tileOfThread(thread), finishKind(static_cast<Engine>(engine)));
    if (const Lack lack = lackOf(Event{finish, stage.drains[step.index][engine]});
        lack.kind != LackKind::nothing)
      return lack;
  }
  return {};
}

Order::Lack Order::lackOf(const Step &step) const {
  switch (step.need) {
  case Need::nothing:
  case Need::drain:
    return {};
  case Need::event:
  case Need::space:
    return lackOf(step.event);
  case Need::never:
    return {LackKind::never, {}};
  case Need::sum: {
    const SumWait &wait = stage.sumWaits[step.index];
    uint64_t sum = 0;
    for (const Producer &producer : stage.shared[wait.semaphore])
      sum += producer.sumAfter(progress[producer.thread]);
    return sum < wait.value ? Lack{LackKind::sum, {}} : Lack{};
  }
  case Need::meet:
    for (const Event &arrival : stage.meetings[step.index].arrivals)
      if (const Lack lack = lackOf(arrival); lack.kind != LackKind::nothing)
        return lack;
    return {};
  }
  return {};
}

void Order::sleepOn(ThreadId sleeper, const Step &step, const Lack &lack) {
  if (lack.kind == LackKind::event)
    sleepers[lack.event.thread].push_back({sleeper, lack.event.ordinal});
  if (lack.kind == LackKind::sum)
    for (const Producer &producer : stage.shared[stage.sumWaits[step.index].semaphore])
      sleepers[producer.thread].push_back({sleeper, progress[producer.thread] + 1});
}

void Order::wake(ThreadId thread) {
  std::erase_if(sleepers[thread], [&](const Sleeper &sleeper) {
    const bool due = sleeper.ordinal <= progress[thread];
    if (due)
      makeReady(sleeper.thread);
    return due;
  });
}

void Order::take(Event event, const Step &step) {
  Clocks::Stamp stamp = times.endOf({event.thread, event.ordinal - 1});
  if (isDmaWrite(kindOf(event.thread))) {
    times.joinBegin(stamp, {readerOf(event.thread), event.ordinal});
  } else {
    const unsigned tile = tileOfThread(event.thread);
    if (kindOf(event.thread) != ThreadKind::sequencer)
      times.joinEnd(stamp, tile, {threadOf(tile, ThreadKind::sequencer), step.issue});
    satisfy(stamp, event, step);
  }
  times.record(event, stamp);
  if (step.accesses)
    accessing.push_back(event);
}

// Joins to the vector clock of a step the clocks at the ends of all steps for which it waited.
void Order::satisfy(Clocks::Stamp &stamp, Event event, const Step &step) {
  const unsigned tile = tileOfThread(event.thread);
  switch (step.need) {
  case Need::nothing:
  case Need::never:
    return;
  case Need::event:
    ++counts.events;
    if (times.known(stamp, tile, step.event.thread) >= step.event.ordinal)
      implied.push_back(event);
    return times.joinEnd(stamp, tile, step.event);
  case Need::space:
    ++counts.capacity;
    return times.joinEnd(stamp, tile, step.event);
  case Need::sum:
    ++counts.events;
    for (const Event &before : stage.sumWaits[step.index].before)
      times.joinEnd(stamp, tile, before);
    return;
  case Need::drain:
    for (size_t engine = 1; engine < numEngines; ++engine)
      times.joinEnd(
          stamp, tile,
          {threadOf(tile, finishKind(static_cast<Engine>(engine))), stage.drains[step.index][engine]});
    return;
  case Need::meet:
    ++counts.barriers;
    if (meetings[step.index] == notMet)
      meetings[step.index] = times.meet(stage.meetings[step.index].arrivals);
    return times.adopt(stamp, tile, meetings[step.index]);
  }
}

} // namespace tilerig
