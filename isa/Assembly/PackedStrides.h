// The stride that a dimension of a stream has where none is written: it steps over exactly what lies inside
// it, as in a tensor without gaps. Inner dimensions that repeat (stride 0) take no room.
#pragma once

#include "isa/Instructions/Operands.h"

namespace tilerig {

// Goes through the dimensions from the innermost outwards.
class PackedStrides {
public:
  explicit PackedStrides(ElementType type) : extent(sizeBytes(type)) {}

  // The stride of a dimension of this size that is written without one.
  uint64_t strideOf(uint32_t size) const { return size == 1 ? 0 : extent; }
  // To the next dimension outwards.
  void enclose(const Dimension &dimension) {
    if (dimension.size != 1 && dimension.stride != 0)
      extent = uint64_t{dimension.size} * dimension.stride;
  }

private:
  uint64_t extent;
};

} // namespace tilerig
