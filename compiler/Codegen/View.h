// Where a part of a tensor lies: its elements row by row, without gaps.
#pragma once

#include "compiler/Tiling/Box.h"
#include "isa/Instructions/Operands.h"

namespace tilerig {

struct View {
  Box box;
  ElementType type = ElementType::fp32;
  uint64_t address = 0; // of the first element of the box
  Space space = Space::ocm;
  uint8_t tile = 0; // of a remote one

  uint64_t strideOf(size_t axis) const { // bytes
    uint64_t stride = sizeBytes(type);
    for (size_t i = box.rank(); i-- > axis + 1;)
      stride *= static_cast<uint64_t>(box[i].size());
    return stride;
  }
  // Of the first element of a part.
  uint64_t addressOf(const Box &part) const {
    uint64_t at = address;
    for (size_t i = 0; i < box.rank(); ++i)
      at += static_cast<uint64_t>(part[i].begin - box[i].begin) * strideOf(i);
    return at;
  }
  // The same memory, with the address of a part; strides stay those of the whole.
  View at(const Box &part) const {
    View moved = *this;
    moved.address = addressOf(part);
    return moved;
  }
  uint64_t sizeInBytes() const { return box.elements() * sizeBytes(type); }
};

} // namespace tilerig
