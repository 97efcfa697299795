#include "emulator/Fast/Completions.h"

#include "isa/Order/IntervalIndex.h"

#include <algorithm>
#include <ranges>

namespace tilerig::emulator {

namespace {

class CompletionSearch {
public:
  CompletionSearch(const Program &program, uint32_t stage, const StageTasks &tasks,
                   const std::vector<TensorPiece> &pieces)
      : code(std::get<DeviceStage>(program.stages[stage].work).tiles), tasks(tasks), pieces(pieces),
        writers(pieces.size()) {}

  std::vector<Completion> find() {
    listWriters();
    std::vector<Completion> completions;
    for (uint32_t piece = 0; piece < pieces.size(); ++piece)
      completions.push_back(completionOf(piece));
    return completions;
  }

private:
  struct Part {
    uint32_t piece, region;
  };

  const Instruction &instructionOf(uint32_t task) const {
    return code[tasks.places[task].tile][tasks.places[task].index];
  }
  bool isMadeBy(uint32_t piece, uint32_t task) const {
    return pieces[piece].isMadeBy(tasks.places[task].tile, tasks.places[task].index,
                                  layerOf(instructionOf(task)));
  }

  void listWriters() {
    std::vector<IntervalIndex<Part>> parts(code.size() + 1);
    for (uint32_t piece = 0; piece < pieces.size(); ++piece)
      for (uint32_t region = 0; region < pieces[piece].regions.size(); ++region)
        parts[pieces[piece].memory].insert(pieces[piece].regions[region].bounds(), {piece, region});
    AccessList accesses;
    for (uint32_t task = 0; task < tasks.places.size(); ++task) {
      if (tasks.places[task].index == StageTasks::emptyTask)
        continue;
      accesses.clear();
      appendAccesses(instructionOf(task), tasks.places[task].tile, accesses);
      for (const Access &access : accesses)
        if (access.kind == AccessKind::write)
          std::as_const(parts[access.memory])
              .visitOverlapping(access.region.bounds(), [&](ByteRange, Part part) {
                auto &list = writers[part.piece];
                if ((list.empty() || list.back() != task) &&
                    overlap(pieces[part.piece].regions[part.region], access.region))
                  list.push_back(task);
              });
    }
  }

  // The last task that produces part of the piece (TensorPiece::isMadeBy), as an index into the piece's
  // writers; none if no task does.
  std::optional<size_t> lastWriter(uint32_t piece) const {
    const std::vector<uint32_t> &list = writers[piece];
    for (size_t i = list.size(); i-- > 0;)
      if (isMadeBy(piece, list[i]))
        return i;
    return std::nullopt;
  }

  // Whether two tasks (instructions) write a common byte of this memory.
  bool meet(uint32_t a, uint32_t b, MemoryId memory) const {
    const std::vector<Region> of = regionsWritten(a, memory);
    return std::ranges::any_of(regionsWritten(b, memory), [&](const Region &region) {
      return std::ranges::any_of(of, [&](const Region &other) { return overlap(region, other); });
    });
  }
  std::vector<Region> regionsWritten(uint32_t task, MemoryId memory) const {
    std::vector<Region> regions;
    for (const Access &access : writesOf(instructionOf(task), tasks.places[task].tile))
      if (access.memory == memory)
        regions.push_back(access.region);
    return regions;
  }

  // The tile and the engine that execute a task; tasks with the same tile and engine are ordered.
  std::pair<unsigned, Engine> engineOfTask(uint32_t task) const {
    return {tasks.places[task].tile, engineOf(instructionOf(task))};
  }
  template <class Range>
  std::vector<uint32_t> firstOfEachEngine(Range &&range) const {
    std::vector<std::pair<unsigned, Engine>> seen;
    std::vector<uint32_t> result;
    for (uint32_t task : range)
      if (const auto engine = engineOfTask(task); std::ranges::find(seen, engine) == seen.end()) {
        seen.push_back(engine);
        result.push_back(task);
      }
    return result;
  }

  Completion completionOf(uint32_t piece) const {
    const std::vector<uint32_t> &list = writers[piece];
    const std::optional<size_t> last = lastWriter(piece);
    const size_t count = last ? *last + 1 : 0;
    Completion completion;
    if (last)
      completion.after = list[*last];
    for (const uint32_t task : list | std::views::take(count))
      if (isMadeBy(piece, task))
        completion.writers.push_back(task);
      else
        completion.isTorn |= !meet(task, list[*last], pieces[piece].memory);
    completion.needs = firstOfEachEngine(completion.writers | std::views::reverse);
    completion.before = firstOfEachEngine(list | std::views::drop(count));
    return completion;
  }

  const std::vector<std::vector<Instruction>> &code;
  const StageTasks &tasks;
  const std::vector<TensorPiece> &pieces;
  // For each piece of a tensor, the tasks that write to it, in order.
  std::vector<std::vector<uint32_t>> writers;
};

} // namespace

std::vector<Completion> findCompletions(const Program &program, uint32_t stage, const StageTasks &tasks,
                                        const std::vector<TensorPiece> &pieces) {
  return CompletionSearch(program, stage, tasks, pieces).find();
}

} // namespace tilerig::emulator
