#include "emulator/Debug/Debugger.h"

#include "emulator/Memory/Placement.h"
#include "emulator/Observe/Observers.h"

#include <algorithm>
#include <cstring>

namespace tilerig::emulator {

namespace {

using StepKind = SteppedRun::StepKind;

// All beats of a tick before this one are carried out before the run stops at the tick.
Beat beginOfTick(uint64_t tick) { return {tick, BeatKind::start}; }

} // namespace

Result<std::unique_ptr<Debugger>> Debugger::load(Program program, Defects defects, TensorMap inputs,
                                                 const DebuggerOptions &options, Framework *framework) {
  std::unique_ptr<Debugger> debugger(new Debugger);
  TILERIG_TRY(debugger->machine, LoadedMachine::load(std::move(program), std::move(defects), {}, framework));
  debugger->inputs = std::move(inputs);
  debugger->options = options.run;
  debugger->isInterrupted = options.isInterrupted;
  debugger->run =
      std::make_unique<RecordedRun>(*debugger->machine, debugger->inputs, options.run, options.historyBytes);
  return debugger;
}

Status Debugger::start() {
  if (firstSteps > 0)
    return success();
  TILERIG_CHECK_OK(run->forward());
  firstSteps = run->numSteps();
  syncStage();
  return success();
}

Result<size_t> Debugger::expect(const TensorMap &tensors) {
  TILERIG_TRY(expected, ExpectedTensors::of(program(), tensors));
  lookAtStage();
  return expected.size();
}

Result<std::optional<FirstDifference>> Debugger::firstDifference() const {
  return firstDifferenceOf({machine->loadedProgram(), machine->defects, inputs, options, machine->framework},
                           expected);
}

// --- stop points ---

unsigned Debugger::add(StopPoint stopPoint) {
  stopPoint.number = ++lastNumber;
  points.push_back(std::move(stopPoint));
  findMoments();
  return lastNumber;
}

bool Debugger::remove(unsigned number) {
  const bool isRemoved =
      std::erase_if(points, [&](const StopPoint &point) { return point.number == number; }) > 0;
  findMoments();
  return isRemoved;
}

bool Debugger::enable(unsigned number, bool isEnabled) {
  StopPoint *point = find(number);
  if (point)
    point->isEnabled = isEnabled;
  findMoments();
  return point != nullptr;
}

StopPoint *Debugger::find(unsigned number) {
  const auto at = std::ranges::find(points, number, &StopPoint::number);
  return at == points.end() ? nullptr : &*at;
}

void Debugger::findMoments() {
  moments.clear();
  const TimedStage *timed = deviceStage();
  if (!timed)
    return;
  for (const StopPoint &point : points)
    if (point.isEnabled)
      appendMoments(point, program(), *timed, *states, moments);
  std::ranges::sort(moments);
}

bool Debugger::conditionHolds(const StopPoint &stopPoint) const {
  return !stopPoint.condition ||
         stopPoint.condition->holds([&](const Condition::Operand &operand) { return valueOf(operand); });
}

double Debugger::valueOf(const Condition::Operand &operand) const {
  if (const auto *memory = std::get_if<Condition::MemoryValue>(&operand)) {
    const auto [place, type] = *memory;
    return elementValue(read(place.memory, {place.address, place.address + sizeBytes(type)}).data(), type);
  }
  if (const auto *wanted = std::get_if<Condition::SemaphoreValue>(&operand)) {
    if (states)
      for (const SemaphoreState &semaphore : states->semaphoresAt(cycle()))
        if (semaphore.tile == wanted->tile && semaphore.semaphore == wanted->semaphore)
          return static_cast<double>(semaphore.value);
    return 0;
  }
  return static_cast<double>(cycle());
}

// --- stages ---

const TimedStage *Debugger::deviceStage() const {
  const TimedStage *current = run->currentStage();
  return current && current->timeline ? current : nullptr;
}

// Finds out about the stage that the run is in, if it is another one than before.
void Debugger::syncStage() {
  const TimedStage *current = run->currentStage();
  if (current ? stage == current->index : !stage)
    return;
  stage = current ? std::optional(current->index) : std::nullopt;
  isAtMoment = false;
  if (current)
    now = nextTick = current->begin * ticksPerCycle;
  lookAtStage();
}

void Debugger::lookAtStage() {
  states.reset();
  comparesStage = false;
  const TimedStage *current = run->currentStage();
  if (current && current->timeline)
    states.emplace(*current->costs, *current->timeline, options.jitter);
  findMoments();
}

// Finds out what is to be compared in the stage with the expected tensors; this takes a while.
void Debugger::compareStage() {
  const TimedStage *current = run->currentStage();
  if (expected.empty() || comparesStage || !current)
    return;
  comparesStage = true;
  expected.enterStage(program(), current->index,
                      current->timeline ? &run->replayOf(current->index)->instructions() : nullptr,
                      machine->memories);
}

// Undoes the last step.
Status Debugger::goBack() {
  const unsigned before = run->numRepetitions();
  TILERIG_CHECK_OK(run->back());
  if (run->numRepetitions() != before)
    lookAtStage();
  return success();
}

// --- movements ---

Result<Stop> Debugger::go(TimeDirection direction) {
  return direction == TimeDirection::forward ? forward({}) : backward({});
}

Result<Stop> Debugger::step(TimeDirection direction, StepUnit unit, std::optional<ThreadId> thread) {
  if (unit == StepUnit::beat)
    return beat(direction);
  const TimedStage *timed = deviceStage();
  if (direction == TimeDirection::forward && timed && nextTick == timed->begin * ticksPerCycle)
    arrive(nextTick); // nothing of the stage has been carried out: what begins now is to be passed
  Goal goal{.unit = unit, .thread = thread};
  if (unit == StepUnit::cycle) {
    if (direction == TimeDirection::back && cycle() == 0)
      return backward(goal);
    goal.cycle = direction == TimeDirection::forward ? cycle() + 1 : cycle() - (isAtMoment ? 1 : 0);
  }
  if (unit == StepUnit::primitive && thread)
    goal.primitive = primitiveOf(*thread);
  return direction == TimeDirection::forward ? forward(goal) : backward(goal);
}

Result<Stop> Debugger::goTo(uint64_t target) {
  target = std::min(target, UINT64_MAX / ticksPerCycle - 1);
  const Goal goal{.unit = StepUnit::cycle, .cycle = target, .passesStopPoints = true};
  const uint64_t tick = target * ticksPerCycle;
  if (isAtMoment && now == tick)
    return stopHere(StopReason::step);
  return tick >= nextTick ? forward(goal) : backward(goal);
}

Result<Stop> Debugger::restart() {
  TILERIG_CHECK_OK(run->rewind(firstSteps));
  stage.reset();
  syncStage();
  lookAtStage();
  return stopHere(StopReason::beginning);
}

Result<Stop> Debugger::ended() {
  Stop stop = stopHere(StopReason::end);
  if (!run->results().ended && !run->faults().empty()) {
    stop.reason = StopReason::fault;
    stop.fault = run->faults().back();
  }
  return stop;
}

Result<Stop> Debugger::beat(TimeDirection direction) {
  if (direction == TimeDirection::forward && run->isOver())
    return ended();
  if (direction == TimeDirection::back && run->numSteps() <= firstSteps)
    return stopHere(StopReason::beginning);
  TILERIG_TRY(std::optional<Stop> stop,
              direction == TimeDirection::forward ? doStep(lastBeat, true) : undoStep(true));
  return stop ? *std::move(stop) : stopHere(StopReason::step);
}

Result<Stop> Debugger::forward(const std::optional<Goal> &goal) {
  while (!run->isOver()) {
    if (isInterrupted && isInterrupted())
      return stopHere(StopReason::interrupted);
    std::optional<Stop> stop;
    if (deviceStage()) {
      TILERIG_TRY(stop, forwardInStage(goal));
    } else if (run->nextKind() == StepKind::hostStage) {
      TILERIG_TRY(stop, passHost(goal));
    } else {
      TILERIG_TRY(stop, doStep(lastBeat, !goal || !goal->passesStopPoints));
    }
    if (stop)
      return *std::move(stop);
  }
  return ended();
}

// Goes on to the next stop in a device stage, or leaves the stage.
Result<std::optional<Stop>> Debugger::forwardInStage(const std::optional<Goal> &goal) {
  const bool passes = goal && goal->passesStopPoints;
  std::optional<uint64_t> tick = nextTickOf(goal);
  while (deviceStage()) {
    if (isInterrupted && isInterrupted())
      return std::optional<Stop>(stopHere(StopReason::interrupted));
    const Beat *next = run->nextBeat();
    if (tick && (!next || *next >= beginOfTick(*tick))) {
      arrive(*tick);
      if (std::optional<Stop> stop = stopAt(*tick, goal))
        return stop;
      tick = nextTickOf(goal);
      continue;
    }
    TILERIG_TRY(std::optional<Stop> stop, doStep(tick ? beginOfTick(*tick) : lastBeat, !passes));
    if (stop)
      return stop;
  }
  return std::optional<Stop>();
}

Result<std::optional<Stop>> Debugger::passHost(const std::optional<Goal> &goal) {
  const bool stoppedBefore = isAtMoment, passes = goal && goal->passesStopPoints;
  if (!stoppedBefore) {
    isAtMoment = true;
    if (std::optional<Stop> stop = stopBeforeHost(goal))
      return stop;
  }
  TILERIG_TRY(std::optional<Stop> stop, doStep(lastBeat, !passes));
  const TimedStage &stage = run->results().stages.back();
  // A cycle at which the host works: the run stops before the host begins. Only now is it known how long it works.
  std::optional<Stop> within = stoppedBefore || passes ? std::nullopt : stopWithin(stage.begin, stage.end);
  const bool isGoal = passes && goal->unit == StepUnit::cycle && goal->cycle < stage.end;
  if (within || isGoal) {
    TILERIG_CHECK_OK(undoStep(false));
    isAtMoment = true;
    Stop before = within ? *std::move(within) : stopHere(StopReason::step);
    before.cycle = cycle();
    return std::optional<Stop>(std::move(before));
  }
  if (!stop && goal && goal->unit == StepUnit::cycle && !passes)
    return std::optional<Stop>(stopHere(StopReason::step)); // the work of the host is one step
  return stop;
}

// A stop at the breakpoints on cycles in the range.
std::optional<Stop> Debugger::stopWithin(uint64_t begin, uint64_t end) {
  Stop stop = stopHere(StopReason::stopPoint);
  for (StopPoint &point : points)
    if (const auto *at = std::get_if<CycleStop>(&point.what);
        at && point.isEnabled && at->cycle >= begin && at->cycle < end && conditionHolds(point)) {
      ++point.hits;
      stop.moments.push_back({at->cycle, point.number});
    }
  return stop.moments.empty() ? std::nullopt : std::optional(std::move(stop));
}

bool Debugger::isBeforeHost() const { return run->nextKind() == StepKind::hostStage && !run->isOver(); }

Result<Stop> Debugger::backward(const std::optional<Goal> &goal) {
  while (run->numSteps() > firstSteps) {
    if (isInterrupted && isInterrupted())
      return stopHere(StopReason::interrupted);
    std::optional<Stop> stop;
    if (isBeforeHost() && !isAtMoment) { // a watchpoint has stopped the run on the way to this moment
      isAtMoment = true;
      if (std::optional<Stop> before = stopBeforeHost(goal))
        return *std::move(before);
    }
    if (deviceStage()) {
      TILERIG_TRY(stop, backInStage(goal));
    } else {
      const bool isHost = run->step(run->numSteps() - 1).kind == StepKind::hostStage;
      const bool passes = goal && goal->passesStopPoints;
      const uint64_t end = run->results().stages.empty() ? 0 : run->results().stages.back().end;
      TILERIG_TRY(stop, undoStep(!passes));
      if (!stop && isHost) {
        isAtMoment = true;
        const bool isGoal = goal && goal->unit == StepUnit::cycle && goal->cycle * ticksPerCycle >= now;
        stop = isGoal ? stopHere(StopReason::step) : stopBeforeHost(goal);
        if (!stop && !passes)
          stop = stopWithin(cycle(), end);
      }
    }
    if (stop)
      return *std::move(stop);
  }
  return stopHere(StopReason::beginning);
}

// Goes back to the stop before in a device stage, or leaves the stage by its beginning.
Result<std::optional<Stop>> Debugger::backInStage(const std::optional<Goal> &goal) {
  const bool passes = goal && goal->passesStopPoints;
  for (;;) {
    const std::optional<uint64_t> tick = tickBefore(goal);
    for (;;) {
      if (run->numSteps() <= firstSteps)
        break;
      if (isInterrupted && isInterrupted())
        return std::optional<Stop>(stopHere(StopReason::interrupted));
      const SteppedRun::DoneStep &last = run->step(run->numSteps() - 1);
      if (last.kind != StepKind::beat || (tick && last.beat.beat < beginOfTick(*tick)))
        break;
      TILERIG_TRY(std::optional<Stop> stop, undoStep(!passes));
      if (stop)
        return stop;
    }
    if (!tick)
      break;
    arrive(*tick);
    if (std::optional<Stop> stop = stopAt(*tick, goal))
      return stop;
  }
  now = nextTick = deviceStage()->begin * ticksPerCycle;
  isAtMoment = false;
  if (run->numSteps() <= firstSteps)
    return std::optional<Stop>();
  return undoStep(false); // the entry into the stage
}

void Debugger::arrive(uint64_t tick) {
  now = tick;
  nextTick = tick + 1;
  isAtMoment = true;
}

// Carries out the next step; returns a stop if it found one.
Result<std::optional<Stop>> Debugger::doStep(const Beat &limit, bool watches) {
  const size_t faultsBefore = run->faults().size();
  compareStage();
  TILERIG_CHECK_OK(run->forward(limit));
  const SteppedRun::DoneStep &step = run->step(run->numSteps() - 1);
  isAtMoment = false;
  std::optional<Difference> difference;
  if (step.kind == StepKind::beat) {
    const Beat &beat = step.beat.beat;
    now = std::max(now, beat.tick);
    nextTick = std::max(nextTick, beat.tick + (beat.kind >= BeatKind::start ? 1 : 0));
    if (step.beat.isWhole || step.beat.ended)
      difference = expected.firstDifference(beat.job, machine->memories);
  } else {
    syncStage();
    if (step.kind == StepKind::leaveStage || step.kind == StepKind::hostStage) {
      now = std::max(now, run->results().stages[step.stage].end * ticksPerCycle);
      nextTick = std::max(nextTick, now + 1);
    }
    compareStage();
    if (step.kind == StepKind::hostStage || (step.kind == StepKind::enterStage && deviceStage()))
      difference = expected.firstDifference({}, machine->memories);
  }
  if (run->faults().size() > faultsBefore) {
    Stop stop = stopHere(StopReason::fault);
    stop.fault = run->faults().back();
    return std::optional<Stop>(std::move(stop));
  }
  if (!watches)
    return std::optional<Stop>();
  if (difference) {
    Stop stop = stopHere(StopReason::difference);
    stop.difference = std::move(difference);
    return std::optional<Stop>(std::move(stop));
  }
  std::optional<WatchHit> hit = watchHit(step);
  if (!hit)
    return std::optional<Stop>();
  // The step is repeated, because only after it is known what it accesses.
  hit->after = bytesOf(*hit);
  TILERIG_CHECK_OK(goBack());
  hit->before = bytesOf(*hit);
  TILERIG_CHECK_OK(run->forward(limit));
  Stop stop = stopHere(StopReason::stopPoint);
  stop.watch = std::move(hit);
  return std::optional<Stop>(std::move(stop));
}

Result<std::optional<Stop>> Debugger::undoStep(bool watches) {
  const SteppedRun::DoneStep &step = run->step(run->numSteps() - 1);
  const StepKind kind = step.kind;
  const Beat beat = step.beat.beat;
  std::optional<WatchHit> hit = watches ? watchHit(step) : std::nullopt;
  if (hit)
    hit->after = bytesOf(*hit);
  TILERIG_CHECK_OK(goBack());
  isAtMoment = false;
  if (kind == StepKind::beat) {
    now = beat.tick;
    nextTick = beat.tick + (beat.kind >= BeatKind::start ? 1 : 0);
  } else {
    syncStage();
    if (kind == StepKind::leaveStage && run->currentStage()) {
      now = run->currentStage()->end * ticksPerCycle;
      nextTick = now + 1;
    }
    if (kind == StepKind::hostStage)
      now = nextTick = run->currentStage()->begin * ticksPerCycle;
  }
  if (!hit)
    return std::optional<Stop>();
  hit->before = bytesOf(*hit);
  Stop stop = stopHere(StopReason::stopPoint);
  stop.watch = std::move(hit);
  return std::optional<Stop>(std::move(stop));
}

// --- where to stop ---

template <class Visit>
void Debugger::forEachTick(const Goal &goal, Visit visit) const {
  const TimedStage &timed = *deviceStage();
  if (goal.unit == StepUnit::cycle) {
    if (goal.cycle >= timed.begin && goal.cycle <= timed.end)
      visit(goal.cycle * ticksPerCycle);
    return;
  }
  const StageThreads &threads = timed.costs->threads;
  const DeviceStage &code = std::get<DeviceStage>(program().stages[timed.index].work);
  if (goal.unit == StepUnit::layer) {
    for (const Event &event : firstStepsOfLayers(code, *timed.costs, *timed.timeline))
      visit(timed.timeline->steps[event.thread][event.ordinal - 1].begin * ticksPerCycle);
    return;
  }
  for (ThreadId thread = goal.thread.value_or(0); thread < threads.numThreads(); ++thread) {
    if (slotOf(thread) >= numThreadKinds || isDmaWrite(kindOf(thread)))
      continue;
    for (uint32_t ordinal = 1; ordinal <= timed.timeline->ended[thread]; ++ordinal) {
      const Instruction &instruction =
          code.tiles[tileOfThread(thread)][threads.step({thread, ordinal}).instruction];
      const uint64_t begin = timed.timeline->steps[thread][ordinal - 1].begin;
      if (!goal.thread && engineOf(instruction) != engineOfThread(thread))
        continue; // the sequencer hands it over to another engine
      if (goal.unit == StepUnit::instruction ||
          std::pair(layerOf(instruction), mnemonicOf(instruction)) != goal.primitive)
        visit(begin * ticksPerCycle);
    }
    if (goal.thread)
      break;
  }
}

std::optional<uint64_t> Debugger::nextTickOf(const std::optional<Goal> &goal) const {
  uint64_t tick = UINT64_MAX;
  const auto consider = [&](uint64_t other) {
    if (other >= nextTick)
      tick = std::min(tick, other);
  };
  if (goal)
    forEachTick(*goal, consider);
  if (!goal || !goal->passesStopPoints) {
    const auto at = std::ranges::lower_bound(moments, (nextTick + ticksPerCycle - 1) / ticksPerCycle, {},
                                             &StopMoment::cycle);
    if (at != moments.end())
      consider(at->cycle * ticksPerCycle);
  }
  return tick == UINT64_MAX ? std::nullopt : std::optional(tick);
}

std::optional<uint64_t> Debugger::tickBefore(const std::optional<Goal> &goal) const {
  const uint64_t bound = isAtMoment ? now : nextTick;
  std::optional<uint64_t> tick;
  const auto consider = [&](uint64_t other) {
    if (other < bound && (!tick || other > *tick))
      tick = other;
  };
  if (goal)
    forEachTick(*goal, consider);
  if (!goal || !goal->passesStopPoints)
    for (const StopMoment &moment : moments)
      consider(moment.cycle * ticksPerCycle);
  return tick;
}

std::pair<uint32_t, std::string_view> Debugger::primitiveOf(ThreadId thread) const {
  if (!states)
    return {};
  const ThreadState state = states->threadAt(thread, cycle());
  if (state.activity == Activity::done)
    return {};
  const Instruction &instruction =
      std::get<DeviceStage>(program().stages[*stage].work).tiles[tileOfThread(thread)][state.instruction];
  return {layerOf(instruction), mnemonicOf(instruction)};
}

std::optional<Stop> Debugger::stopAt(uint64_t tick, const std::optional<Goal> &goal) {
  Stop stop = stopHere(StopReason::stopPoint);
  if (!goal || !goal->passesStopPoints)
    for (const StopMoment &moment : moments)
      if (moment.cycle * ticksPerCycle == tick && conditionHolds(*find(moment.stopPoint))) {
        const bool isNew = stop.moments.empty() || stop.moments.back().stopPoint != moment.stopPoint;
        find(moment.stopPoint)->hits += isNew ? 1 : 0;
        stop.moments.push_back(moment);
      }
  if (!stop.moments.empty())
    return stop;
  bool isGoal = false;
  if (goal)
    forEachTick(*goal, [&](uint64_t other) { isGoal |= other == tick; });
  return isGoal ? std::optional(stopHere(StopReason::step)) : std::nullopt;
}

std::optional<Stop> Debugger::stopBeforeHost(const std::optional<Goal> &goal) {
  const auto &work = std::get<proto::HostWork>(program().stages[run->currentStage()->index].work);
  Stop stop = stopHere(StopReason::stopPoint);
  if (!goal || !goal->passesStopPoints)
    for (StopPoint &point : points)
      if (const auto *layers = std::get_if<LayerStop>(&point.what);
          layers && point.isEnabled && std::ranges::count(layers->layers, work.layer()) > 0 &&
          conditionHolds(point)) {
        ++point.hits;
        stop.moments.push_back({cycle(), point.number});
      }
  if (!stop.moments.empty())
    return stop;
  return goal && goal->countsHost() ? std::optional(stopHere(StopReason::step)) : std::nullopt;
}

// The first access of a step to watched bytes.
std::optional<WatchHit> Debugger::watchHit(const SteppedRun::DoneStep &step) {
  const auto isActive = [](const StopPoint &point) { return point.isWatch() && point.isEnabled; };
  if (std::ranges::none_of(points, isActive))
    return {};
  const AccessList accesses = accessesOf(*run, step);
  const std::optional<Place> place = placeOf(*run, step);
  const auto layer = place ? std::optional(place->layer) : std::nullopt;
  for (StopPoint &point : points)
    if (isActive(point))
      for (const Access &access : accesses)
        if (const auto touched = touchedBy(std::get<std::vector<Watch>>(point.what), access, layer);
            touched && conditionHolds(point)) {
          ++point.hits;
          return WatchHit{.stopPoint = point.number,
                          .place = place,
                          .access = access,
                          .memory = touched->first,
                          .bytes = touched->second,
                          .before = {},
                          .after = {}};
        }
  return {};
}

std::vector<std::byte> Debugger::bytesOf(const WatchHit &hit) const {
  return read(hit.memory, {hit.bytes.begin, std::min(hit.bytes.end, hit.bytes.begin + 16)});
}

// --- state ---

std::vector<std::byte> Debugger::read(MemoryId memory, ByteRange bytes) const {
  const std::byte *at = machine->memories.readable(memory, bytes);
  return {at, at + bytes.size()};
}

Result<Tensor> Debugger::tensor(const std::string &name) const {
  TILERIG_TRY(const proto::Tensor *placement, findTensor(program(), name, "tensor"));
  if (placement->pieces().empty())
    return invalidInput(name, "the program does not store this tensor");
  return collectTensor(*placement, machine->memories);
}

} // namespace tilerig::emulator
