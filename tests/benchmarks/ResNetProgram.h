// A program of the size and shape that a compiler makes of ResNet-50 in int8 for 64 tiles: for benchmarks,
// and as a large program that is right.
//
// The first layers are split over a grid of tiles by position, each tile with a halo that its up to eight
// neighbours write; weights come from DDR once per block of four tiles, by multicast, double-buffered. The
// last layers are split by channel: each tile computes a few channels of all positions and multicasts them
// into everybody's next input, a slice of a few bytes in every pixel. Order comes from semaphores between
// neighbours and within blocks, local syncs, and global barriers in the second part. The arithmetic is that
// of such a network; its constants are arbitrary.
#pragma once

#include "isa/Program/Program.h"

namespace tilerig::test {

struct ResNetOptions {
  unsigned spatialLayers = 24, channelLayers = 30;
  unsigned grid = 8; // tiles = grid * grid, on tr64
  // In the second part: the square root of how many positions each tile brings in, and into how many parts
  // layers are cut. A part is written in positions / parts runs, in every tile.
  unsigned gathered = 2, parts = 4;
};

Program resNetProgram(const ResNetOptions &options = {});

} // namespace tilerig::test
