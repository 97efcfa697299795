#include "emulator/Session.h"

#include "emulator/Defects/CheckDefects.h"
#include "emulator/Defects/DefectiveOps.h"
#include "emulator/Execute/Prepare.h"
#include "emulator/Execute/Vectors.h"
#include "emulator/Fast/JointTasks.h"
#include "emulator/Fast/Workers.h"
#include "emulator/Host/HostStage.h"
#include "emulator/Host/Kernels.h"
#include "emulator/Memory/Inputs.h"
#include "emulator/Memory/Placement.h"
#include "emulator/Memory/Stored.h"
#include "emulator/Observe/ObservedOps.h"
#include "emulator/Observe/Observers.h"
#include "isa/Analyser/Analyser.h"
#include "isa/Base/Support/InParallel.h"
#include "isa/Program/CutOutputs.h"
#include "isa/RunPlan/RunPlan.h"

#include <fmt/core.h>

namespace tilerig::emulator {

namespace {

// Inputs that several instructions of the POD (matrix engine) read, so that each input is laid out for the
// kernels only once. The key is the stage, the input's id (StageOrigins::inputs), where and how it is read, and
// the layout in which the instructions need it. Together they determine the size of the copy, whatever ids a
// stored plan states.
class SharedOperands {
public:
  pod::SharedOperand *find(uint32_t stage, uint32_t input, const View &view, const OperandLayout &layout) {
    Key key{stage, input, view.data, view.type, {}, layout};
    for (unsigned d = 0; d < 5; ++d)
      key.dims[d] = {view.dims[d].size, view.dims[d].stride};
    const std::lock_guard lock(mutex);
    auto &operand = operands[key];
    if (!operand)
      operand = std::make_unique<pod::SharedOperand>(pool);
    operand->addReader();
    return operand.get();
  }

private:
  struct Key {
    uint32_t stage, input;
    const std::byte *data;
    ElementType type;
    std::array<std::pair<uint32_t, uint32_t>, 5> dims;
    OperandLayout layout;
    auto operator<=>(const Key &) const = default;
  };
  std::mutex mutex;
  pod::BufferPool pool;
  std::map<Key, std::unique_ptr<pod::SharedOperand>> operands;
};

// Finds the host address of each operand of an instruction: in the emulated memories, at the address that the
// program states, or at the operand's origin (Origin), another place that holds the same values.
class SessionPlaces final : public Places {
public:
  SessionPlaces(Memories &memories, PackCache &packCache, SharedOperands &sharedOperands,
                const InstructionPlace &place, const std::vector<Origin> &origins, uint32_t input, bool wide)
      : memories(memories), packCache(packCache), sharedOperands(sharedOperands), stage(place.stage),
        tile(place.tile), origins(origins), input(input), wide(wide) {}

  View view(std::string_view operand, const Stream &stream, unsigned at) const override {
    if (const Origin *origin = originOf(operand))
      return viewAt(origin->memory, stream.base + static_cast<uint64_t>(origin->distance), stream);
    return viewAt(memoryOf(stream, at), stream.base, stream);
  }
  bool isConstant(std::string_view operand) const override {
    const Origin *origin = originOf(operand);
    return origin && origin->isConstant;
  }
  bool mayOverflow() const override { return wide; }
  PackCache &packs() const override { return packCache; }
  pod::SharedOperand *shared(const View &view, const OperandLayout &layout) const override {
    return input == StageOrigins::noInput ? nullptr : sharedOperands.find(stage, input, view, layout);
  }
  const std::byte *vector(std::string_view operand, uint64_t base, uint64_t sizeBytes) const override {
    const Origin *origin = originOf(operand);
    const MemoryId memory = origin ? origin->memory : ocmOf(tile);
    base += origin ? static_cast<uint64_t>(origin->distance) : 0;
    return memories.readable(memory, {base, base + sizeBytes});
  }

private:
  const Origin *originOf(std::string_view operand) const {
    const auto origin = std::ranges::find(origins, operand, &Origin::operand);
    return origin == origins.end() ? nullptr : &*origin;
  }
  View viewAt(MemoryId memory, uint64_t base, const Stream &stream) const {
    uint64_t end = base + sizeBytes(stream.type);
    for (const Dimension &dim : stream.dims)
      end += uint64_t{dim.size - 1} * dim.stride;
    // The const_cast is safe: the checker and the analyser have ruled out writes to constants.
    return {const_cast<std::byte *>(memories.readable(memory, {base, end})), stream.type, stream.dims};
  }

