// Convolutional networks split over tiles by hand, for comparison with the compiler's programs in benchmarks.
//
// The output of every layer is split into boxes of rows, columns and output channels, one per tile, not
// necessarily equal. A tile stores what its next layers read, halo included. A tile that computes a part of
// another tile's box sends it there: by multicast if several tiles store the same box, else by a store.
// Weights are loaded from DDR while the previous layer computes, once for all tiles that share them. Each
// layer ends with a global barrier.
//
// Weights and biases are pseudo-random, scaled so that values neither vanish nor saturate.
#pragma once

#include "isa/Program/Program.h"

namespace tilerig::test {

// The half-open range [begin, end) of rows, columns or channels.
struct Range {
  uint32_t begin = 0, end = 0;

  uint32_t size() const { return end - begin; }
  bool empty() const { return begin >= end; }
  Range with(Range other) const;
  Range meet(Range other) const { return {std::max(begin, other.begin), std::min(end, other.end)}; }
  bool operator==(const Range &) const = default;
};
struct Box {
  Range rows, columns, channels;

  bool empty() const { return rows.empty() || columns.empty() || channels.empty(); }
  Box with(const Box &other) const; // the smallest box that contains this box and `other`
  Box meet(const Box &other) const;
  bool operator==(const Box &) const = default;
};

// The number of parts of an output along each axis; their product is at most the number of tiles.
struct Split {
  uint32_t rows = 1, columns = 1, channels = 1;
};

struct NetworkLayer {
  enum class Kind { conv, maxPool, averagePool } kind = Kind::conv;
  std::string name;
  int input = -1;  // index of the layer whose output is read; -1: the network's input
  int addend = -1; // index of the layer whose output is added to the convolution's result; -1: none
  uint32_t outputs = 0, kernel = 1, stride = 1, pad = 0;
  bool relu = true;
  Split split = {};
};

struct Network {
  uint32_t height = 0, width = 0, channels = 0; // size of the network's input
  std::vector<NetworkLayer> layers;             // layers in order of execution
  int32_t largestWeight = 127;                  // bound on the magnitude of 8-bit weights
};

// ResNet-50: all 53 convolutions, its pools and its last matrix product, split over `tiles` tiles.
Network resNet50(unsigned tiles);

// A small network with strides, halos, uneven parts and a sum of two branches. Its weights are so small that
// oneDNN's sums of 8-bit products never saturate, on any processor.
Network smallNetwork();

// Writes the program of a network split over `tiles` tiles, in element type i8 or fp16. Fails if a tile's
// memory is too small.
Result<Program> splitProgram(const Network &network, const Machine &machine, unsigned tiles,
                             ElementType type);

// The scale and zero point of a layer's 8-bit output; of the network's input if `layer` is null.
Affine affineOf(const NetworkLayer *layer);

} // namespace tilerig::test
