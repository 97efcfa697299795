// How the result of a work is shared out among tiles, and how a tile goes through its share.
#pragma once

#include "compiler/Tiling/Work.h"

namespace tilerig {

// Into how many parts each axis is cut. Parts go to tiles in row-major order, so that the same tiles have the
// same rows however often the other axes are cut. Or they go band by band: so many parts of the last axis
// with all of the others, then the next ones; neighbours then have few different rows and few different
// columns. Tiles without a part have an empty box.
struct Split {
  std::vector<int64_t> parts;
  int64_t band = 0; // parts of the last axis, of which there have to be whole bands; 0: a single band
  // So many tiles share out the depth of the sums of each part. One after the other adds its products to the
  // sums that it is sent by the one before, in the order of the depth; the last one has the part.
  int64_t chain = 1;
  // By axis, how many indices each part has; none for an axis that is cut as equally as can be. Empty unless
  // a strategy file asks for unequal parts.
  std::vector<std::vector<int64_t>> sizes = {};

  int64_t tiles() const;
  // Of an axis of that size, the indices of a part.
  Range rangeOf(size_t axis, int64_t part, int64_t size, int64_t groupSize) const;
  int64_t placeInChain(int64_t tile) const { return tile % chain; }
  bool endsChain(int64_t tile) const { return placeInChain(tile) + 1 == chain; }
  bool operator==(const Split &) const = default;
};

// The range of part `index`: as equal as can be, and with groups of indices whole or cut within themselves.
Range partOf(int64_t size, int64_t parts, int64_t index, int64_t groupSize);
// How many parts such an axis can have at most that number.
bool canHaveParts(int64_t size, int64_t parts, int64_t groupSize);

// What each tile has in the end, and what it works on, which differs where tiles form chains.
std::vector<Box> boxesOf(const Split &split, const Work &work, std::span<const int64_t> shape,
                         unsigned tiles);
std::vector<Box> workedBoxesOf(const Split &split, const Work &work, std::span<const int64_t> shape,
                               unsigned tiles);
// What of the depth a tile of a chain adds up; none where there are no chains.
Range depthOfTile(const Split &split, int64_t depth, unsigned tile);

// A range as about that many parts, by the same rules; never more than it has indices.
std::vector<Range> cutRange(Range range, int64_t parts, int64_t groupSize);
// Parts of a box along its axes, in row-major order; none of an empty one.
std::vector<Box> stepsOf(const Box &box, std::span<const int64_t> steps, const Work &work);

// Cuts the last box into halves along an axis, and the second half again, so many times; the first half has a
// multiple of `least`, and what is shorter than twice that is not cut.
void halveLast(std::vector<Box> &boxes, size_t axis, int64_t times, int64_t least = 16);

// Why the result cannot be cut into these parts, of these sizes, among so many tiles; empty where it can.
// `sizes` as in a Split.
std::string whyNotParts(std::span<const int64_t> parts, std::span<const std::vector<int64_t>> sizes,
                        const Work &work, std::span<const int64_t> shape, unsigned tiles);

// Every way to cut the result into at most so many parts that leaves no part empty.
std::vector<Split> possibleSplits(const Work &work, std::span<const int64_t> shape, unsigned tiles);

} // namespace tilerig