  Memories &memories;
  PackCache &packCache;
  SharedOperands &sharedOperands;
  uint32_t stage;
  unsigned tile;
  const std::vector<Origin> &origins;
  uint32_t input;
  bool wide;
};

// Whether accumulators of the instruction may overflow. Static analysis has excluded this for all
// instructions that the program does not list.
bool isWide(const Program &program, const InstructionPlace &place) {
  for (const proto::Wide &wide : program.proof->wide())
    if (wide.stage() == place.stage && wide.tile() == place.tile)
      return std::ranges::binary_search(wide.instructions(), place.index);
  return false;
}

// Returns the needed part of an instruction: a multicast is reduced to the tiles where its data are read.
Instruction reduced(const Instruction &instruction, TileSet needed) {
  Instruction rest = instruction;
  if (auto *multicast = std::get_if<Multicast>(&rest))
    multicast->tiles &= needed;
  return rest;
}

struct PreparedStage {
  Phase phase;
  StageTasks tasks;
  // The operation of each task, and then one for each capture; null if the task has nothing to do. The captures are
  // tasks of the graph, too.
  std::vector<std::unique_ptr<PreparedOp>> ops;
  const proto::HostWork *host; // the operation of a host stage; null for a device stage
  // Copies that belong to no task. In a device stage, these are replacements of values that are made before
  // the first task. In a host stage, these are all replacements and captures; they are made at the end.
  std::vector<StridedCopy> untimed;
};

// Adds the captures of a stage, and its replacements of values (changes), to its tasks. `leaders` names for each task the
// one whose operation computes it.
void addObservers(const StageObservers &observers, const std::vector<uint32_t> &leaders,
                  PreparedStage &stage) {
  std::map<uint32_t, std::vector<StridedCopy>> changes;
  for (const Change &change : observers.changes)
    if (change.after)
      changes[leaders[*change.after]].push_back(change.copy);
    else
      stage.untimed.push_back(change.copy);
  for (auto &[task, copies] : changes)
    stage.ops[task] = changedOp(std::move(stage.ops[task]), std::move(copies));
  for (const Capture &capture : observers.captures)
    if (stage.host)
      stage.untimed.push_back(capture.copy);
    else
      stage.ops.push_back(capturingOp(capture.copy));
}

// The plan of the run: the stored one, unless something observes or changes the run. If `literal`, every operand is read,
// and every copy made, as the program says.
Result<RunPlan> planOf(const Program &program, const Observation &observation, bool literal,
                       Memories &memories, Observers &observers) {
  TILERIG_TRY(std::optional<RunPlan> plan, storedRunPlan(program));
  if (plan && observation.isNone() && !literal) {
    observers.stages.resize(program.stages.size());
    return *std::move(plan);
  }
  // The stored graphs have edges for copies that are not made; these edges do no harm where all copies are made.
  std::vector<StageTasks> tasks = plan ? std::move(plan->tasks) : tasksOfStages(program);
  TILERIG_TRY(observers, Observers::of(program, tasks, observation, memories));
  if (literal) {
    std::vector<StageOrigins> origins = literalOrigins(tasks);
    for (StageTasks &stage : tasks)
      stage.order.reset();
    return RunPlan{std::move(tasks), std::move(origins)};
  }
  std::vector<std::vector<ObservedBytes>> observed;
  for (const StageObservers &stage : observers.stages)
    observed.push_back(observedBytes(stage));
  return planRun(program, std::move(tasks), observed);
}

} // namespace

struct Session::State {
  State(std::shared_ptr<const Program> shared, unsigned threads)
      : owner(std::move(shared)), program(*owner), workers(threads), scratches(workers.threads()) {}

  std::shared_ptr<const Program> owner;
  const Program &program;
  Memories memories;
  PackCache packs;
  SharedOperands sharedOperands;
  Workers workers;
  std::vector<Scratch> scratches;
  std::vector<PreparedStage> stages;
  Observers observers;
  HostOperations hostOperations;
  Framework *framework = nullptr;
  std::optional<Fault> fault; // the fault that ended the last run
  bool hasRunBefore = false, hasFinished = false;

