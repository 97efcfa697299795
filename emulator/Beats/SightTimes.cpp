#include "emulator/Beats/SightTimes.h"

#include "isa/Analyser/IntervalIndex.h"

#include <algorithm>

namespace tilerig {

std::vector<uint64_t> sightTimes(const Program &program, uint32_t stage, const std::vector<Job> &jobs,
                                 const std::vector<Sight> &sights, uint64_t begin) {
  struct Part {
    uint32_t sight, region;
  };
  const auto &code = std::get<DeviceStage>(program.stages[stage].work).tiles;
  std::vector<IntervalIndex<Part>> parts(code.size() + 1);
  for (uint32_t sight = 0; sight < sights.size(); ++sight)
    for (uint32_t region = 0; region < sights[sight].piece.regions.size(); ++region)
      parts[sights[sight].piece.memory].insert(sights[sight].piece.regions[region].bounds(), {sight, region});

  std::vector<uint64_t> times(sights.size(), begin);
  AccessList accesses;
  for (const Job &job : jobs) {
    const Instruction &instruction = code[tileOfThread(job.thread)][job.instruction];
    const uint32_t layer = layerOf(instruction);
    accesses.clear();
    appendAccesses(instruction, tileOfThread(job.thread), accesses);
    for (const Access &access : accesses)
      if (access.kind == AccessKind::write)
        std::as_const(parts[access.memory])
            .visitOverlapping(access.region.bounds(), [&](ByteRange, const Part &part) {
              const Watched &piece = sights[part.sight].piece;
              if (layer <= piece.layer && overlap(piece.regions[part.region], access.region))
                times[part.sight] = std::max(times[part.sight], job.end);
            });
  }
  return times;
}

} // namespace tilerig
