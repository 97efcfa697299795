// Generator of a program of the size and structure that a compiler makes of ResNet-50 in int8 for 64 tiles,
// for benchmarks and as a large correct program.
//
// The first layers are split over a grid of tiles by position; up to eight neighbours write the halo of each
// tile. Weights are loaded from DDR once per block of four tiles, by multicast, double-buffered. The last
// layers are split by channel: each tile computes a few channels of all positions and multicasts them into
// the next input of every tile, a slice of a few bytes in every pixel. The program is ordered by semaphores
// between neighbours and within blocks, by local syncs, and by global barriers in the second part. The amount
// of arithmetic is that of such a network; the constants are arbitrary.
#pragma once

#include "isa/Program/Program.h"

namespace tilerig::test {

struct ResNetOptions {
  unsigned spatialLayers = 24, channelLayers = 30;
  unsigned grid = 8; // the program runs on grid * grid tiles of the machine tr64
  // Sizes in the second part of the program, whose layers are split by channel and work on small images: each
  // tile contributes `gathered` by `gathered` positions to the image. Each layer is computed in `parts` equal
  // parts, and each part is multicast.
  unsigned gathered = 2, parts = 4;
};

Program resNetProgram(const ResNetOptions &options = {});

} // namespace tilerig::test
