#include "isa/Order/RegionShapes.h"

#include <algorithm>
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
  if (isNew) {
    shapes.push_back(region);
    phases.push_back(phaseOf(region));
  }
  return entry->second;
}

RegionShapes::Phase RegionShapes::phaseOf(const Region &region) {
  const uint64_t stride = region.dims().back().stride;
  const bool isCommon =
      std::ranges::all_of(region.dims(), [&](Steps step) { return step.stride % stride == 0; });
  return isCommon && stride <= UINT32_MAX
             ? Phase{static_cast<uint32_t>(stride), static_cast<uint32_t>(region.run)}
             : Phase{};
}

bool RegionShapes::areApart(Phase phase, Phase other, int64_t distance) {
  if (phase.stride == 0 || phase.stride != other.stride)
    return false;
  const auto rest =
      static_cast<int64_t>(divided(static_cast<uint64_t>(std::abs(distance)), phase.stride).second);
  const int64_t stride = phase.stride, behind = distance < 0 && rest > 0 ? stride - rest : rest;
  return behind >= phase.run && behind + other.run <= stride;
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
  // If one of the regions has no gaps, they are compared directly. The cache cannot be used: it looks up
  // answers by shape number, and all regions without gaps have the same number, whatever their length.
  if (shape == run || other == run)
    return overlapAt(region, other == run ? Region::ofRun(bounds.begin, bounds.size()) : shapes[other],
                     distance);
  if (areApart(phases[shape], phases[other], distance))
    return false;
  Answer &answer = answerTo(shape, other, distance);
  if (answer.shape != shape || answer.other != other || answer.distance != distance)
    answer = {distance, shape, other, overlapAt(region, shapes[other], distance)};
  return answer.isOverlap;
}

} // namespace tilerig
