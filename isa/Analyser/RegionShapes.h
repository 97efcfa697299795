// Shapes of regions, so that many regions are kept as their bounds and a number.
//
// Regions that differ only in their place are many and their shapes few: neighbours write slices side by
// side. Questions about two regions whose bounds overlap are mostly answered by their shapes alone.
#pragma once

#include "isa/Instructions/Region.h"

#include <cstdlib>
#include <unordered_map>

namespace tilerig {

// Quotient and rest. Most numbers are short, and for those the processor is several times faster.
inline std::pair<uint64_t, uint64_t> divided(uint64_t number, uint64_t by) {
  if ((number | by) >> 32 != 0)
    return {number / by, number % by};
  const auto shortNumber = static_cast<uint32_t>(number), shortBy = static_cast<uint32_t>(by);
  return {shortNumber / shortBy, shortNumber % shortBy};
}

class RegionShapes {
public:
  using Shape = uint32_t;
  static constexpr Shape run = UINT32_MAX; // no gaps

  Shape of(const Region &region);
  // The region of that shape in those bounds.
  Region at(ByteRange bounds, Shape shape) const;

  // In all of these the region has the shape, the other one its shape and bounds, and the bounds overlap.
  //
  // Slices side by side with equal shapes, each apart from the other in every repetition: a quick look, false
  // where it does not tell.
  static bool surelyApart(const Region &region, Shape shape, ByteRange bounds, Shape other);
  // Whether the two share a byte: exact.
  bool overlap(const Region &region, Shape shape, ByteRange bounds, Shape other);
  // True only if every byte of the other is in the region; a quick look.
  bool covers(const Region &region, Shape shape, ByteRange bounds, Shape other) const;

private:
  struct Hash {
    size_t operator()(const Region &region) const;
  };
  struct Same {
    bool operator()(const Region &a, const Region &b) const {
      return a.run == b.run && std::ranges::equal(a.dims(), b.dims());
    }
  };

  // What overlap() has found of two shapes at a distance. The same tasks on many tiles ask the same again: of
  // 30 million questions about ResNet-50 on 64 tiles, 200 thousand differ.
  struct Answer {
    int64_t distance = 0;
    Shape shape = run;
    uint32_t other : 31 = 0, isOverlap : 1 = 0;
  };
  static constexpr size_t numAnswers = size_t{1} << 14; // each in the place that its hash gives it
  Answer &answerTo(Shape shape, Shape other, int64_t distance);

  // Of a shape whose strides are all multiples of the innermost one: where its bytes are, modulo that. Slices
  // of channels side by side are apart in it, however many pixels they share.
  struct Phase {
    uint32_t stride = 0, run = 0; // stride 0: none
  };
  static Phase phaseOf(const Region &region);
  static bool areApart(Phase phase, Phase other, int64_t distance);

  std::vector<Region> shapes;
  std::vector<Phase> phases; // of shapes
  std::unordered_map<Region, Shape, Hash, Same> numbers;
  std::vector<Answer> answers; // none before the first question
};

inline bool RegionShapes::surelyApart(const Region &region, Shape shape, ByteRange bounds, Shape other) {
  if (shape != other || region.rank != 1)
    return false;
  const auto [stride, count] = region.steps[0];
  const auto apart = static_cast<uint64_t>(
      std::abs(static_cast<int64_t>(bounds.begin) - static_cast<int64_t>(region.begin)));
  const auto [whole, part] = divided(apart, stride);
  return (whole >= count || part >= region.run) && (whole + 1 >= count || stride - part >= region.run);
}

inline bool RegionShapes::covers(const Region &region, Shape shape, ByteRange bounds, Shape other) const {
  if (bounds.begin < region.begin || bounds.end > region.end)
    return false;
  const auto distance = static_cast<int64_t>(bounds.begin - region.begin);
  return shape == run || (shape == other && distance == 0) ||
         (other == run ? coversAt(region, {}, bounds.size(), distance)
                       : coversAt(region, shapes[other].dims(), shapes[other].run, distance));
}

} // namespace tilerig
