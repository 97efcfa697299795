#include "emulator/Session.h"

#include "emulator/Memory/Placement.h"
#include "isa/Analyser/Analyser.h"

#include <fmt/core.h>

namespace tilerig {

namespace {

// Operands where the program says, in the session's memories.
class PlainPlaces final : public Places {
public:
  PlainPlaces(Memories &memories, PackCache &packCache, unsigned tile)
      : memories(memories), packCache(packCache), tile(tile) {}

  View view(std::string_view, const Stream &stream, unsigned tile) const override {
    const MemoryId memory = memoryOf(stream, tile);
    uint64_t end = stream.base + sizeBytes(stream.type);
    for (const Dimension &dim : stream.dims)
      end += uint64_t{dim.size - 1} * dim.stride;
    // Constants are never written: the checker and the analyser have seen to that.
    auto *data = const_cast<std::byte *>(memories.readable(memory, {stream.base, end}));
    return {data, stream.type, stream.dims};
  }
  bool isConstant(std::string_view) const override { return false; }
  PackCache &packs() const override { return packCache; }
  const std::byte *vector(std::string_view, uint64_t base, uint64_t sizeBytes) const override {
    return memories.readable(ocmOf(tile), {base, base + sizeBytes});
  }

private:
  Memories &memories;
  PackCache &packCache;
  unsigned tile;
};

struct PreparedStage {
  Phase phase;
  StageTasks tasks;
  std::vector<std::unique_ptr<Work>> works; // by task; none for an empty one
};

} // namespace

struct Session::State {
  State(Program program, unsigned threads)
      : program(std::move(program)), workers(threads), scratches(workers.threads()) {}

  Program program;
  Memories memories;
  PackCache packs;
  Workers workers;
  std::vector<Scratch> scratches;
  std::vector<PreparedStage> stages;
  bool hasRunBefore = false;

  Status prepare();
  std::optional<Fault> runStage(const PreparedStage &stage);
};

Status Session::State::prepare() {
  for (uint32_t index = 0; index < program.stages.size(); ++index) {
    const Stage &stage = program.stages[index];
    const auto *device = std::get_if<DeviceStage>(&stage.work);
    if (!device)
      return unsupported(fmt::format("stage '{}'", stage.name), "stages of the host are not run yet");
    PreparedStage prepared{stage.phase, tasksOfStage(program, index), {}};
    for (const InstructionPlace &place : prepared.tasks.places)
      prepared.works.push_back(place.index == StageTasks::emptyTask
                                   ? nullptr
                                   : prepareWork(device->tiles[place.tile][place.index], place.tile,
                                                 PlainPlaces(memories, packs, place.tile)));
    stages.push_back(std::move(prepared));
  }
  return success();
}

std::optional<Fault> Session::State::runStage(const PreparedStage &stage) {
  std::mutex mutex;
  uint32_t faulty = UINT32_MAX;
  std::string what;
  workers.run(stage.tasks.graph, [&](uint32_t task, unsigned thread) {
    const Work *work = stage.works[task].get();
    if (!work)
      return;
    if (auto fault = work->run(0, work->rows(), scratches[thread])) {
      std::lock_guard lock(mutex);
      // Of several, the one that comes first in the order of the stage, whichever thread found what.
      if (task < faulty) {
        faulty = task;
        what = fault->what;
      }
    }
  });
  if (faulty == UINT32_MAX)
    return {};
  return Fault{stage.tasks.places[faulty], what};
}

Session::Session(std::unique_ptr<State> state) : state(std::move(state)) {}
Session::~Session() = default;
const Program &Session::program() const { return state->program; }
unsigned Session::threads() const { return state->workers.threads(); }

Result<std::unique_ptr<Session>> Session::load(Program program, const SessionOptions &options) {
  if (!proofHolds(program))
    return invalidInput(program.metadata.model(),
                        "carries no proof of this analyser, which fast mode demands",
                        "compile it anew, or run it in timed mode");
  const unsigned threads =
      options.threads ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  auto state = std::make_unique<State>(std::move(program), threads);
  TRY(state->memories, Memories::of(state->program));
  CHECK_OK(state->prepare());
  return std::unique_ptr<Session>(new Session(std::move(state)));
}

static Status placeInputs(const Program &program, const TensorMap &inputs, Memories &memories) {
  size_t placed = 0;
  for (const proto::Tensor &tensor : program.metadata.tensors())
    if (tensor.role() == proto::INPUT) {
      TRY(const Tensor *given, inputs.get(tensor.name()));
      CHECK_OK(placeTensor(tensor, *given, memories));
      ++placed;
    }
  if (placed == inputs.size())
    return success();
  for (const NamedTensor &given : inputs)
    if (std::ranges::none_of(program.metadata.tensors(), [&](const proto::Tensor &tensor) {
          return tensor.role() == proto::INPUT && tensor.name() == given.name;
        }))
      return invalidInput(fmt::format("input '{}'", given.name), "the program has no such input");
  return success();
}

static Error errorOf(const Fault &fault, const Program &program) {
  return invalidInput(fmt::format("stage '{}', tile {}, instruction {}",
                                  program.stages[fault.place.stage].name, fault.place.tile,
                                  fault.place.index),
                      fault.what);
}

Result<TensorMap> Session::run(const TensorMap &inputs) {
  State &s = *state;
  CHECK_OK(placeInputs(s.program, inputs, s.memories));
  for (const PreparedStage &stage : s.stages)
    if (stage.phase == Phase::inference || (stage.phase == Phase::initial && !s.hasRunBefore))
      if (auto fault = s.runStage(stage))
        return errorOf(*fault, s.program);
  s.hasRunBefore = true;
  TensorMap outputs;
  for (const proto::Tensor &tensor : s.program.metadata.tensors())
    if (tensor.role() == proto::OUTPUT) {
      TRY(Tensor collected, collectTensor(tensor, s.memories));
      CHECK_OK(outputs.add(tensor.name(), std::move(collected)));
    }
  return outputs;
}

} // namespace tilerig
