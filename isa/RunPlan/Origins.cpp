#include "isa/RunPlan/Origins.h"

#include "isa/Analyser/Values.h"
#include "isa/Order/Pieces.h"
#include "isa/Order/RegionIndex.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <utility>

namespace tilerig {

namespace {

constexpr TileSet everywhere = ~TileSet{0};

constexpr TileSet setOfMemory(MemoryId memory) {
  return memory == ddrMemory ? everywhere : setOf(tileOf(memory));
}

// For each instruction of each tile, the number of global barriers before it. If two instructions have
// different numbers, the barriers between them already order them.
std::vector<std::vector<uint32_t>> epochsOf(const DeviceStage &stage) {
  std::vector<std::vector<uint32_t>> epochs(stage.tiles.size());
  for (size_t tile = 0; tile < epochs.size(); ++tile) {
    uint32_t epoch = 0;
    for (const Instruction &instruction : stage.tiles[tile]) {
      epochs[tile].push_back(epoch);
      epoch += std::holds_alternative<GlobalBarrier>(instruction);
    }
  }
  return epochs;
}

class OriginWalk {
public:
  OriginWalk(const Program &program, const std::vector<StageTasks> &tasks,
             const std::vector<std::vector<ObservedBytes>> &observed)
      : program(program), tasks(tasks), observed(observed), constants(program), origins(tasks.size()),
        decided(tasks.size()), captures(tasks.size()), changes(tasks.size()),
        lastOf(program.tiles * numEngines, nobody) {
    for (size_t stage = 0; stage < tasks.size(); ++stage) {
      origins[stage].reads.resize(tasks[stage].places.size());
      decided[stage].resize(tasks[stage].places.size());
      for (const ObservedBytes &bytes : observed[stage])
        if (bytes.after)
          (bytes.kind == ObservedBytes::captured ? captures : changes)[stage].emplace(*bytes.after, &bytes);
    }
  }

  std::vector<StageOrigins> find() {
    // walkOnce() visits all tasks of the program in order, those of the inference stages once or twice. The walk is
    // repeated if the second inference revoked a decision about where an operand is read.
    do {
      overturned = false;
      walkOnce();
    } while (overturned);
    for (StageOrigins &stage : origins) {
      std::ranges::sort(stage.edges);
      stage.edges.erase(std::unique(stage.edges.begin(), stage.edges.end()), stage.edges.end());
    }
    return std::move(origins);
  }

private:
  struct Task {
    uint32_t stage, index;
  };
  // A write to a memory, with its number in the order of all writes; kept until all its bytes have been
  // overwritten.
  struct Written {
    uint64_t sequence;
    Task task;
  };
  struct Writers {
    RegionIndex<Written> index;
    size_t collectAt = 256;
  };
  struct Nothing {};
  // Two transfers, where `to` reads what `from` wrote into the memory of `tile`. If no other task reads these
  // bytes and `to` is left out, `from` can be left out, too.
  struct Chain {
    Task from;
    TileSet tile;
    Task to;
  };

  void walkOnce() {
    Values freshValues(constants, program.tiles);
    Mirrors freshMirrors(program);
    values = &freshValues;
    mirrors = &freshMirrors;
    writers.assign(program.tiles + 1, {});
    supplied.assign(program.tiles + 1, {});
    inputs.assign(program.tiles + 1, {});
    numInputs = 0;
    sequence = 0;
    chains.clear();
    for (size_t stage = 0; stage < tasks.size(); ++stage) {
      origins[stage].needed.assign(tasks[stage].places.size(), 0);
      origins[stage].edges.clear();
      origins[stage].inputs.assign(tasks[stage].places.size(), StageOrigins::noInput);
    }
    initialWrites.assign(program.tiles + 1, {});
    overwritesInitial = false;
    walkPhase(Phase::initial);
    phase = Phase::inference;
    for (int inference = 0; inference < (overwritesInitial ? 2 : 1); ++inference) {
      forgetTensors([](const proto::Tensor &tensor) { return tensor.role() == proto::INPUT; });
      walkPhase(Phase::inference);
      for (const proto::Tensor &tensor : program.metadata.tensors())
        if (tensor.role() == proto::OUTPUT)
          readTensor(tensor);
    }
    walkPhase(Phase::finishing);
    for (bool changed = true; std::exchange(changed, false);)
      for (const Chain &chain : chains | std::views::reverse)
        if (neededOf(chain.to) != 0 && (neededOf(chain.from) & chain.tile) != chain.tile) {
          neededOf(chain.from) |= chain.tile;
          changed = true;
        }
  }
  TileSet &neededOf(Task task) { return origins[task.stage].needed[task.index]; }

