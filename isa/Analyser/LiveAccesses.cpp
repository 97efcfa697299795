#include "isa/Analyser/LiveAccesses.h"

#include <algorithm>

namespace tilerig {

LiveAccesses::LiveAccesses(const StageThreads &stage, const Clocks &clocks, std::vector<uint32_t> ended)
    : stage(stage), clocks(clocks), ended(std::move(ended)), taken(stage.numThreads()),
      memories(stage.tiles.size() + 1) {}

bool LiveAccesses::add(Event step, const Access &access) {
  Memory &memory = memories[access.memory];
  const Region &region = access.region;
  const bool write = access.kind == AccessKind::write;
  const Clocks::Stamp &stamp = clocks.stampOf(step);
  const unsigned tile = tileOfThread(step.thread);
  const RegionShapes::Shape shape = shapes.of(region);
  bool race = false;
  memory.live.visitOverlapping(region.bounds(), [&](ByteRange range, const Live &live) {
    if (RegionShapes::surelyApart(region, shape, range, live.shape))
      return false;
    if (clocks.known(stamp, tile, live.step.thread) >= live.step.ordinal)
      return (write || !live.write) && shapes.covers(region, shape, range, live.shape);
    if ((write || live.write) && !sameInstruction(live.step, step))
      race |= shapes.overlap(region, shape, range, live.shape);
    return false;
  });
  if (race)
    return false;
  memory.live.insert(region.bounds(), {step, write, shape});
  if (memory.live.size() >= memory.collectAt)
    collect(access.memory);
  return true;
}

// The number of steps of a thread (`of`) that have certainly ended when the first of the steps in `nextSteps`
// begins.
uint32_t LiveAccesses::frontier(const std::vector<Event> &nextSteps, ThreadId of) const {
  uint32_t least = UINT32_MAX;
  for (const Event &next : nextSteps)
    least = std::min(least, clocks.known(next, of));
  return least;
}

void LiveAccesses::collect(MemoryId memory) {
  // For every thread that will still access this memory, the thread's next step.
  std::vector<Event> nextSteps;
  for (ThreadId thread = 0; thread < stage.numThreads(); ++thread) {
    const uint32_t last = std::min(stage.lastTouch(memory, thread), ended.at(thread));
    if (taken[thread] < last)
      nextSteps.push_back({thread, taken[thread] + 1});
  }
  constexpr uint32_t unknown = UINT32_MAX - 1;
  std::vector<uint32_t> frontiers(stage.numThreads(), unknown);
  memories[memory].live.removeIf([&](ByteRange, const Live &live) {
    uint32_t &ordered = frontiers[live.step.thread];
    if (ordered == unknown)
      ordered = frontier(nextSteps, live.step.thread);
    return live.step.ordinal <= ordered;
  });
  memories[memory].collectAt = std::max<size_t>(64, 2 * memories[memory].live.size());
}

} // namespace tilerig
