// Where a part of a tensor lies in memory: its elements are stored in row-major order, without gaps.
#pragma once

#include "compiler/Tile/Ops/Box.h"
#include "isa/Instructions/Operands.h"

namespace tilerig::compiler {

struct View {
  Box box;
  ElementType type = ElementType::fp32;
  uint64_t address = 0; // address of the first element of the box
  Space space = Space::ocm;
  uint8_t tile = 0; // index of the tile whose OCM holds the part, if `space` is remote

  uint64_t strideOf(size_t axis) const { // in bytes
    uint64_t stride = sizeBytes(type);
    for (size_t i = box.rank(); i-- > axis + 1;)
      stride *= static_cast<uint64_t>(box[i].size());
    return stride;
  }
  // Address of the first element of a part of the box.
  uint64_t addressOf(const Box &part) const {
    uint64_t at = address;
    for (size_t i = 0; i < box.rank(); ++i)
      at += static_cast<uint64_t>(part[i].begin - box[i].begin) * strideOf(i);
    return at;
  }
  // The view of a part of the same memory: its address is that of the first element of `part`; its strides
  // stay those of the whole box.
  View at(const Box &part) const {
    View moved = *this;
    moved.address = addressOf(part);
    return moved;
  }
  uint64_t sizeInBytes() const { return box.elements() * sizeBytes(type); }
};

} // namespace tilerig::compiler
