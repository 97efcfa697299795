#include "isa/Analyser/Races.h"

#include "isa/Analyser/LiveAccesses.h"
#include "isa/Order/IntervalIndex.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace tilerig {

namespace {

struct Entry {
  Event step;
  uint32_t instruction;
  Access access;
  bool isPiece = false; // whether the instruction's operand makes several accesses to this memory

  auto key() const { return std::tuple(tileOfThread(step.thread), instruction, access.operand); }
};

class Search {
public:
  Search(const Program &program, const StageThreads &stage, const Order &order, const Constants &constants,
         const std::vector<ByteSet> &initialised, Report &report)
      : program(program), stage(stage), order(order), constants(constants), initialised(initialised),
        report(report), byMemory(stage.tiles.size() + 1) {
    collect();
  }

  void run() {
    for (MemoryId memory = 0; memory < byMemory.size(); ++memory) {
      findRaces(byMemory[memory]);
      findUninitialised(memory, byMemory[memory]);
    }
  }

private:
  // Collects the accesses of all steps, sorted by tile and instruction, so that the list of races does not
  // depend on the order in which the steps were processed.
  void collect() {
    std::vector<Event> steps = order.accessingSteps();
    std::ranges::sort(steps, {}, [&](Event step) {
      return std::tuple(tileOfThread(step.thread), stage.step(step).instruction, step.thread);
    });
    AccessList accesses;
    for (const Event &step : steps) {
      const unsigned tile = tileOfThread(step.thread);
      const uint32_t instruction = stage.step(step).instruction;
      accesses.clear();
      appendAccesses(std::get<DeviceStage>(program.stages[stage.stage].work).tiles[tile][instruction], tile,
                     accesses);
      for (const Access &access : accesses)
        if (takesPart(kindOf(step.thread), access.kind))
          addEntry({step, instruction, access});
    }
  }

  void addEntry(Entry entry) {
    auto &entries = byMemory[entry.access.memory];
    if (!entries.empty() && entries.back().key() == entry.key())
      entries.back().isPiece = entry.isPiece = true;
    entries.push_back(entry);
  }

  // Reads of constants cannot race, because a write to constants is reported as a problem of another kind.
  bool isConstantRead(const Entry &entry) const {
    return entry.access.memory == ddrMemory && entry.access.kind == AccessKind::read &&
           constants.contains(entry.access.region.bounds());
  }

  void findRaces(const std::vector<Entry> &entries) {
    IntervalIndex<uint32_t> earlier;
    for (uint32_t i = 0; i < entries.size(); ++i) {
      const Entry &entry = entries[i];
      if (isConstantRead(entry))
        continue;
      const ByteRange bounds = entry.access.region.bounds();
      std::vector<uint32_t> partners;
      std::as_const(earlier).visitOverlapping(bounds, [&](ByteRange, uint32_t j) {
        if (races(entries[j], entry))
          partners.push_back(j);
      });
      std::ranges::sort(partners);
      for (uint32_t j : partners)
        addRace(entries[j], entry);
      earlier.insert(bounds, i);
    }
  }

  bool races(const Entry &a, const Entry &b) const {
    return (a.access.kind == AccessKind::write || b.access.kind == AccessKind::write) &&
           !sameInstruction(a.step, b.step) && unordered(order.clocks(), a.step, b.step) &&
           overlap(a.access.region, b.access.region);
  }

  // Reports only one race for each pair of operands, even if several accesses of the two operands race.
  void addRace(const Entry &a, const Entry &b) {
    if ((a.isPiece || b.isPiece) && !seen.insert({a.access.memory, a.key(), b.key()}).second)
      return;
    if (!report.keeps(ProblemKind::race))
      return report.countOnly(ProblemKind::race);
    const auto place = [&](const Entry &entry) {
      return placeOf(program, stage.stage, tileOfThread(entry.step.thread), entry.instruction,
                     entry.access.operand);
    };
    const auto does = [](const Entry &entry) {
      return entry.access.kind == AccessKind::write ? "writes" : "reads";
    };
    const ByteRange bytes = *firstOverlap(a.access.region, b.access.region);
    report.add(
        {.kind = ProblemKind::race,
         .places = {place(a), place(b)},
         .memory = a.access.memory,
         .bytes = bytes,
         .text = fmt::format(
             "the first instruction {} and the second {} bytes {}..{} of {}, but no synchronisation orders "
             "the two accesses",
             does(a), does(b), bytes.begin, bytes.end - 1, describeMemory(a.access.memory))});
  }

  void findUninitialised(MemoryId memory, const std::vector<Entry> &entries) {
    IntervalIndex<uint32_t> writes;
    for (uint32_t i = 0; i < entries.size(); ++i)
      if (entries[i].access.kind == AccessKind::write)
        writes.insert(entries[i].access.region.bounds(), i);
    std::tuple<unsigned, uint32_t, std::string_view> reported;
    for (const Entry &entry : entries) {
      if (entry.access.kind != AccessKind::read || entry.key() == reported ||
          !initialised[memory].firstMissing(entry.access.region))
        continue;
      ByteSet known;
      forEachRun(entry.access.region, [&](ByteRange run) {
        addInitial(initialised[memory], run, known);
        return true;
      });
      writes.visitOverlapping(entry.access.region.bounds(), [&](ByteRange, uint32_t i) {
        if (order.clocks().before(entries[i].step, entry.step))
          known.add(entries[i].access.region);
        return false;
      });
      if (const auto missing = known.firstMissing(entry.access.region)) {
        reported = entry.key();
        report.add(uninitialisedRead(placeOf(program, stage.stage, tileOfThread(entry.step.thread),
                                             entry.instruction, entry.access.operand),
                                     memory, *missing));
      }
    }
  }

  static void addInitial(const ByteSet &initial, ByteRange run, ByteSet &known) {
    while (run.begin < run.end) {
      const ByteRange missing = initial.firstMissing(run).value_or(ByteRange{run.end, run.end});
      known.add(ByteRange{run.begin, missing.begin});
      run.begin = missing.end;
    }
  }

  const Program &program;
  const StageThreads &stage;
  const Order &order;
  const Constants &constants;
  const std::vector<ByteSet> &initialised;
  Report &report;
  std::vector<std::vector<Entry>> byMemory;
  using Key = std::tuple<unsigned, uint32_t, std::string_view>;
  std::set<std::tuple<MemoryId, Key, Key>> seen;
};

} // namespace

Problem uninitialisedRead(Place place, MemoryId memory, ByteRange bytes) {
  return {.kind = ProblemKind::uninitialisedRead,
          .places = {place},
          .memory = memory,
          .bytes = bytes,
          .text = fmt::format("reads bytes {}..{} of {}, which may not have been written before", bytes.begin,
                              bytes.end - 1, describeMemory(memory))};
}

void reportRaces(const Program &program, const StageThreads &stage, const Order &order,
                 const Constants &constants, const std::vector<ByteSet> &initialised, Report &report) {
  Search(program, stage, order, constants, initialised, report).run();
}

} // namespace tilerig
