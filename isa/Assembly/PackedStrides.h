// Computes the default stride of a stream dimension, used when the text states none: the size in bytes of
// everything inside the dimension, as in a tensor without gaps. Inner dimensions that repeat (stride 0) add
// nothing to this size.
#pragma once

#include "isa/Instructions/Operands.h"

namespace tilerig {

// enclose() must be called for the dimensions from the innermost to the outermost; strideOf() then gives the
// default stride of the next dimension.
class PackedStrides {
public:
  explicit PackedStrides(ElementType type) : extent(sizeBytes(type)) {}

  // The stride that the next outer dimension of the stream gets if the text states none; `size` is its size.
  uint64_t strideOf(uint32_t size) const { return size == 1 ? 0 : extent; }
  // Records a dimension of the stream, so that the next call of strideOf() is about the next outer dimension.
  void enclose(const Dimension &dimension) {
    if (dimension.size != 1 && dimension.stride != 0)
      extent = uint64_t{dimension.size} * dimension.stride;
  }

private:
  uint64_t extent;
};

} // namespace tilerig
