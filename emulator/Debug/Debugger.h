// The debugger: a run that stops at breakpoints and watchpoints, goes on step by step, and goes back.
//
// The machine is deterministic, so a program and its inputs determine every moment of a run. A stop is a moment of the whole
// machine: all engines have done exactly what the clock lets them do until then, and going on gives the bits and cycles of a
// run that never stopped. This library reads and prints nothing; Tools/Debug.cpp is its user interface.
//
// An instruction that shares its bytes with no other one while it runs is computed when it begins; with
// `BeatsOptions::everyBeat`, each of its rows is computed at its own time.
#pragma once

#include "emulator/Debug/ExpectedTensors.h"
#include "emulator/Debug/FirstDifference.h"
#include "emulator/Debug/RecordedRun.h"
#include "emulator/Debug/StopPoint.h"
#include "emulator/Debug/Writers.h"
#include "isa/Timeline/SharedWays.h"

namespace tilerig::emulator {

enum class StopReason : uint8_t { beginning, step, stopPoint, difference, fault, interrupted, end };
} // namespace tilerig::emulator
template <>
struct tilerig::EnumNames<tilerig::emulator::StopReason> {
  static constexpr auto values = std::to_array<std::string_view>(
      {"beginning", "step", "stop_point", "difference", "fault", "interrupted", "end"});
};

namespace tilerig::emulator {

// An access to watched bytes.
struct WatchHit {
  unsigned stopPoint = 0;
  std::optional<Place> place; // the instruction; none if a bit flipped
  Access access;
  MemoryId memory = ddrMemory;
  ByteRange bytes; // the first watched bytes that it touched
  // Their values before and after the access; at most 16.
  std::vector<std::byte> before, after;
};

// Why and where a run stopped.
struct Stop {
  StopReason reason = StopReason::step;
  uint64_t cycle = 0;
  std::vector<StopMoment> moments; // the breakpoints that were reached
  std::optional<WatchHit> watch = {};
  std::optional<Difference> difference = {};
  std::optional<Fault> fault = {};
};

enum class TimeDirection : uint8_t { forward, back };

// What a step passes: everything up to the next moment of this kind.
enum class StepUnit : uint8_t {
  beat,        // the computation of a row, of a slice of a transfer, or of a whole instruction
  instruction, // an instruction of an engine
  primitive,   // the instructions of an engine of the same layer and the same kind
  layer,       // until the first instruction of another layer begins that computes
  cycle
};
} // namespace tilerig::emulator
template <>
struct tilerig::EnumNames<tilerig::emulator::StepUnit> {
  static constexpr auto values =
      std::to_array<std::string_view>({"beat", "instruction", "primitive", "layer", "cycle"});
};

namespace tilerig::emulator {

struct DebuggerOptions {
  BeatsOptions run = {};
  // Memory for what steps overwrote; going back further repeats the run.
  uint64_t historyBytes = uint64_t{2} << 30;
  // Asked at every step of a movement: whether the user wants it to stop.
  std::function<bool()> isInterrupted = {};
};

class Debugger {
public:
  // Loads a program. See LoadedMachine::load.
  static Result<std::unique_ptr<Debugger>> load(Program program, Defects defects, TensorMap inputs,
                                                const DebuggerOptions &options, Framework *framework);

  // Goes to the beginning of the program, which takes a while: the times of all instructions of a stage are computed when it
  // is entered. To be called before all functions but expect() and firstDifference(); further calls do nothing.
  Status start();

  // Stops at the first element of a tensor that differs from the expected one. Applies to elements that are computed from
  // now on. Returns the number of tensors that the program keeps.
  Result<size_t> expect(const TensorMap &expected);

  // The first element of the whole run that differs from the expected one. The debugged run stays where it is.
  Result<std::optional<FirstDifference>> firstDifference() const;
  bool hasExpected() const { return !expected.empty(); }

  // Adds a stop point and returns its number. Other numbers do not change when one is removed.
  unsigned add(StopPoint stopPoint);
  bool remove(unsigned number);
  bool enable(unsigned number, bool isEnabled);
  const std::vector<StopPoint> &stopPoints() const { return points; }

  // Goes to the next stop, or back to the one before.
  Result<Stop> go(TimeDirection direction);
  // Passes one unit, or goes back by one. `thread` is the thread whose instructions count; default: all of them. Watchpoints
  // and breakpoints on the way stop the run, too.
  Result<Stop> step(TimeDirection direction, StepUnit unit, std::optional<ThreadId> thread);
  // Goes to the beginning of a cycle of the run, before or after the present one; breakpoints on the way are passed.
  Result<Stop> goTo(uint64_t cycle);
  // Goes back to before the first instruction.
  Result<Stop> restart();