  void walkPhase(Phase walked) {
    phase = walked;
    for (uint32_t stage = 0; stage < program.stages.size(); ++stage) {
      if (program.stages[stage].phase != phase)
        continue;
      if (const auto *host = std::get_if<proto::HostWork>(&program.stages[stage].work)) {
        walkHost(*host);
        observeUntimed(stage);
      } else {
        observeUntimed(stage);
        walkDevice(stage, std::get<DeviceStage>(program.stages[stage].work));
      }
    }
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
        forEachPieceRun(tensor, [&](MemoryId memory, const Region &region) {
          if (memory != ddrMemory)
            mirrors->write(setOfMemory(memory), 0, region);
          overwrite(memory, {region, shapes});
        });
  }
  void readTensor(const proto::Tensor &tensor) {
    forEachPieceRun(tensor, [&](MemoryId memory, const Region &region) { need(memory, {region, shapes}); });
  }
  template <class Visit>
  void forEachPieceRun(const proto::Tensor &tensor, Visit visit) {
    for (const proto::Piece &piece : tensor.pieces())
      forEachRun(tensor, piece, [&](ByteRange run) {
        visit(piece.ddr() ? ddrMemory : ocmOf(piece.tile()), Region::ofRun(run.begin, run.size()));
        return true;
      });
  }

  void walkDevice(uint32_t stage, const DeviceStage &code) {
    const auto epochs = epochsOf(code);
    uint32_t epoch = 0;
    borrowers.assign(program.tiles + 1, {});
    // Ids of activations are valid within one stage only, so those of the stage before are dropped.
    inputs.assign(program.tiles + 1, {});
    for (uint32_t task = 0; task < tasks[stage].places.size(); ++task) {
      const InstructionPlace &place = tasks[stage].places[task];
      if (place.index == StageTasks::emptyTask)
        continue;
      if (epochs[place.tile][place.index] != epoch) {
        epoch = epochs[place.tile][place.index];
        borrowers.assign(program.tiles + 1, {});
      }
      walkTask({stage, task}, code.tiles[place.tile][place.index], place.tile);
      const auto [begin, end] = captures[stage].equal_range(task);
      for (auto capture = begin; capture != end; ++capture)
        seeCapture(*capture->second);
    }
  }

  // --- Effects of captures of tensors, and of replacements of values, on copy elimination ---

  // Handles captures and changes (replacements of values) that follow no task: they happen at the beginning
  // of a device stage, or at the end of a host stage.
  void observeUntimed(uint32_t stage) {
    for (const ObservedBytes &bytes : observed[stage])
      if (!bytes.after && bytes.kind != ObservedBytes::captured) {
        makeUnlike(bytes);
        for (const Region &region : bytes.regions)
          if (bytes.kind == ObservedBytes::copied)
            need(bytes.memory, {region, shapes});
          else
            overwrite(bytes.memory, {region, shapes});
      }
    for (const ObservedBytes &bytes : observed[stage])
      if (!bytes.after && bytes.kind == ObservedBytes::captured)
        seeCapture(bytes);
  }
  void seeCapture(const ObservedBytes &capture) {
    for (const Region &region : capture.regions)
      need(capture.memory, {region, shapes});
  }
  // Records that after a change (replacement of values) the bytes in its tile differ from those in other
  // tiles.
  void makeUnlike(const ObservedBytes &change) {
    if (change.memory != ddrMemory)
      for (const Region &region : change.regions)
        mirrors->write(setOfMemory(change.memory), 0, region);
  }

  // Whether the instruction only moves elements and can cause no fault, so that it may be left out if nothing
  // reads its result.
  static bool onlyMoves(const Instruction &instruction) {
    return std::holds_alternative<Load>(instruction) || std::holds_alternative<Store>(instruction) ||
           std::holds_alternative<Multicast>(instruction) || std::holds_alternative<Copy>(instruction);
  }

