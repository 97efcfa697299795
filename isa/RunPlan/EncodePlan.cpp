#include "isa/RunPlan/EncodePlan.h"

#include "isa/Analyser/Constants.h"
#include "isa/Base/Support/InParallel.h"
#include "isa/Instructions/Streams.h"
#include "isa/RunPlan/RunPlan.pb.h"

#include <fmt/core.h>
#include <map>

namespace tilerig {

namespace {

constexpr uint32_t withoutInstruction = 256;

// --- encoding ---

class StageEncoder {
public:
  StageEncoder(const StageTasks &tasks, const StageOrigins &origins, const DeviceStage &code)
      : tasks(tasks), origins(origins), code(code) {}

  proto::StoredStagePlan encode() {
    for (uint32_t task = 0; task < tasks.places.size(); ++task) {
      addPlace(tasks.places[task]);
      addSuccessors(task);
      const auto [entry, isNew] = sets.emplace(origins.needed[task], static_cast<uint32_t>(sets.size()));
      if (isNew)
        plan.add_tile_sets(entry->first);
      plan.add_needed(entry->second);
      plan.add_inputs(origins.inputs[task] == StageOrigins::noInput ? 0 : origins.inputs[task] + 1);
      addReads(task);
    }
    return std::move(plan);
  }

private:
  void addPlace(const InstructionPlace &place) {
    const bool hasInstruction = place.index != StageTasks::emptyTask;
    plan.add_tiles(place.tile + (hasInstruction ? 0 : withoutInstruction));
    if (hasInstruction)
      plan.add_index_steps(int64_t{place.index} - std::exchange(lastIndex[place.tile], place.index));
  }
  void addSuccessors(uint32_t task) {
    const TaskGraph &graph = tasks.graph;
    plan.add_successor_counts(graph.firstSuccessor[task + 1] - graph.firstSuccessor[task]);
    int64_t last = task;
    for (uint32_t i = graph.firstSuccessor[task]; i < graph.firstSuccessor[task + 1]; ++i)
      plan.add_successor_steps(graph.successors[i] - std::exchange(last, graph.successors[i]));
  }
  void addReads(uint32_t task) {
    plan.add_read_counts(static_cast<uint32_t>(origins.reads[task].size()));
    if (origins.reads[task].empty())
      return;
    const InstructionPlace &place = tasks.places[task];
    accesses.clear();
    appendAccesses(code.tiles[place.tile][place.index], place.tile, accesses);
    for (const Origin &origin : origins.reads[task]) {
      const auto first = std::ranges::find_if(accesses, [&](const Access &access) {
        return access.kind == AccessKind::read && access.operand == origin.operand;
      });
      plan.add_read_accesses(static_cast<uint32_t>(first - accesses.begin()));
      plan.add_read_memories(origin.memory);
      plan.add_read_distances(origin.distance);
    }
  }

  const StageTasks &tasks;
  const StageOrigins &origins;
  const DeviceStage &code;
  proto::StoredStagePlan plan;
  std::map<TileSet, uint32_t> sets;
  std::map<uint32_t, int64_t> lastIndex; // by tile: index of the instruction of its last task
  AccessList accesses;
};

// --- decoding ---

Error notAPlan(const std::string &description) {
  return invalidInput("run plan", "the stored plan is not one of this program: " + description,
                      "compile the program again");
}

// Decodes the plan of a stage. All that a run uses without further checks is checked here.
class StageDecoder {
public:
  StageDecoder(const proto::StoredStagePlan &plan, const Program &program, const Constants &constants,
               uint32_t stage)
      : plan(plan), program(program), constants(constants), stage(stage),
        code(std::get<DeviceStage>(program.stages[stage].work)),
        count(static_cast<uint32_t>(plan.tiles_size())) {}

  Status decode(StageTasks &tasks, StageOrigins &origins) {
    if (!hasOneForEachTask())
      return notAPlan("its lists have different lengths");
    TILERIG_CHECK_OK(readPlaces(tasks));
    TILERIG_CHECK_OK(readGraph(tasks.graph));
    TILERIG_CHECK_OK(readNeeds(origins));
    return readReads(tasks, origins);
  }

private:
  bool hasOneForEachTask() const {
    const auto is = [&](int size) { return static_cast<uint32_t>(size) == count; };
    return is(plan.successor_counts_size()) && is(plan.needed_size()) && is(plan.inputs_size()) &&
           is(plan.read_counts_size()) && plan.read_accesses_size() == plan.read_memories_size() &&
           plan.read_accesses_size() == plan.read_distances_size();
  }

