#include "emulator/Beats/SightTimes.h"

#include "isa/Analyser/IntervalIndex.h"

#include <algorithm>

namespace tilerig {

namespace {

class SightTimer {
public:
  SightTimer(const Program &program, uint32_t stage, const std::vector<Job> &jobs, uint64_t begin,
             Memories &memories)
      : code(std::get<DeviceStage>(program.stages[stage].work).tiles), jobs(jobs), begin(begin),
        memories(memories) {}

  void add(const std::vector<Sight> &sights) {
    const std::vector<Writers> all = writersOf(sights);
    std::vector<Sight> parts;
    for (size_t i = 0; i < sights.size(); ++i)
      if (std::vector<Sight> halves;
          isTorn(sights[i], all[i]) && !(halves = sights[i].halves(memories)).empty())
        parts.insert(parts.end(), halves.begin(), halves.end());
      else
        timed.push_back({sights[i], all[i].last ? all[i].last->end : begin});
    if (!parts.empty())
      add(parts);
  }

  std::vector<TimedSight> timed;

private:
  struct Writers {
    const Job *last = nullptr; // of its layer, or of one before it
    std::vector<const Job *> others;
  };
  struct Part {
    uint32_t sight, region;
  };

  std::vector<Writers> writersOf(const std::vector<Sight> &sights) const {
    std::vector<IntervalIndex<Part>> parts(code.size() + 1);
    for (uint32_t sight = 0; sight < sights.size(); ++sight)
      for (uint32_t region = 0; region < sights[sight].piece.regions.size(); ++region)
        parts[sights[sight].piece.memory].insert(sights[sight].piece.regions[region].bounds(),
                                                 {sight, region});
    std::vector<Writers> all(sights.size());
    for (const Job &job : jobs) {
      const uint32_t layer = layerOf(instructionOf(job));
      for (const Access &access : writesOf(job))
        std::as_const(parts[access.memory])
            .visitOverlapping(access.region.bounds(), [&](ByteRange, const Part &part) {
              const Watched &piece = sights[part.sight].piece;
              if (overlap(piece.regions[part.region], access.region))
                addWriter(job, layer <= piece.layer, all[part.sight]);
            });
    }
    return all;
  }

  static void addWriter(const Job &job, bool makesIt, Writers &writers) {
    if (!makesIt)
      writers.others.push_back(&job);
    else if (!writers.last || job.end > writers.last->end)
      writers.last = &job;
  }

  bool isTorn(const Sight &sight, const Writers &writers) const {
    return std::ranges::any_of(writers.others, [&](const Job *other) {
      return writers.last && other->begin < writers.last->end &&
             !meet(*other, *writers.last, sight.piece.memory);
    });
  }
  bool meet(const Job &a, const Job &b, MemoryId memory) const {
    const AccessList of = writesOf(a);
    return std::ranges::any_of(writesOf(b), [&](const Access &access) {
      return access.memory == memory && std::ranges::any_of(of, [&](const Access &other) {
               return other.memory == memory && overlap(access.region, other.region);
             });
    });
  }

  const Instruction &instructionOf(const Job &job) const {
    return code[tileOfThread(job.thread)][job.instruction];
  }
  AccessList writesOf(const Job &job) const {
    AccessList accesses;
    appendAccesses(instructionOf(job), tileOfThread(job.thread), accesses);
    std::erase_if(accesses, [](const Access &access) { return access.kind != AccessKind::write; });
    return accesses;
  }

  const std::vector<std::vector<Instruction>> &code;
  const std::vector<Job> &jobs;
  const uint64_t begin;
  Memories &memories;
};

} // namespace

std::vector<TimedSight> timeSights(const Program &program, uint32_t stage, const std::vector<Job> &jobs,
                                   const std::vector<Sight> &sights, uint64_t begin, Memories &memories) {
  SightTimer timer(program, stage, jobs, begin, memories);
  timer.add(sights);
  return std::move(timer.timed);
}

} // namespace tilerig
