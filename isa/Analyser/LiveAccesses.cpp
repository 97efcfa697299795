#include "isa/Analyser/LiveAccesses.h"

#include <algorithm>

namespace tilerig {

LiveAccesses::LiveAccesses(const StageThreads &stage, const Clocks &clocks, std::vector<uint32_t> ended)
    : stage(stage), clocks(clocks), ended(std::move(ended)), taken(stage.numThreads()),
      memories(stage.tiles.size() + 1) {}

size_t LiveAccesses::ShapeHash::operator()(const Region &region) const {
  uint64_t hash = region.run;
  for (auto [stride, count] : region.dims())
    hash = (hash ^ stride ^ count << 32) * 0x9E3779B97F4A7C15;
  return hash ^ hash >> 32;
}

uint32_t LiveAccesses::shapeOf(const Region &region) {
  if (region.isRun())
    return isRun;
  const auto [entry, isNew] = shapeNumbers.try_emplace(region, static_cast<uint32_t>(shapes.size()));
  if (isNew)
    shapes.push_back(region);
  return entry->second;
}

// Of slices side by side with equal shapes, that each is apart from the other in every repetition.
static bool surelyApart(const Region &region, int64_t distance) {
  if (region.rank != 1)
    return false;
  const auto [stride, count] = region.steps[0];
  const auto apart = static_cast<uint64_t>(std::abs(distance));
  const uint64_t whole = apart / stride, part = apart % stride;
  return (whole >= count || part >= region.run) && (whole + 1 >= count || stride - part >= region.run);
}

bool LiveAccesses::overlaps(const Region &region, uint32_t shape, ByteRange range, const Live &live) const {
  if (shape == isRun && live.shape == isRun)
    return true; // they were found by their bounds
  const int64_t distance = static_cast<int64_t>(range.begin) - static_cast<int64_t>(region.begin);
  return overlapAt(
      region, live.shape == isRun ? Region::ofRun(range.begin, range.size()) : shapes[live.shape], distance);
}

bool LiveAccesses::covers(const Region &region, uint32_t shape, ByteRange range, const Live &live) const {
  return range.begin >= region.begin && range.end <= region.end &&
         (shape == isRun || (shape == live.shape && range.begin == region.begin));
}

bool LiveAccesses::add(Event step, const Access &access) {
  Memory &memory = memories[access.memory];
  const Region &region = access.region;
  const bool write = access.kind == AccessKind::write;
  const Clocks::Stamp &stamp = clocks.stampOf(step);
  const unsigned tile = tileOfThread(step.thread);
  const uint32_t shape = shapeOf(region);
  bool race = false;
  memory.live.visitOverlapping(region.bounds(), [&](ByteRange range, const Live &live) {
    const bool sameShape = shape == live.shape && shape != isRun;
    if (sameShape &&
        surelyApart(region, static_cast<int64_t>(range.begin) - static_cast<int64_t>(region.begin)))
      return false;
    if (clocks.known(stamp, tile, live.step.thread) >= live.step.ordinal)
      return (write || !live.write) && covers(region, shape, range, live);
    if ((write || live.write) && !sameInstruction(live.step, step))
      race |= overlaps(region, shape, range, live);
    return false;
  });
  if (race)
    return false;
  memory.live.insert(region.bounds(), {step, write, shape});
  if (memory.live.size() >= memory.collectAt)
    collect(access.memory);
  return true;
}

// The least that any of the steps knows of a thread.
uint32_t LiveAccesses::frontier(const std::vector<Event> &nextSteps, ThreadId of) const {
  uint32_t least = UINT32_MAX;
  for (const Event &next : nextSteps)
    least = std::min(least, clocks.known(next, of));
  return least;
}

void LiveAccesses::collect(MemoryId memory) {
  std::vector<Event> nextSteps; // of every thread that is still going to touch this memory
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
