// Streams (five-dimensional address patterns) and instructions for tests of timing, built from their sizes,
// so that a test can vary one size at a time.
#pragma once

#include "isa/Instructions/Instruction.h"
#include "isa/Machine/Topology.h"

#include <array>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace tilerig {

inline const Machine &tr64() {
  static const Machine machine = *loadMachine("tr64");
  return machine;
}

using Sizes5 = std::array<uint32_t, 5>;

// A stream without gaps. The last of the sizes is that of the innermost dimension.
Stream dense(ElementType type, const Sizes5 &sizes, Space space = Space::ocm, uint64_t base = 0);
// A stream whose innermost dimension is dense; the strides of the others do not depend on the sizes.
Stream spaced(ElementType type, const Sizes5 &sizes, Space space = Space::ocm, uint64_t base = 0);

Matmul matmulOf(ElementType type, Mapping mapping, uint32_t m, uint32_t n, uint32_t k);

// Sizes of a convolution without padding; the image is as large as the windows need.
struct ConvShape {
  uint32_t images = 1, rows = 1, columns = 1; // output positions
  uint32_t outputs = 1, channels = 1, groups = 1;
  uint32_t kernelH = 1, kernelW = 1;
  uint16_t stride = 1, dilation = 1;
};
Conv convOf(ElementType type, const ConvShape &shape);

// An instruction as a function of its sizes; its other fields are fixed.
struct Sample {
  std::vector<uint32_t> sizes;
  std::function<Instruction(const std::vector<uint32_t> &)> build;

  Instruction instruction() const { return build(sizes); }
};

// A random sample of every instruction type that computes or moves data. A type without an overload of
// sampleOf() is a compile error.
std::vector<Sample> randomSamples(std::mt19937_64 &random, const Machine &machine);

} // namespace tilerig
