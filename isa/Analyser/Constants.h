// The constants of a program, found by their DDR address.
#pragma once

#include "isa/Instructions/Region.h"
#include "isa/Program/Program.h"

#include <optional>

namespace tilerig {

class Constants {
public:
  // Keeps a reference to `program`, which must outlive this object.
  explicit Constants(const Program &program);

  // Whether all bytes of the range are constants.
  bool contains(ByteRange range) const;
  // The lowest contiguous bytes of the region that are constants; nullopt if there are none.
  std::optional<ByteRange> firstOverlap(const Region &region) const;
  // The bytes of a range that lies within a single constant; empty if the range does not.
  std::span<const std::byte> read(ByteRange range) const;
  // Address ranges of constants, adjacent ones merged, ascending.
  const std::vector<ByteRange> &stretches() const { return ranges; }

private:
  const Program &program;
  std::vector<ByteRange> ranges;
};

} // namespace tilerig
