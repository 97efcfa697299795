#include "emulator/Fast/Origins.h"

#include "isa/Analyser/Pieces.h"
#include "isa/Analyser/Values.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <utility>

namespace tilerig {

namespace {

// The operand that is packed once where it is constant.
const Stream *weightsOf(const Instruction &instruction) {
  if (const auto *matmul = std::get_if<Matmul>(&instruction))
    return &matmul->b;
  if (const auto *conv = std::get_if<Conv>(&instruction))
    return &conv->weights;
  return nullptr;
}
constexpr bool isWeights(std::string_view operand) { return operand == "b" || operand == "weights"; }

class OriginWalk {
public:
  OriginWalk(const Program &program, const std::vector<StageTasks> &tasks,
             const std::vector<StageObservers> &observers)
      : program(program), tasks(tasks), observers(observers), constants(program), origins(tasks.size()),
        decided(tasks.size()), looks(tasks.size()), changed(tasks.size()) {
    for (size_t stage = 0; stage < tasks.size(); ++stage) {
      origins[stage].weights.resize(tasks[stage].places.size());
      decided[stage].resize(tasks[stage].places.size());
      for (const Look &look : observers[stage].looks)
        if (look.moment.after)
          looks[stage].emplace(*look.moment.after, &look);
      for (const Change &change : observers[stage].changes)
        if (change.after)
          changed[stage].insert(*change.after);
    }
  }

  std::vector<StageOrigins> find() {
    // A decision that the second inference overturns makes a reader of what was thought idle; so once more.
    do {
      overturned = false;
      walkOnce();
    } while (overturned);
    return std::move(origins);
  }

private:
  // What a transfer wrote, as long as it has not been overwritten.
  struct Task {
    uint32_t stage, index;
  };
  struct Copied {
    Task task;
    Region region;
  };
  // One that copies what another has copied needs it only if it is itself needed.
  struct Chain {
    Task from, to;
  };

  void walkOnce() {
    Values fresh(constants, program.tiles);
    values = &fresh;
    copies.assign(program.tiles + 1, {});
    chains.clear();
    for (size_t stage = 0; stage < tasks.size(); ++stage)
      origins[stage].idle.assign(tasks[stage].places.size(), true);
    walkPhase(Phase::initial);
    for (int inference = 0; inference < 2; ++inference) {
      forgetTensors([](const proto::Tensor &tensor) { return tensor.role() == proto::INPUT; });
      walkPhase(Phase::inference);
      for (const proto::Tensor &tensor : program.metadata.tensors())
        if (tensor.role() == proto::OUTPUT)
          readTensor(tensor);
    }
    walkPhase(Phase::finishing);
    for (bool changed = true; std::exchange(changed, false);)
      for (const Chain &chain : chains | std::views::reverse)
        if (!isIdle(chain.to) && isIdle(chain.from)) {
          keep(chain.from);
          changed = true;
        }
  }
  bool isIdle(Task task) const { return origins[task.stage].idle[task.index]; }
  void keep(Task task) { origins[task.stage].idle[task.index] = false; }

  void walkPhase(Phase phase) {
    for (uint32_t stage = 0; stage < program.stages.size(); ++stage) {
      if (program.stages[stage].phase != phase)
        continue;
      if (const auto *host = std::get_if<proto::HostWork>(&program.stages[stage].work)) {
        walkHost(*host);
        observeUntimed(stage);
        continue;
      }
      observeUntimed(stage);
      for (uint32_t task = 0; task < tasks[stage].places.size(); ++task)
        if (tasks[stage].places[task].index != StageTasks::emptyTask) {
          walkTask(stage, task);
          const auto [begin, end] = looks[stage].equal_range(task);
          for (auto look = begin; look != end; ++look)
            lookAt(*look->second);
        }
    }
  }

  // Observers that follow no task: at the beginning of a stage of the device, at the end of one of the host.
  void observeUntimed(uint32_t stage) {
    for (const Change &change : observers[stage].changes)
      if (!change.after)
        for (const Region &region : change.regions)
          overwrite(change.memory, region);
    for (const Look &look : observers[stage].looks)
      if (!look.moment.after)
        lookAt(look);
  }
  void lookAt(const Look &look) {
    for (const Region &region : look.regions)
      need(look.memory, region);
  }

  void walkHost(const proto::HostWork &work) {
    for (const proto::Tensor &tensor : program.metadata.tensors())
      if (std::ranges::find(work.inputs(), tensor.name()) != work.inputs().end())
        readTensor(tensor);
    forgetTensors([&](const proto::Tensor &tensor) {
      return std::ranges::find(work.outputs(), tensor.name()) != work.outputs().end();
    });
  }

