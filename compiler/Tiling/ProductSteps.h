// How a tile goes through its share of a product when both factors come from DDR.
//
// Such a product is held up by what comes and goes: DDR should have something to do from the beginning, and
// little when the last sum is there. So the share is cut into boxes along one axis, the last of them smaller,
// so that little is left to be stored; sums are cut into parts, so that the first begin when a little of both
// factors has come; and of the factor that all boxes read as much stays as there is room for. Which of these
// ways is the fastest is found by playing them through: DDR, which serves one load or store after the other,
// beside the POD.
#pragma once

#include "compiler/Tiling/Way.h"
#include "compiler/Tiling/Work.h"
#include "isa/Machine/Machine.h"

#include <array>

namespace tilerig {

struct ProductSteps {
  uint64_t axis = 0;    // of the result, that is cut
  int64_t parts = 1;    // into so many boxes of one size,
  int64_t halvings = 0; // of which the last is cut into halves, the second of them again, and so on
  int64_t depthParts = 1;
  int64_t depthHalvings = 0; // the first of these parts is cut into halves, the first half again, and so on
  std::array<bool, 2> comesWhole = {}; // by factor: all of the depth at once
  int64_t kept = 0;                    // so many parts of the factor that all boxes read stay
  uint32_t turnsAhead = 1;             // that a part comes before it is read
  bool operator==(const ProductSteps &) const = default;
};

// Parts of a sum, of whole panels of what the POD and the OCM take at a time; none of a whole one.
std::vector<Range> depthsOf(int64_t depth, int64_t parts);
std::vector<Range> depthsOf(const ProductSteps &steps, int64_t depth);
// The boxes of a share, as they are only cut for the product.
std::vector<Box> boxesOf(const ProductSteps &steps, const Box &share, const Work &work);

struct ProductOutlook {
  ProductSteps steps;
  Way way;
  uint64_t cycles = 0; // from the first load to the last sum, or to the last store
};

// The fastest way through shares of which each tile has one; `isStored`: the result goes to DDR, and nowhere
// else. None where a step does not fit an OCM.
std::optional<ProductOutlook> chooseSteps(const Work &work, const std::vector<DeviceTensor> &tensors,
                                          const std::vector<Box> &shares, std::span<const Way> ways,
                                          bool isStored, const Machine &machine);

// What the instructions of a box take that add up such a part of the depth; empty: all of it.
uint64_t cyclesOfPart(const Work &work, const std::vector<DeviceTensor> &tensors, const Box &box, Range depth,
                      const Way &way, const Machine &machine);

// A part that several tiles want comes in pieces of about that many bytes: DDR serves all who ask in turn, so
// that pieces of one size come when they are asked for.
inline constexpr uint64_t bytesOfPiece = 16 << 10;

// Bytes of all of both factors through the busiest of DDR's ports, each of which carries every part that a
// tile of its row wants.
uint64_t bytesAtBusiestPort(const Work &work, const std::vector<DeviceTensor> &tensors,
                            const std::vector<Box> &shares, const Machine &machine);

} // namespace tilerig
