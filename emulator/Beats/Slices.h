// Splits a transfer into slices; each slice is transferred in one beat.
#pragma once

#include "isa/Instructions/Instruction.h"

namespace tilerig::emulator {

// A box of a stream's elements that are consecutive in the stream's order.
struct Slice {
  std::array<uint32_t, 5> first{}, count{};
};

class Slices {
public:
  Slices() = default;
  // Splits elements of these dimensions into slices of at most `mostBytes`, but at least one element each.
  Slices(const std::array<Dimension, 5> &dims, unsigned elementBytes, uint64_t mostBytes);

  uint64_t size() const { return outer * perOuter; }
  Slice operator[](uint64_t index) const;

private:
  std::array<Dimension, 5> dims{};
  // Dimensions inside `cut` are whole in every slice; of dimension `cut`, a slice has `together` steps; of
  // the outer dimensions, a slice has one index each.
  unsigned cut = 0;
  uint32_t together = 1;
  uint64_t outer = 0, perOuter = 0;
};

// The part of a stream that a slice covers; the stream has the dimension sizes that were split.
Stream sliced(Stream stream, const Slice &slice);
// A stream with the same dimension sizes whose elements are contiguous.
Stream dense(Stream stream);
uint64_t elementBytes(const Stream &stream);

} // namespace tilerig::emulator