  Status readPlaces(StageTasks &tasks) const {
    std::vector<int64_t> lastIndex(code.tiles.size());
    int step = 0;
    tasks.places.reserve(count);
    for (const uint32_t stored : plan.tiles()) {
      const uint32_t tile = stored % withoutInstruction;
      if (stored >= 2 * withoutInstruction || tile >= code.tiles.size())
        return notAPlan(fmt::format("there is no tile {}", tile));
      if (stored >= withoutInstruction) {
        tasks.places.push_back({stage, tile, StageTasks::emptyTask});
        continue;
      }
      if (step == plan.index_steps_size())
        return notAPlan("its lists have different lengths");
      const auto index =
          static_cast<uint64_t>(lastIndex[tile]) + static_cast<uint64_t>(plan.index_steps(step++));
      if (index >= code.tiles[tile].size() || isControl(code.tiles[tile][index]))
        return notAPlan(fmt::format("tile {} has no task at instruction {}", tile, index));
      lastIndex[tile] = static_cast<int64_t>(index);
      tasks.places.push_back({stage, tile, static_cast<uint32_t>(index)});
    }
    return success();
  }
  static bool isControl(const Instruction &instruction) {
    return std::visit([]<class T>(const T &) { return T::family == Family::control; }, instruction);
  }

  // Successors come after their task, so the graph has no cycles.
  Status readGraph(TaskGraph &graph) const {
    graph.firstSuccessor.reserve(count + 1);
    graph.successors.reserve(static_cast<size_t>(plan.successor_steps_size()));
    graph.numPredecessors.assign(count, 0);
    auto step = plan.successor_steps().begin();
    for (uint32_t task = 0; task < count; ++task) {
      graph.firstSuccessor.push_back(static_cast<uint32_t>(graph.successors.size()));
      if (plan.successor_counts(static_cast<int>(task)) > plan.successor_steps().end() - step)
        return notAPlan("its lists have different lengths");
      uint64_t successor = task;
      for (uint32_t i = plan.successor_counts(static_cast<int>(task)); i > 0; --i) {
        successor += static_cast<uint64_t>(*step++);
        if (successor <= task || successor >= count)
          return notAPlan(fmt::format(
              "task {} is to run before task {}, which is not a later task of the stage", task, successor));
        graph.successors.push_back(static_cast<uint32_t>(successor));
        ++graph.numPredecessors[successor];
      }
    }
    graph.firstSuccessor.push_back(static_cast<uint32_t>(graph.successors.size()));
    return step == plan.successor_steps().end() ? success()
                                                : Status(notAPlan("its lists have different lengths"));
  }

  Status readNeeds(StageOrigins &origins) const {
    origins.needed.reserve(count);
    origins.inputs.reserve(count);
    for (const uint32_t set : plan.needed()) {
      if (set >= static_cast<uint32_t>(plan.tile_sets_size()))
        return notAPlan(fmt::format("there is no set {} of tiles", set));
      origins.needed.push_back(plan.tile_sets(static_cast<int>(set)));
    }
    for (const uint32_t input : plan.inputs())
      origins.inputs.push_back(input == 0 ? StageOrigins::noInput : input - 1);
    return success();
  }

