// Splits: how the result of a device operation is divided among tiles, and how a tile divides its share (part
// of the result) into steps.
#pragma once

#include "compiler/Tile/Ops/DeviceOp.h"

namespace tilerig::compiler {

// A split states the number of parts along each axis of the result. By default, parts go to tiles in
// row-major order, the first part to tile 0. With `band` set, they go to tiles band by band: all parts within the first `band` parts of
// the last axis, then those within the next `band` parts, and so on. Neighbouring tiles then read few
// different rows and columns. Tiles without a part have an empty box.
struct Split {
  std::vector<int64_t> parts;
  // How many parts along the last axis form a band: a divisor of the number of parts of that axis, or 0 for a
  // single band.
  int64_t band = 0;
  // Number of tiles that divide the depth (K) of each part's sums. Each tile adds its products to the partial
  // sums that it receives from the tile before, in the order of the depth. The last tile has the part of the
  // result.
  int64_t chain = 1;
  // For each axis, the lengths of its parts; an empty list for an axis that is divided as equally as
  // possible. `sizes` itself is empty unless a strategy file asks for unequal parts.
  std::vector<std::vector<int64_t>> sizes = {};
  // The tile of each part; empty: part i goes to tile i. Only for splits without chains.
  std::vector<uint8_t> order = {};

  int64_t tiles() const;
  // The range of indices that part number `part` has along an axis of length `size`.
  Range rangeOf(size_t axis, int64_t part, int64_t size, int64_t groupSize) const;
  int64_t placeInChain(int64_t tile) const { return tile % chain; }
  bool endsChain(int64_t tile) const { return placeInChain(tile) + 1 == chain; }
  unsigned tileOf(int64_t part) const {
    return order.empty() ? static_cast<unsigned>(part) : order[static_cast<size_t>(part)];
  }
  bool operator==(const Split &) const = default;
};

// The range of part `index` of an axis that is divided into `parts` parts, as equally as possible. The axis
// has groups of `groupSize` indices; each part has whole groups or lies within one group.
Range partOf(int64_t size, int64_t parts, int64_t index, int64_t groupSize);
// Whether an axis can be divided into that many non-empty parts. If there are more parts than groups of
// `groupSize` indices, the number of parts has to be a multiple of the number of groups.
bool canHaveParts(int64_t size, int64_t parts, int64_t groupSize);

// For each tile, the box of the result that it ends up with (boxesOf) and the box that it works on
// (workedBoxesOf). They differ only for chains (tiles that divide the depth of a sum): all tiles of a chain
// work on the box that its last tile ends up with.
std::vector<Box> boxesOf(const Split &split, const DeviceOp &deviceOp, std::span<const int64_t> shape,
                         unsigned tiles);
std::vector<Box> workedBoxesOf(const Split &split, const DeviceOp &deviceOp, std::span<const int64_t> shape,
                               unsigned tiles);
// The range of the depth (K) over which a tile sums, if several tiles (a chain) divide the depth; else empty.
Range depthOfTile(const Split &split, int64_t depth, unsigned tile);

// Splits a range into about `parts` parts, as equally as possible and, if the range consists of whole groups
// of `groupSize` indices, at group boundaries. There are never more parts than indices.
std::vector<Range> cutRange(Range range, int64_t parts, int64_t groupSize);
// Splits a box into `steps` parts along each axis; returned in row-major order, none for an empty box.
std::vector<Box> stepsOf(const Box &box, std::span<const int64_t> steps, const DeviceOp &deviceOp);

// Halves the last box along an axis, then the second of the two halves, and so on, `times` times. The first
// half is rounded up to a multiple of `least`; a box shorter than twice `least` is not halved.
void halveLast(std::vector<Box> &boxes, size_t axis, int64_t times, int64_t least = 16);

// The reason why a result of this shape cannot be split into the numbers of parts `parts` along its axes, on
// so many tiles; empty if it can. `sizes` has, for each axis, the requested lengths of the parts, if there
// are any.
std::string whyNotParts(std::span<const int64_t> parts, std::span<const std::vector<int64_t>> sizes,
                        const DeviceOp &deviceOp, std::span<const int64_t> shape, unsigned tiles);

// All usual splits into at most `tiles` parts, none of them empty. Usual numbers of parts along an axis are
// powers of two, the axis length, the number of tiles that the splits of the axes before it leave for each
// part, and the divisors of that number of tiles.
std::vector<Split> possibleSplits(const DeviceOp &deviceOp, std::span<const int64_t> shape, unsigned tiles);

} // namespace tilerig::compiler
