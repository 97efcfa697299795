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

  // Whether all bytes of this DDR address range are constants of the program.
  bool contains(ByteRange range) const;
  // The lowest contiguous bytes of the region that are constants of the program; nullopt if there are none.
  std::optional<ByteRange> firstOverlap(const Region &region) const;
  // The contents of a DDR address range; empty if the range does not lie within a single constant.
  std::span<const std::byte> read(ByteRange range) const;
  // The DDR address ranges of the constants in ascending order, with adjacent ranges merged.
  const std::vector<ByteRange> &stretches() const { return ranges; }

private:
  const Program &program;
  std::vector<ByteRange> ranges;
};

} // namespace tilerig