  Status readReads(const StageTasks &tasks, StageOrigins &origins) const {
    origins.reads.resize(count);
    AccessList accesses;
    int next = 0;
    for (uint32_t task = 0; task < count; ++task) {
      const uint32_t reads = plan.read_counts(static_cast<int>(task));
      if (reads == 0)
        continue;
      const InstructionPlace &place = tasks.places[task];
      if (place.index == StageTasks::emptyTask ||
          reads > static_cast<uint32_t>(plan.read_accesses_size() - next))
        return notAPlan("its lists have different lengths");
      accesses.clear();
      appendAccesses(code.tiles[place.tile][place.index], place.tile, accesses);
      for (const int end = next + static_cast<int>(reads); next < end; ++next) {
        const std::optional<Origin> origin = originAt(next, accesses, code.tiles[place.tile][place.index]);
        if (!origin)
          return notAPlan(fmt::format("task {} reads outside of the memories", task));
        origins.reads[task].push_back(*origin);
      }
    }
    return next == plan.read_accesses_size() ? success()
                                             : Status(notAPlan("its lists have different lengths"));
  }
  // The origin with this number, if all bytes that the operand reads exist there.
  std::optional<Origin> originAt(int number, const AccessList &accesses,
                                 const Instruction &instruction) const {
    const uint32_t first = plan.read_accesses(number), memory = plan.read_memories(number);
    const int64_t distance = plan.read_distances(number);
    if (first >= accesses.size() || memory > program.tiles || (memory != ddrMemory && distance != 0))
      return {};
    const std::string_view operand = accesses[first].operand;
    for (const Access &access : accesses)
      if (access.operand == operand && !isThere(access, memory, distance))
        return {};
    if (memory == ddrMemory && !isInDdr(instruction, operand, distance))
      return {};
    return Origin{operand, memory, distance, memory == ddrMemory};
  }
  // Whether the bytes can be read at that distance: within an OCM they can, because all OCMs are of the same size.
  bool isThere(const Access &access, MemoryId memory, int64_t distance) const {
    if (access.kind != AccessKind::read || access.memory == ddrMemory)
      return false;
    const ByteRange bounds = access.region.bounds();
    const uint64_t begin = bounds.begin + static_cast<uint64_t>(distance);
    return memory != ddrMemory || (begin <= UINT64_MAX - bounds.size() && distance % 4 == 0 &&
                                   constants.contains({begin, begin + bounds.size()}));
  }

  // Whether the whole stream, also the rows that the instruction skips, has addresses in DDR at that distance.
  bool isInDdr(const Instruction &instruction, std::string_view operand, int64_t distance) const {
    bool isIn = true;
    std::visit(
        [&](const auto &typed) {
          forEachStream(typed, [&](std::string_view name, const Stream &stream) {
            if (name != operand)
              return;
            uint64_t size = sizeBytes(stream.type);
            for (const Dimension &dim : stream.dims)
              size += uint64_t{dim.size - 1} * dim.stride;
            const uint64_t begin = stream.base + static_cast<uint64_t>(distance);
            isIn = begin <= program.machine.ddr.sizeBytes && size <= program.machine.ddr.sizeBytes - begin;
          });
        },
        instruction);
    return isIn;
  }

  const proto::StoredStagePlan &plan;
  const Program &program;
  const Constants &constants;
  uint32_t stage;
  const DeviceStage &code;
  uint32_t count; // of tasks
};

} // namespace

std::vector<std::byte> encodePlan(const RunPlan &plan, const Program &program) {
  std::vector<proto::StoredStagePlan> stages(plan.tasks.size());
  inParallel(stages.size(), [&](size_t stage) {
    if (const auto *code = std::get_if<DeviceStage>(&program.stages[stage].work))
      stages[stage] = StageEncoder(plan.tasks[stage], plan.origins[stage], *code).encode();
  });
  proto::StoredPlan stored;
  for (proto::StoredStagePlan &stage : stages)
    *stored.add_stages() = std::move(stage);
  const size_t size = stored.ByteSizeLong();
  std::vector<std::byte> bytes(size > INT_MAX ? 0 : size);
  const bool isWritten = stored.SerializeToArray(bytes.data(), static_cast<int>(bytes.size()));
  return isWritten ? bytes : std::vector<std::byte>();
}

Result<RunPlan> decodePlan(std::span<const std::byte> bytes, const Program &program) {
  proto::StoredPlan stored;
  if (bytes.size() > INT_MAX || !stored.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return notAPlan("its bytes are no plan");
  if (static_cast<size_t>(stored.stages_size()) != program.stages.size())
    return notAPlan(fmt::format("it has {} stages", stored.stages_size()));
  const Constants constants(program);
  RunPlan plan{std::vector<StageTasks>(program.stages.size()),
               std::vector<StageOrigins>(program.stages.size())};
  for (uint32_t stage = 0; stage < program.stages.size(); ++stage)
    if (std::holds_alternative<DeviceStage>(program.stages[stage].work))
      TILERIG_CHECK_OK(StageDecoder(stored.stages(static_cast<int>(stage)), program, constants, stage)
                           .decode(plan.tasks[stage], plan.origins[stage]));
  return plan;
}

} // namespace tilerig
