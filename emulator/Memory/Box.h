// Boxes of a tensor in a memory: pieces of the metadata, and parts of them.
#pragma once

#include "emulator/Memory/Memories.h"
#include "isa/Tensor/StridedCopy.h"
#include "isa/Tensor/Tensor.h"

namespace tilerig {

// The compiler has a Box, a View and a Work of its own; in a program of both, the linker has to tell them
// apart.
inline namespace emulated {

// Elements begin ... begin + extent - 1 of the tensor, `stride` bytes apart in memory, from `address` on.
struct Box {
  MemoryId memory = ddrMemory;
  uint64_t address = 0;
  std::vector<int64_t> begin, extent;
  std::vector<uint64_t> stride;
  uint32_t readyAt = 0; // as of the piece
};

} // namespace emulated

Box boxOf(const proto::Piece &piece);
int64_t elementsOf(const Box &box);
// The bytes of the box, as regions that share none.
std::vector<Region> regionsOf(const Box &box, unsigned elementBytes);

// Boxes that hold every element once that lies in one of the pieces: of several copies the first.
std::vector<Box> disjointBoxes(const proto::Tensor &placement);

// From the memory into a dense tensor of the elements as they are stored, and back. The copies stay valid
// while memories and tensor stay where they are.
StridedCopy gathering(const Box &box, Tensor &stored, Memories &memories);
StridedCopy scattering(const Box &box, const Tensor &stored, Memories &memories);

} // namespace tilerig