  void walkTask(Task task, const Instruction &instruction, unsigned tile) {
    list.clear();
    appendAccesses(instruction, tile, list);
    const bool isTransfer = onlyMoves(instruction);
    podInput = std::holds_alternative<Conv>(instruction) ? "input" : "";
    if (std::ranges::count(list, podInput, &Access::operand) != 1)
      podInput = "";
    const auto [firstChange, lastChange] = changes[task.stage].equal_range(task.index);
    std::optional<Fact> fact;
    if (firstChange == lastChange)
      fact = std::visit([&](const auto &typed) { return copiedBy(typed, tile); }, instruction);
    decideReads(task);
    for (size_t i = 0; i < list.size(); ++i)
      if (list[i].kind == AccessKind::read)
        read(task, list[i], isTransfer && firstChange == lastChange);
    TileSet written = 0;
    for (const Access &access : list)
      if (access.kind == AccessKind::write) {
        written |= setOfMemory(access.memory);
        const ShapedRegion region(access.region, shapes);
        replace(task, access.memory, region);
        if (fact)
          values->learn(access.memory, *fact);
        addWriter(writers[access.memory], region, task);
      }
    mirrorWrites(instruction, tile, written);
    for (auto change = firstChange; change != lastChange; ++change)
      makeUnlike(*change->second);
    if (!isTransfer || firstChange != lastChange)
      neededOf(task) = everywhere;
    keepEdges(task);
  }

  void mirrorWrites(const Instruction &instruction, unsigned tile, TileSet written) {
    const auto *multicast = std::get_if<Multicast>(&instruction);
    bool first = true;
    for (const Access &access : list)
      if (access.kind == AccessKind::write && access.memory != ddrMemory && (!multicast || first)) {
        mirrors->write(written, multicast ? equalAfter(*multicast, tile) : 0, access.region);
        first = false;
      }
  }

  // --- origins of operands: other places with the same bytes, from which operands may be read ---

  // Decides where the task reads its operands. The first visit of a task makes the decision. If a later visit
  // would decide otherwise for an operand, the operand is read where the program says.
  void decideReads(Task task) {
    std::vector<Origin> candidates;
    for (size_t i = 0; i < list.size();) {
      size_t end = i + 1;
      while (end < list.size() && list[end].operand == list[i].operand && list[end].kind == list[i].kind)
        ++end;
      if (list[i].kind == AccessKind::read && list[i].memory != ddrMemory)
        if (const auto origin = originOf(std::span(list).subspan(i, end - i));
            origin && !writesNear(origin->memory, std::span(list).subspan(i, end - i)))
          candidates.push_back(*origin);
      i = end;
    }
    std::vector<Origin> &decision = origins[task.stage].reads[task.index];
    if (!decided[task.stage][task.index]) {
      decided[task.stage][task.index] = true;
      decision = std::move(candidates);
    } else if (std::erase_if(decision, [&](const Origin &origin) {
                 return std::ranges::find(candidates, origin) == candidates.end();
               })) {
      overturned = true;
    }
  }

  // Whether the instruction itself writes into the memory where these bytes would be read, perhaps before it has read all
  // of them.
  bool writesNear(MemoryId memory, std::span<const Access> reads) const {
    return std::ranges::any_of(list, [&](const Access &write) {
      return write.kind == AccessKind::write && write.memory == memory &&
             std::ranges::any_of(reads, [&](const Access &read) {
               const ByteRange written = write.region.bounds(), wanted = read.region.bounds();
               return written.begin < wanted.end && wanted.begin < written.end;
             });
    });
  }

  // Returns another place with the same bytes, from which an operand may be read; nullopt if there is none.
  // `reads` are all accesses of the operand to the on-chip memory of a tile.
  std::optional<Origin> originOf(std::span<const Access> reads) {
    const Access &first = reads.front();
    const auto shift = values->shiftToConstants(first.memory, first.region);
    // An operand may be read `shift` bytes away from its address only if its elements stay aligned. A
    // multiple of 4 bytes ensures that, since no element has more than four bytes.
    if (shift && *shift % 4 == 0 && std::ranges::all_of(reads, [&](const Access &read) {
          return values->shiftToConstants(read.memory, read.region) == shift;
        }))
      return Origin{first.operand, ddrMemory, *shift, true};
    const auto tile = mirrors->lowestTile(tileOf(first.memory), reads);
    return tile && ocmOf(*tile) != first.memory ? std::optional(Origin{first.operand, ocmOf(*tile), 0, false})
                                                : std::nullopt;
  }

  // Returns the id of the activations that a POD (matrix engine) reads from a region: the same number for the
  // same region until the region is written.
  uint32_t inputNumber(MemoryId memory, const ShapedRegion &region) {
    if (const uint32_t *known = inputs[memory].find(region))
      return *known;
    inputs[memory].insert(region, numInputs);
    return numInputs++;
  }