  template <class Which>
  void forgetTensors(Which which) {
    for (const proto::Tensor &tensor : program.metadata.tensors())
      if (which(tensor))
        forEachPieceRun(tensor, [&](MemoryId memory, const Region &region) { overwrite(memory, region); });
  }
  void readTensor(const proto::Tensor &tensor) {
    forEachPieceRun(tensor, [&](MemoryId memory, const Region &region) { need(memory, region); });
  }
  template <class Visit>
  void forEachPieceRun(const proto::Tensor &tensor, Visit visit) {
    for (const proto::Piece &piece : tensor.pieces())
      forEachRun(tensor, piece, [&](ByteRange run) {
        visit(piece.ddr() ? ddrMemory : ocmOf(piece.tile()), Region::ofRun(run.begin, run.size()));
        return true;
      });
  }

  void walkTask(uint32_t stage, uint32_t task) {
    const InstructionPlace &place = tasks[stage].places[task];
    const Instruction &instruction =
        std::get<DeviceStage>(program.stages[stage].work).tiles[place.tile][place.index];
    list.clear();
    appendAccesses(instruction, place.tile, list);
    decideWeights(stage, task, weightsOf(instruction));
    const bool readsConstants = origins[stage].weights[task].has_value();
    std::optional<Fact> fact;
    if (!changed[stage].contains(task))
      fact = std::visit([&](const auto &it) { return copiedBy(it, place.tile); }, instruction);
    for (const Access &access : list)
      if (access.kind == AccessKind::read && fact)
        forEachCopied(access.memory, access.region, [&](Task from) {
          chains.push_back({from, {stage, task}});
        });
      else if (access.kind == AccessKind::read && !(readsConstants && isWeights(access.operand)))
        need(access.memory, access.region);
    for (const Access &access : list) {
      if (access.kind != AccessKind::write)
        continue;
      overwrite(access.memory, access.region);
      if (fact) {
        values->learn(access.memory, *fact);
        copies[access.memory].insert(access.region.bounds(), {{stage, task}, access.region});
      }
    }
    if (!fact)
      keep({stage, task});
  }

  // The first time through decides; a later one that finds otherwise takes the decision back for good.
  void decideWeights(uint32_t stage, uint32_t task, const Stream *weights) {
    if (!weights)
      return;
    std::optional<uint64_t> origin;
    const auto read =
        std::ranges::find_if(list, [](const Access &access) { return isWeights(access.operand); });
    const bool isOneRegion =
        std::ranges::count_if(list, [](const Access &access) { return isWeights(access.operand); }) == 1;
    if (isOneRegion)
      if (const auto shift = values->shiftToConstants(read->memory, read->region))
        origin = weights->base + static_cast<uint64_t>(*shift);
    std::optional<uint64_t> &decision = origins[stage].weights[task];
    if (!decided[stage][task]) {
      decided[stage][task] = true;
      decision = origin;
    } else if (decision && decision != origin) {
      decision.reset();
      overturned = true;
    }
  }

  template <class T>
  std::optional<Fact> copiedBy(const T &it, unsigned tile) const {
    std::optional<Fact> fact;
    if constexpr (requires {
                    it.source;
                    it.destination;
                    it.clip;
                  })
      fact = values->copied(memoryOf(it.source, tile), it.source, it.destination);
    else if constexpr (std::is_same_v<T, Copy>)
      fact = values->copied(ocmOf(tile), it.input, it.output);
    // Only what is constant, and lies as it lies there.
    return fact && fact->kind == Fact::shifted ? fact : std::nullopt;
  }

  template <class Visit>
  void forEachCopied(MemoryId memory, const Region &region, Visit visit) {
    copies[memory].visitOverlapping(region.bounds(), [&](ByteRange, const Copied &copy) {
      if (overlap(copy.region, region))
        visit(copy.task);
      return false;
    });
  }
  void need(MemoryId memory, const Region &region) {
    forEachCopied(memory, region, [&](Task task) { keep(task); });
  }
  void overwrite(MemoryId memory, const Region &region) {
    values->forget(memory, region);
    copies[memory].visitOverlapping(
        region.bounds(), [&](ByteRange, const Copied &copy) { return covers(region, copy.region); });
  }

  const Program &program;
  const std::vector<StageTasks> &tasks;
  const std::vector<StageObservers> &observers;
  const Constants constants;
  std::vector<StageOrigins> origins;
  std::vector<std::vector<bool>> decided;
  std::vector<std::multimap<uint32_t, const Look *>> looks; // by stage, then the task that they follow
  std::vector<std::set<uint32_t>> changed;                  // by stage: tasks that a change belongs to
  bool overturned = false;

  Values *values = nullptr;
  std::vector<IntervalIndex<Copied>> copies; // by memory
  std::vector<Chain> chains;
  AccessList list;
};

} // namespace

std::vector<StageOrigins> findOrigins(const Program &program, const std::vector<StageTasks> &tasks,
                                      const std::vector<StageObservers> &observers) {
  return OriginWalk(program, tasks, observers).find();
}

} // namespace tilerig