  const Program &program() const { return machine->program; }
  uint64_t cycle() const { return now / ticksPerCycle; }
  // The cycle at whose beginning engines are as they are now: the next one, if instructions have been carried out that begin
  // in the present one.
  uint64_t stateCycle() const { return cycle() + (!isAtMoment && nextTick > now ? 1 : 0); }
  bool isOver() const { return run->isOver(); }
  const RecordedRun &recordedRun() const { return *run; }
  // The device stage that the run is in, and its engines; null in a host stage, or between stages.
  const TimedStage *deviceStage() const;
  const EngineStates *engineStates() const { return deviceStage() ? &*states : nullptr; }

  // Reads bytes of a memory, as they are now. The range must be inside the memory.
  std::vector<std::byte> read(MemoryId memory, ByteRange bytes) const;
  const Initialised &initialised() const { return run->initialised(); }
  // A tensor of the program as it lies in the memories now, in the type of the model.
  Result<Tensor> tensor(const std::string &name) const;
  // Who wrote any of these bytes last.
  Writer lastWriterOf(MemoryId memory, const Region &region) const {
    return emulator::lastWriterOf(*run, memory, region, run->numSteps());
  }
  WriterChain whoWrote(const Location &location, unsigned depth) const {
    return writersOf(*run, location, depth);
  }

private:
  Debugger() = default;

  // What a movement aims at: the next moment that passes a unit, or a cycle of the run.
  struct Goal {
    StepUnit unit = StepUnit::cycle;
    std::optional<ThreadId> thread = {};
    uint64_t cycle = 0;
    // Of a primitive: the layer and the kind of instruction that are passed.
    std::pair<uint32_t, std::string_view> primitive = {};
    bool passesStopPoints = false;

    // Whether the goal is reached before a stage of the host.
    bool countsHost() const { return !thread && (unit == StepUnit::instruction || unit == StepUnit::layer); }
  };

  Result<Stop> forward(const std::optional<Goal> &goal);
  Result<Stop> backward(const std::optional<Goal> &goal);
  Result<std::optional<Stop>> forwardInStage(const std::optional<Goal> &goal);
  Result<std::optional<Stop>> backInStage(const std::optional<Goal> &goal);
  Result<std::optional<Stop>> passHost(const std::optional<Goal> &goal);
  Result<Stop> beat(TimeDirection direction);
  Result<Stop> ended();

  Result<std::optional<Stop>> doStep(const Beat &limit, bool watches);
  Result<std::optional<Stop>> undoStep(bool watches);
  void arrive(uint64_t tick);
  Status goBack();
  void compareStage();
  void syncStage();
  void lookAtStage();
  void findMoments();

  std::optional<uint64_t> nextTickOf(const std::optional<Goal> &goal) const;
  std::optional<uint64_t> tickBefore(const std::optional<Goal> &goal) const;
  // Calls visit(tick) for the moments of a goal in this stage.
  template <class Visit>
  void forEachTick(const Goal &goal, Visit visit) const;
  std::pair<uint32_t, std::string_view> primitiveOf(ThreadId thread) const;
  std::optional<Stop> stopAt(uint64_t tick, const std::optional<Goal> &goal);
  std::optional<Stop> stopBeforeHost(const std::optional<Goal> &goal);
  std::optional<Stop> stopWithin(uint64_t begin, uint64_t end);
  bool isBeforeHost() const;
  bool conditionHolds(const StopPoint &stopPoint) const;
  double valueOf(const Condition::Operand &operand) const;
  std::optional<WatchHit> watchHit(const SteppedRun::DoneStep &step);
  std::vector<std::byte> bytesOf(const WatchHit &hit) const;
  StopPoint *find(unsigned number);
  Stop stopHere(StopReason reason) const { return {.reason = reason, .cycle = cycle(), .moments = {}}; }

  std::unique_ptr<LoadedMachine> machine;
  TensorMap inputs;
  BeatsOptions options;
  std::function<bool()> isInterrupted;
  std::unique_ptr<RecordedRun> run;
  size_t firstSteps = 0; // number of steps before the first stop
  ExpectedTensors expected;
  bool comparesStage = false; // whether `expected` knows what to compare in this stage
  std::vector<StopPoint> points;
  unsigned lastNumber = 0;

  uint64_t now = 0; // tick of the present moment
  // Moments of the stage before this tick have been passed, or reached.
  uint64_t nextTick = 0;
  bool isAtMoment = false; // whether the run was stopped at the beginning of the tick `now`
  // The stage that the run is in; in a device stage: its engines, and the moments of all stop points.
  std::optional<uint32_t> stage;
  std::optional<EngineStates> states;
  std::vector<StopMoment> moments;
};

} // namespace tilerig::emulator
