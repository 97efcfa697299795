#include "emulator/Beats/JobOrder.h"

#include "isa/Order/IntervalIndex.h"

#include <algorithm>

namespace tilerig::emulator {

JobOrder::JobOrder(const Program &program, uint32_t stage, const std::vector<Job> &jobs)
    : code(std::get<DeviceStage>(program.stages[stage].work).tiles), jobs(jobs) {}

std::vector<Completion> JobOrder::completionsOf(const std::vector<TensorPiece> &pieces) const {
  std::vector<Writers> all = writersOf(pieces);
  std::vector<Completion> completions(pieces.size());
  for (size_t i = 0; i < pieces.size(); ++i) {
    std::vector<uint32_t> &own = all[i].own;
    if (own.empty())
      continue;
    std::ranges::sort(own, [this](uint32_t a, uint32_t b) { return endsBefore(a, b); });
    completions[i].after = own.back();
    completions[i].isTorn = std::ranges::any_of(all[i].others, [&](uint32_t other) {
      return jobs[other].begin < jobs[own.back()].end && !meet(other, own.back(), pieces[i].memory);
    });
    completions[i].writers = std::move(own);
  }
  return completions;
}

std::vector<JobOrder::Writers> JobOrder::writersOf(const std::vector<TensorPiece> &pieces) const {
  struct Part {
    uint32_t piece, region;
  };
  std::vector<IntervalIndex<Part>> parts(code.size() + 1);
  for (uint32_t piece = 0; piece < pieces.size(); ++piece)
    for (uint32_t region = 0; region < pieces[piece].regions.size(); ++region)
      parts[pieces[piece].memory].insert(pieces[piece].regions[region].bounds(), {piece, region});
  std::vector<Writers> all(pieces.size());
  for (uint32_t job = 0; job < jobs.size(); ++job) {
    const uint32_t layer = layerOf(instructionOf(job));
    for (const Access &access : writesOf(job))
      std::as_const(parts[access.memory])
          .visitOverlapping(access.region.bounds(), [&](ByteRange, const Part &part) {
            const TensorPiece &piece = pieces[part.piece];
            const bool isOwn = piece.isMadeBy(tileOfThread(jobs[job].thread), jobs[job].instruction, layer);
            std::vector<uint32_t> &list = isOwn ? all[part.piece].own : all[part.piece].others;
            if ((list.empty() || list.back() != job) && overlap(piece.regions[part.region], access.region))
              list.push_back(job);
          });
  }
  return all;
}

bool JobOrder::endsBefore(uint32_t a, uint32_t b) const {
  return std::pair(jobs[a].end, a) < std::pair(jobs[b].end, b);
}

// Whether two instructions (jobs) write a common byte of this memory.
bool JobOrder::meet(uint32_t a, uint32_t b, MemoryId memory) const {
  const AccessList of = writesOf(a);
  return std::ranges::any_of(writesOf(b), [&](const Access &access) {
    return access.memory == memory && std::ranges::any_of(of, [&](const Access &other) {
             return other.memory == memory && overlap(access.region, other.region);
           });
  });
}

AccessList JobOrder::writesOf(uint32_t job) const {
  return tilerig::writesOf(instructionOf(job), tileOfThread(jobs[job].thread));
}

const Instruction &JobOrder::instructionOf(uint32_t job) const {
  return code[tileOfThread(jobs[job].thread)][jobs[job].instruction];
}

} // namespace tilerig::emulator
