#include "isa/Analyser/RegionShapes.h"

namespace tilerig {

size_t RegionShapes::Hash::operator()(const Region &region) const {
  uint64_t hash = region.run;
  for (auto [stride, count] : region.dims())
    hash = (hash ^ stride ^ count << 32) * 0x9E3779B97F4A7C15;
  return hash ^ hash >> 32;
}

RegionShapes::Shape RegionShapes::of(const Region &region) {
  if (region.isRun())
    return run;
  const auto [entry, isNew] = numbers.try_emplace(region, static_cast<Shape>(shapes.size()));
  if (isNew)
    shapes.push_back(region);
  return entry->second;
}

Region RegionShapes::at(ByteRange bounds, Shape shape) const {
  if (shape == run)
    return Region::ofRun(bounds.begin, bounds.size());
  Region region = shapes[shape];
  region.begin = bounds.begin, region.end = bounds.end;
  return region;
}

bool RegionShapes::overlap(const Region &region, Shape shape, ByteRange bounds, Shape other) const {
  if (shape == run && other == run)
    return true;
  const int64_t distance = static_cast<int64_t>(bounds.begin) - static_cast<int64_t>(region.begin);
  return overlapAt(region, other == run ? Region::ofRun(bounds.begin, bounds.size()) : shapes[other],
                   distance);
}

} // namespace tilerig