  Status prepare(const SessionOptions &options);
  std::vector<uint32_t> prepareOps(const StageOrigins &origins, const SessionOptions &options,
                                   PreparedStage &stage);
  SessionPlaces placesOf(const InstructionPlace &place, const StageOrigins &origins, uint32_t task) {
    return SessionPlaces(memories, packs, sharedOperands, place, origins.reads[task], origins.inputs[task],
                         isWide(program, place));
  }
  Status runPhase(Phase phase);
  std::optional<Fault> runStage(const PreparedStage &stage);
};

Status Session::State::prepare(const SessionOptions &options) {
  TILERIG_CHECK_OK(checkHostKernels(program, options.framework));
  framework = options.framework;
  hostOperations.resize(program.stages.size());
  TILERIG_TRY(RunPlan plan, planOf(program, options.observation, options.literal || !options.defects.empty(),
                                   memories, observers));
  for (uint32_t index = 0; index < program.stages.size(); ++index) {
    if (const auto *host = std::get_if<proto::HostWork>(&program.stages[index].work)) {
      stages.push_back({program.stages[index].phase, {}, {}, host, {}});
      addObservers(observers.stages[index], {}, stages.back());
      continue;
    }
    PreparedStage prepared{program.stages[index].phase, std::move(plan.tasks[index]), {}, nullptr, {}};
    if (!observers.stages[index].captures.empty())
      prepared.tasks.graph = withCaptures(prepared.tasks.graph, observers.stages[index].captures);
    const std::vector<uint32_t> leaders = prepareOps(plan.origins[index], options, prepared);
    addObservers(observers.stages[index], leaders, prepared);
    prepared.tasks.graph = prepared.tasks.graph.joined(leaders);
    stages.push_back(std::move(prepared));
  }
  return success();
}

// Prepares the operations of a device stage, without those of captures. Returns for each task of its graph the one whose
// operation computes it.
std::vector<uint32_t> Session::State::prepareOps(const StageOrigins &origins, const SessionOptions &options,
                                                 PreparedStage &stage) {
  const StageTasks &tasks = stage.tasks;
  const auto instructionOf = [&](uint32_t task) -> const Instruction * {
    if (task >= tasks.places.size())
      return nullptr; // a capture
    const InstructionPlace &place = tasks.places[task];
    const bool isNeeded = place.index != StageTasks::emptyTask && origins.needed[task] != 0;
    return isNeeded ? &std::get<DeviceStage>(program.stages[place.stage].work).tiles[place.tile][place.index]
                    : nullptr;
  };
  std::map<uint32_t, SessionPlaces> placesOfProducts;
  const auto productOf = [&](uint32_t task) -> std::optional<PlacedProduct> {
    const Instruction *instruction = instructionOf(task);
    if (!instruction || options.literal || !options.defects.empty())
      return {};
    return std::visit(
        [&]<class T>(const T &typed) -> std::optional<PlacedProduct> {
          if constexpr (!ProductInstruction<T>)
            return {};
          else
            return Placed<T>{&typed, tasks.places[task].tile,
                             &placesOfProducts.try_emplace(task, placesOf(tasks.places[task], origins, task))
                                  .first->second};
        },
        *instruction);
  };
  JointTasks joint = findJointTasks(tasks.graph, productOf);
  stage.ops.resize(tasks.places.size());
  const auto prepareOne = [&](uint32_t task) {
    const Instruction *instruction = instructionOf(task);
    if (!instruction || joint.leaders[task] != task)
      return;
    if (joint.members[task].size() > 1) {
      stage.ops[task] = prepareJoined(joint.members[task]);
      return;
    }
    const InstructionPlace &place = tasks.places[task];
    const SessionPlaces places = placesOf(place, origins, task);
    stage.ops[task] =
        prepareDefective(reduced(*instruction, origins.needed[task]), place.tile, places, options.defects);
  };
  // Neighbouring tasks often need the same weights, and all threads but one would wait until these are packed. So each
  // thread takes a run of neighbouring tasks.
  constexpr size_t tasksAtOnce = 32;
  std::atomic<size_t> next = 0;
  onThreads(workers.threads(), [&](unsigned) {
    for (size_t first; (first = next.fetch_add(tasksAtOnce)) < stage.ops.size();)
      for (size_t task = first; task < std::min(stage.ops.size(), first + tasksAtOnce); ++task)
        prepareOne(static_cast<uint32_t>(task));
  });
  return std::move(joint.leaders);
}

std::optional<Fault> Session::State::runStage(const PreparedStage &stage) {
  std::mutex mutex;
  uint32_t faulty = UINT32_MAX;
  std::string description;
  workers.run(stage.tasks.graph, [&](uint32_t task, unsigned thread) {
    const PreparedOp *op = stage.ops[task].get();
    if (!op)
      return;
    if (auto fault = op->run(0, op->rows(), scratches[thread])) {
      std::lock_guard lock(mutex);
      // If several tasks fail, reports the first in task order, independent of the threads' timing.
      if (task < faulty) {
        faulty = task;
        description = fault->description;
      }
    }
  });
  if (faulty == UINT32_MAX)
    return {};
  const InstructionPlace &place = stage.tasks.places[faulty];
  return Fault{.description = description, .place = placeOf(program, place.stage, place.tile, place.index)};
}

Session::Session(std::unique_ptr<State> state) : state(std::move(state)) {}
Session::~Session() = default;
const Program &Session::program() const { return state->program; }
const std::optional<Fault> &Session::fault() const { return state->fault; }
uint64_t Session::overflows() const {
  uint64_t sum = 0;
  for (const Scratch &scratch : state->scratches)
    sum += scratch.overflows;
  return sum;
}
unsigned Session::threads() const { return state->workers.threads(); }

Result<std::unique_ptr<Session>> Session::load(Program program, const SessionOptions &options) {
  return load(std::make_shared<const Program>(std::move(program)), options);
}

Result<std::unique_ptr<Session>> Session::load(std::shared_ptr<const Program> shared,
                                               const SessionOptions &options) {
  const Program &program = *shared;
  if (!proofHolds(program))
    return invalidInput(program.metadata.model(),
                        "the program carries no proof by this version's analyser that it is free of "
                        "races, and fast mode runs only programs with such a proof",
                        "compile the program again, or run it in timed mode");
  TILERIG_CHECK_OK(checkDefects(options.defects, program));
  if (options.defects.needTime())
    return usageError("defects",
                      "flipped bits, lost signals, delayed transfers and wrong destinations need simulated "
                      "time, which a Session does not have",
                      "use a BeatsSession");
  TILERIG_CHECK_OK(chooseVectors());
  const unsigned threads =
      options.threads ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  auto state = std::make_unique<State>(std::move(shared), threads);
  TILERIG_TRY(state->memories, Memories::of(state->program));
  TILERIG_CHECK_OK(state->prepare(options));
  return std::unique_ptr<Session>(new Session(std::move(state)));
}

Status Session::State::runPhase(Phase phase) {
  const auto observe = [](const PreparedStage &stage) {
    for (const StridedCopy &copy : stage.untimed)
      copy.run();
  };
  for (size_t index = 0; index < stages.size(); ++index) {
    const PreparedStage &stage = stages[index];
    if (stage.phase != phase)
      continue;
    if (stage.host) {
      TILERIG_TRY(hostOperations[index], runHostStage(program, *stage.host, memories, framework));
      observe(stage);
      continue;
    }
    observe(stage);
    if ((fault = runStage(stage)))
      return errorOf(*fault, program);
  }
  return success();
}

Result<TensorMap> Session::run(const TensorMap &inputs) {
  State &s = *state;
  if (s.hasFinished)
    return usageError("session", "no inference can be run after the session's finish()",
                      "load the program again");
  s.fault.reset();
  TILERIG_CHECK_OK(placeInputs(s.program, inputs, s.memories));
  for (const StridedCopy &capture : s.observers.capturePoints.atBegin)
    capture.run();
  if (!s.hasRunBefore)
    TILERIG_CHECK_OK(s.runPhase(Phase::initial));
  s.hasRunBefore = true;
  TILERIG_CHECK_OK(s.runPhase(Phase::inference));
  for (const StridedCopy &capture : s.observers.capturePoints.atEnd)
    capture.run();
  TensorMap outputs;
  for (const proto::Tensor &tensor : s.program.metadata.tensors())
    if (tensor.role() == proto::OUTPUT) {
      TILERIG_TRY(Tensor collected, collectTensor(tensor, s.memories));
      TILERIG_CHECK_OK(outputs.add(tensor.name(), std::move(collected)));
    }
  return cutToSizes(s.program, std::move(outputs));
}

Status Session::finish() {
  State &s = *state;
  if (s.hasFinished || !s.hasRunBefore)
    return usageError("session", s.hasFinished ? "the session's finish() has been called before"
                                               : "the session's finish() needs an inference before it");
  s.hasFinished = true;
  return s.runPhase(Phase::finishing);
}

const HostOperations &Session::hostOperations() const { return state->hostOperations; }

const TensorMap &Session::captured() const { return state->observers.capturePoints.captured; }
const std::vector<std::string> &Session::notCaptured() const {
  return state->observers.capturePoints.missing;
}

Result<TensorMap> Session::capturedAsModel(InModelTypes which) const {
  return state->observers.capturePoints.capturedAsModel(state->program, which);
}

} // namespace tilerig::emulator
