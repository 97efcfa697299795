#include "isa/Analyser/RegionShapes.h"

#include <bit>

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

RegionShapes::Answer &RegionShapes::answerTo(Shape shape, Shape other, int64_t distance) {
  if (answers.empty())
    answers.resize(numAnswers);
  const uint64_t key = (uint64_t{shape} << 32 | other) ^ static_cast<uint64_t>(distance) * 0x9E3779B97F4A7C15;
  return answers[key * 0x9E3779B97F4A7C15 >> (64 - std::bit_width(numAnswers - 1))];
}

bool RegionShapes::overlap(const Region &region, Shape shape, ByteRange bounds, Shape other) {
  if (shape == run && other == run)
    return true;
  const int64_t distance = static_cast<int64_t>(bounds.begin) - static_cast<int64_t>(region.begin);
  // The lengths of runs are not in their shape.
  if (shape == run || other == run)
    return overlapAt(region, other == run ? Region::ofRun(bounds.begin, bounds.size()) : shapes[other],
                     distance);
  Answer &answer = answerTo(shape, other, distance);
  if (answer.shape != shape || answer.other != other || answer.distance != distance)
    answer = {distance, shape, other, overlapAt(region, shapes[other], distance)};
  return answer.isOverlap;
}

} // namespace tilerig
