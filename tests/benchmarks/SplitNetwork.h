// Convolutional networks split over tiles by hand: for benchmarks, before and beside what the compiler makes.
//
// Every layer's output is cut into boxes of rows, columns and output channels, one to a tile, which need not
// be even. A tile keeps what its next layers read, halo included, and whoever computes a part of that sends
// it there: by multicast where several tiles keep the same, else straight. Weights stream from DDR while the
// layer before computes, once for all tiles that share them. One global barrier ends each layer.
//
// Weights and biases are pseudo-random, scaled so that values neither vanish nor saturate.
#pragma once

#include "isa/Program/Program.h"

namespace tilerig::test {

// Rows, columns and channels [begin, end).
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
  Box with(const Box &other) const; // the smallest box around both
  Box meet(const Box &other) const;
  bool operator==(const Box &) const = default;
};

// Into how many parts the output is cut along each axis; their product is at most the number of tiles.
struct Split {
  uint32_t rows = 1, columns = 1, channels = 1;
};

struct NetworkLayer {
  enum class Kind { conv, maxPool, averagePool } kind = Kind::conv;
  std::string name;
  int input = -1;  // which layer's output; -1 is the network's input
  int addend = -1; // likewise, added to a convolution's result
  uint32_t outputs = 0, kernel = 1, stride = 1, pad = 0;
  bool relu = true;
  Split split = {};
};

struct Network {
  uint32_t height = 0, width = 0, channels = 0; // of the input
  std::vector<NetworkLayer> layers;             // the last one's output is the network's
  int32_t largestWeight = 127;                  // of 8-bit ones
};

// All 53 convolutions of ResNet-50 with its pools and its last matrix product, cut for so many tiles.
Network resNet50(unsigned tiles);

// A small network with everything in it: strides, halos, uneven parts, a sum of two branches. Its weights are
// small enough for oneDNN to be exact on any host.
Network smallNetwork();

// `type` is i8 or fp16. Fails if a tile's memory is too small.
Result<Program> splitProgram(const Network &network, const Machine &machine, unsigned tiles,
                             ElementType type);

// How the layers' 8-bit values are to be read.
Affine affineOf(const NetworkLayer *layer); // null: the network's input

} // namespace tilerig::test
