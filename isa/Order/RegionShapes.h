// A table of region shapes, so that a region can be stored as its bounds and the number of its shape.
//
// A program has many regions that differ only in their position, but few shapes: neighbouring tiles write
// slices side by side. Whether two regions with overlapping bounds share bytes depends mostly on their shapes
// and their distance alone.
#pragma once

#include "isa/Instructions/Region.h"

#include <cstdlib>
#include <unordered_map>

namespace tilerig {

// Divides two unsigned integers and returns quotient and remainder. Most operands fit into 32 bits, and a
// 32-bit division is several times faster.
inline std::pair<uint64_t, uint64_t> divided(uint64_t number, uint64_t by) {
  if ((number | by) >> 32 != 0)
    return {number / by, number % by};
  const auto shortNumber = static_cast<uint32_t>(number), shortBy = static_cast<uint32_t>(by);
  return {shortNumber / shortBy, shortNumber % shortBy};
}

class RegionShapes {
public:
  using Shape = uint32_t;
  static constexpr Shape run = UINT32_MAX; // number of the shape of all regions without gaps

  Shape of(const Region &region);
  // The region with the given shape and bounds.
  Region at(ByteRange bounds, Shape shape) const;

  // The following functions compare two regions whose bounds overlap. The first region has the shape `shape`;
  // the second is given by its bounds and its shape `other`.
  //
  // Fast test whether the two regions share no byte. Only the result true is reliable. The test recognises
  // regions with the same innermost stride, such as slices of different channels.
  static bool surelyApart(const Region &region, Shape shape, ByteRange bounds, Shape other);
  // Exact test whether the two regions share a byte.
  bool overlap(const Region &region, Shape shape, ByteRange bounds, Shape other);
  // Whether the first region contains every byte of the second. The test is conservative: it may return false
  // even if the first region does.
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

  // A cached result of overlap(): whether two regions of these shapes share a byte if they begin `distance`
  // bytes apart. Equal tasks on many tiles repeat the same queries: of 30 million queries for ResNet-50 on 64
  // tiles, only 200 thousand are different.
  struct Answer {
    int64_t distance = 0;
    Shape shape = run;
    uint32_t other : 31 = 0, isOverlap : 1 = 0;
  };
  // Number of entries of the cache of overlap() results; a hash of the query selects the entry.
  static constexpr size_t numAnswers = size_t{1} << 14;
  Answer &answerTo(Shape shape, Shape other, int64_t distance);

  // For a shape whose strides are all multiples of the innermost stride: its bytes modulo that stride form
  // one run of `run` bytes. Two regions whose runs share no byte do not overlap, for example slices of
  // different channels.
  struct Phase {
    // Both are 0 if some stride is not a multiple of the innermost stride, or if the innermost stride exceeds
    // 32 bits.
    uint32_t stride = 0, run = 0;
  };
  static Phase phaseOf(const Region &region);
  static bool areApart(Phase phase, Phase other, int64_t distance);

  std::vector<Region> shapes;
  std::vector<Phase> phases; // for each shape: its bytes modulo its innermost stride
  std::unordered_map<Region, Shape, Hash, Same> numbers;
  // Cache of the results of overlap(), allocated at the first query.
  std::vector<Answer> answers;
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
