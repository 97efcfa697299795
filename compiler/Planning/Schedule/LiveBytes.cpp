#include "compiler/Planning/Schedule/LiveBytes.h"

#include "isa/Order/ByteSet.h"

namespace tilerig::compiler {

void LiveBytes::add(IntervalIndex<Live> &index, uint32_t task, const Region &region, Shape shape,
                    const RegionShapes &shapes) {
  if (numComparisons - comparisonsAtCollection >= 1024 + 2 * keptRuns)
    collect(shapes);
  index.insert(region.bounds(), {task, shape});
  keptRuns += region.isRun() ? 1 : region.sizeBytes() / region.run;
}

// Drops every access whose bytes are all written again by later tasks. To find these, goes through the
// accesses from the latest task back, and keeps the set of bytes written so far. A task's own writes count as
// later than its reads.
void LiveBytes::collect(const RegionShapes &shapes) {
  std::vector<Kept> all;
  for (IntervalIndex<Live> *index : {&reads, &writes, &writesInUse})
    index->removeIf([&](ByteRange range, const Live &live) {
      all.push_back({live.task, index != &reads, range, live.shape, index});
      return true;
    });
  std::ranges::sort(all, [](const Kept &a, const Kept &b) {
    return std::tuple(b.task, b.isWrite, a.range.begin) < std::tuple(a.task, a.isWrite, b.range.begin);
  });
  ByteSet written;
  keptRuns = 0;
  for (const Kept &access : all) {
    const Region region = shapes.at(access.range, access.shape);
    if (!written.firstMissing(region))
      continue;
    if (access.isWrite)
      written.add(region);
    access.index->insert(access.range, {access.task, access.shape});
    keptRuns += region.isRun() ? 1 : region.sizeBytes() / region.run;
  }
  comparisonsAtCollection = numComparisons;
}

} // namespace tilerig::compiler
