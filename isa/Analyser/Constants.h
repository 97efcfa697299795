// The constants of a program, by address.
#pragma once

#include "isa/Instructions/Region.h"
#include "isa/Program/Program.h"

#include <optional>

namespace tilerig {

class Constants {
public:
  // The program must outlive it.
  explicit Constants(const Program &program);

  // Whether all bytes of the range are constants.
  bool contains(ByteRange range) const;
  // The lowest bytes of the region that are constants.
  std::optional<ByteRange> firstOverlap(const Region &region) const;
  // The bytes of a range that lies within a single constant; empty if it does not.
  std::span<const std::byte> read(ByteRange range) const;
  // Stretches without gaps, ascending.
  const std::vector<ByteRange> &stretches() const { return ranges; }

private:
  const Program &program;
  std::vector<ByteRange> ranges;
};

} // namespace tilerig
