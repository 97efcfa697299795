// Fusion blocks: works that follow each other and go through their shares band by band, each a band behind
// the one before it. Of a tensor between them a tile has a band at a time and no more, so that it needs
// neither room nor DDR for the rest.
//
// A tile makes all that it reads of these tensors itself: neighbouring bands, and bands of neighbouring
// tiles, have rows in common where windows overlap, and these are computed again.
#pragma once

#include "compiler/Tiling/DeviceNetwork.h"

namespace tilerig {

// Steps first .. last of a network.
struct FusionBlock {
  size_t first = 0, last = 0;
  int64_t mostBands = INT64_MAX; // of a tile; with more it would not be worth it

  bool contains(size_t step) const { return first <= step && step <= last; }
  size_t size() const { return last - first + 1; }
  bool operator==(const FusionBlock &) const = default;
};

// Why these works can be no block; nothing if they can.
std::optional<std::string> whyNoBlock(const DeviceNetwork &network, const FusionBlock &block);

// Boxes that each of the works has to make for the last one's to be made: by work, from the first.
std::vector<Box> boxesOfBand(const DeviceNetwork &network, const FusionBlock &block, const Box &last);

// Whether instructions can compute them.
bool isBandComputable(const DeviceNetwork &network, const FusionBlock &block, const Box &last);

} // namespace tilerig
