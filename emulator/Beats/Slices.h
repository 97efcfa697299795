// Splits a transfer into slices; each slice is transferred in one beat.
#pragma once

#include "isa/Instructions/Instruction.h"

namespace tilerig::emulator {

// A slice of a stream: a box of elements that are consecutive in the stream's order, with the first index and
// the number of indices in each dimension.
struct Slice {
  std::array<uint32_t, 5> first{}, count{};
};

class Slices {
public:
  Slices() = default;
  // Splits a box of elements with the dimensions `dims` into slices of at most `mostBytes` bytes, but at
  // least one element each.
  Slices(const std::array<Dimension, 5> &dims, unsigned elementBytes, uint64_t mostBytes);

  uint64_t size() const { return outer * perOuter; }
  Slice operator[](uint64_t index) const;

private:
  std::array<Dimension, 5> dims{};
  // `cut` is the dimension in which the stream is split: a slice contains up to `together` indices of this
  // dimension, one index of each dimension before it, and all indices of the dimensions after it.
  unsigned cut = 0;
  uint32_t together = 1;
  uint64_t outer = 0, perOuter = 0;
};

// The part of a stream that a slice covers. The stream's dimension sizes must equal those from which the
// Slices object was built.
Stream sliced(Stream stream, const Slice &slice);
// Returns the stream with the same dimension sizes, but with strides for which its elements are contiguous.
Stream dense(Stream stream);
uint64_t elementBytes(const Stream &stream);

} // namespace tilerig::emulator
