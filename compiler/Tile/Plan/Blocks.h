// Fusion blocks: consecutive device operations that a tile computes band by band (a few rows of its part of
// the result at a time), so that each operation works on a band as soon as the one before has produced it. Of
// each tensor inside the block, a tile holds only one band at a time, in its OCM (on-chip memory).
//
// A tile computes all elements of these inner tensors that it reads. Where windows overlap, neighbouring
// bands share rows, and those rows are computed more than once.
#pragma once

#include "compiler/Tile/Ops/DeviceNetwork.h"

namespace tilerig::compiler {

// A fusion block: the steps first .. last (inclusive) of DeviceNetwork::steps.
struct FusionBlock {
  size_t first = 0, last = 0;
  // largest number of bands per tile with which the fusion block still saves time
  int64_t mostBands = INT64_MAX;

  bool contains(size_t step) const { return first <= step && step <= last; }
  size_t size() const { return last - first + 1; }
  bool operator==(const FusionBlock &) const = default;
};

// The reason why the steps of `block` cannot form a fusion block; nullopt if they can.
std::optional<std::string> whyNoBlock(const DeviceNetwork &network, const FusionBlock &block);

// Computes which box of each operation's result is needed, for all operations of the fusion block in order,
// to compute the box `last` of the final operation's result.
std::vector<Box> boxesOfBand(const DeviceNetwork &network, const FusionBlock &block, const Box &last);

// Whether all boxes that boxesOfBand() returns are non-empty, and whether an instruction can compute each of
// them.
bool isBandComputable(const DeviceNetwork &network, const FusionBlock &block, const Box &last);

} // namespace tilerig::compiler
