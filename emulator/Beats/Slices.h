// A transfer cut into parts, each of which goes through in a beat.
#pragma once

#include "isa/Instructions/Instruction.h"

namespace tilerig {

// A box of a stream's elements: in the stream's order they follow one another without a gap.
struct Slice {
  std::array<uint32_t, 5> first{}, count{};
};

class Slices {
public:
  Slices() = default;
  // Elements of those sizes, in slices of at most `mostBytes`, but of one element at least.
  Slices(const std::array<Dimension, 5> &dims, unsigned elementBytes, uint64_t mostBytes);

  uint64_t size() const { return outer * perOuter; }
  Slice operator[](uint64_t index) const;

private:
  std::array<Dimension, 5> dims{};
  // Whole are the dimensions inside `cut`; of `cut`, `together` steps make a slice; those outside go one by
  // one.
  unsigned cut = 0;
  uint32_t together = 1;
  uint64_t outer = 0, perOuter = 0;
};

// The part of a stream of the same sizes.
Stream sliced(Stream stream, const Slice &slice);
// A stream of the same sizes whose elements lie side by side.
Stream dense(Stream stream);
uint64_t elementBytes(const Stream &stream);

} // namespace tilerig