  void read(Task task, const Access &access, bool isTransfer) {
    MemoryId memory = access.memory;
    const ShapedRegion region(access.region, shapes);
    for (const Origin &origin : origins[task.stage].reads[task.index])
      if (origin.operand == access.operand) {
        if (origin.isConstant)
          return;
        memory = origin.memory;
        borrow(task, memory, region);
      }
    if (access.operand == podInput)
      origins[task.stage].inputs[task.index] = inputNumber(memory, region);
    if (!isTransfer)
      return need(memory, region);
    forEachWriter(memory, region, [&](Task from) { chains.push_back({from, setOfMemory(memory), task}); });
  }

  // Orders the task after the tasks that wrote the bytes that it now reads in another tile. The program
  // itself only orders it after the writers of the equal bytes in its own tile.
  void borrow(Task task, MemoryId memory, const ShapedRegion &region) {
    borrowers[memory].insert(region, task.index);
    forEachWriter(memory, region, [&](Task from) {
      if (from.stage == task.stage && from.index < task.index)
        comeAfter(from);
    });
  }

  // Orders the current task after the task `earlier`, and therefore also after all tasks that precede
  // `earlier` in its engine.
  void comeAfter(Task earlier) {
    const InstructionPlace &place = tasks[earlier.stage].places[earlier.index];
    const auto &code = std::get<DeviceStage>(program.stages[earlier.stage].work);
    const auto engine = static_cast<size_t>(engineOf(code.tiles[place.tile][place.index]));
    uint32_t &last = lastOf[place.tile * numEngines + engine];
    if (last == nobody)
      met.push_back(&last);
    last = last == nobody ? earlier.index : std::max(last, earlier.index);
  }
  void keepEdges(Task task) {
    for (uint32_t *last : met)
      origins[task.stage].edges.push_back({std::exchange(*last, nobody), task.index});
    met.clear();
  }

  // --- Bookkeeping of the tasks that wrote or read the contents of each memory ---

  template <class T>
  std::optional<Fact> copiedBy(const T &instruction, unsigned tile) const {
    std::optional<Fact> fact;
    if constexpr (requires {
                    instruction.source;
                    instruction.destination;
                    instruction.clip;
                  })
      fact = values->copied(memoryOf(instruction.source, tile), instruction.source, instruction.destination);
    else if constexpr (std::is_same_v<T, Copy>)
      fact = values->copied(ocmOf(tile), instruction.input, instruction.output);
    // Of all that the analysis knows about values, copy elimination only uses which bytes are copies of
    // constants in the same layout.
    return fact && fact->kind == Fact::shifted ? fact : std::nullopt;
  }

  void addWriter(Writers &memory, const ShapedRegion &region, Task task) {
    memory.index.insert(region, {++sequence, task});
    if (memory.index.size() >= memory.collectAt)
      collect(memory);
  }

  // Removes writes whose bytes have all been overwritten by later writes together.
  void collect(Writers &memory) {
    std::vector<std::pair<Written, ShapedRegion>> all;
    memory.index.removeIf([&](const Written &written, ByteRange bounds, RegionShapes::Shape shape) {
      all.emplace_back(written, ShapedRegion{shapes.at(bounds, shape), shapes});
      return true;
    });
    std::ranges::sort(all, std::ranges::greater{}, [](const auto &entry) { return entry.first.sequence; });
    ByteSet seen;
    for (const auto &[written, region] : all)
      if (seen.firstMissing(region.region)) {
        seen.add(region.region);
        memory.index.insert(region, written);
      }
    memory.collectAt = std::max<size_t>(256, 2 * memory.index.size());
  }

