// A view: a stream resolved to a host address, with the strides between its elements in bytes.
#pragma once

#include "isa/Instructions/Operands.h"

#include <array>
#include <cstddef>

namespace tilerig::emulator {

// Indices of a row of an operand in the four outer dimensions.
using Index4 = std::array<uint32_t, 4>;

struct View {
  std::byte *data = nullptr; // address of the first element; null if the operand is absent
  ElementType type = ElementType::i8;
  std::array<Dimension, 5> dims = Stream::absentDims;

  bool present() const { return data != nullptr; }
  uint32_t size(unsigned dim) const { return dims[dim].size; }
  int64_t stride(unsigned dim) const { return dims[dim].stride; }
  uint32_t rowLength() const { return dims[4].size; }
  bool rowIsDense() const { return dims[4].size == 1 || dims[4].stride == sizeBytes(type); }
  uint64_t numRows() const { return uint64_t{dims[0].size} * dims[1].size * dims[2].size * dims[3].size; }
  std::byte *row(Index4 at) const {
    return data + at[0] * stride(0) + at[1] * stride(1) + at[2] * stride(2) + at[3] * stride(3);
  }
};

// Iterates over the rows of a view in row-major order of its four outer dimensions, from row `begin` on.
class RowWalk {
public:
  RowWalk(const View &output, uint64_t begin)
      : sizes{output.size(0), output.size(1), output.size(2), output.size(3)} {
    for (unsigned d = 4; d-- > 0; begin /= sizes[d])
      at[d] = static_cast<uint32_t>(begin % sizes[d]);
  }
  const Index4 &index() const { return at; }
  void next() {
    for (unsigned d = 4; d-- > 0;) {
      if (++at[d] < sizes[d])
        return;
      at[d] = 0;
    }
  }

private:
  Index4 sizes, at{};
};

} // namespace tilerig::emulator