  // Visits the tasks that wrote the present contents of the region, newest first, until the whole region is
  // covered.
  template <class Visit>
  void forEachWriter(MemoryId memory, const ShapedRegion &wanted, Visit visit) {
    struct Match {
      Written written;
      ByteRange bounds;
      RegionShapes::Shape shape;
    };
    std::vector<Match> matches;
    writers[memory].index.visit(wanted, shapes,
                                [&](const Written &written, ByteRange bounds, RegionShapes::Shape shape) {
                                  matches.push_back({written, bounds, shape});
                                });
    std::ranges::sort(matches, std::ranges::greater{},
                      [](const Match &match) { return match.written.sequence; });
    ByteSet seen;
    for (const Match &match : matches) {
      const Region region = shapes.at(match.bounds, match.shape);
      bool isSeen = true;
      forEachRun(region, wanted.region.bounds(), [&](ByteRange run) { return isSeen = seen.contains(run); });
      if (!isSeen)
        visit(match.written.task);
      if (covers(region, wanted.region))
        return;
      forEachRun(region, wanted.region.bounds(), [&](ByteRange run) {
        seen.add(run);
        return true;
      });
      if (!isSeen && !seen.firstMissing(wanted.region))
        return;
    }
  }
  void need(MemoryId memory, const ShapedRegion &region) {
    if (supplied[memory].find(region))
      return;
    supplied[memory].insert(region, {});
    forEachWriter(memory, region, [&](Task task) { neededOf(task) |= setOfMemory(memory); });
  }
  // Records that `task` overwrites the region, and orders it after the borrowers: the tasks that read these
  // bytes in place of equal bytes of another tile.
  void replace(Task task, MemoryId memory, const ShapedRegion &region) {
    borrowers[memory].visit(region, shapes, [&](uint32_t borrower, ByteRange, RegionShapes::Shape) {
      if (borrower != task.index)
        comeAfter({task.stage, borrower});
    });
    // Borrowers are tasks that read these bytes in place of equal bytes of another tile. They need no longer
    // be remembered: this task runs after them, and later writers run after this task.
    borrowers[memory].removeCovered(region, shapes);
    overwrite(memory, region);
  }
  void overwrite(MemoryId memory, const ShapedRegion &region) {
    if (phase == Phase::initial)
      initialWrites[memory].insert(region, {});
    else if (initialWrites[memory].size() > 0)
      initialWrites[memory].visit(
          region, shapes, [&](const Nothing &, ByteRange, RegionShapes::Shape) { overwritesInitial = true; });
    values->forget(memory, region.region);
    writers[memory].index.removeCovered(region, shapes);
    supplied[memory].removeOverlapping(region, shapes);
    inputs[memory].removeOverlapping(region, shapes);
  }

  const Program &program;
  const std::vector<StageTasks> &tasks;
  const std::vector<std::vector<ObservedBytes>> &observed;
  const Constants constants;
  std::vector<StageOrigins> origins;
  std::vector<std::vector<bool>> decided;
  // Captures of tensors, by stage and by the task that they follow.
  std::vector<std::multimap<uint32_t, const ObservedBytes *>> captures;
  std::vector<std::multimap<uint32_t, const ObservedBytes *>> changes;
  bool overturned = false;
  Phase phase = Phase::initial; // the phase whose stages are walked
  // Whether an inference overwrites bytes that the initial stages have written.
  bool overwritesInitial = false;

  Values *values = nullptr;
  Mirrors *mirrors = nullptr;
  RegionShapes shapes;
  // For each memory, the regions that the initial stages write.
  std::vector<RegionIndex<Nothing>> initialWrites;
  // For each memory, the tasks that wrote its present contents.
  std::vector<Writers> writers;
  // For each memory, the regions that have been read since they were last written.
  std::vector<RegionIndex<Nothing>> supplied;
  // By memory: tasks that read this memory in place of another tile's memory, in the current stage since the
  // last global barrier.
  std::vector<RegionIndex<uint32_t>> borrowers;
  // By memory: ids of the activations that PODs (matrix engines) read there and that were not overwritten
  // since.
  std::vector<RegionIndex<uint32_t>> inputs;
  uint32_t numInputs = 0;
  static constexpr uint32_t nobody = UINT32_MAX;
  // By engine of each tile: the last task of the engine that the current task must follow, if there is one.
  std::vector<uint32_t> lastOf;
  // Pointers to those elements of `lastOf` that name a task.
  std::vector<uint32_t *> met;
  uint64_t sequence = 0;
  // Name of the operand that holds the activations of the current instruction; empty unless a single access
  // reads all of them.
  std::string_view podInput;
  std::vector<Chain> chains;
  AccessList list;
};

} // namespace

std::vector<StageOrigins> findOrigins(const Program &program, const std::vector<StageTasks> &tasks,
                                      const std::vector<std::vector<ObservedBytes>> &observed) {
  return OriginWalk(program, tasks, observed).find();
}

std::vector<StageOrigins> literalOrigins(const std::vector<StageTasks> &tasks) {
  std::vector<StageOrigins> origins(tasks.size());
  for (size_t stage = 0; stage < tasks.size(); ++stage) {
    origins[stage].reads.resize(tasks[stage].places.size());
    origins[stage].needed.assign(tasks[stage].places.size(), everywhere);
    origins[stage].inputs.assign(tasks[stage].places.size(), StageOrigins::noInput);
  }
  return origins;
}

} // namespace tilerig
