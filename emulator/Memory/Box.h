// Boxes: rectangular parts of a tensor that lie in one memory, such as the pieces that the metadata list.
#pragma once

#include "emulator/Memory/Memories.h"
#include "isa/Base/Tensor/StridedCopy.h"
#include "isa/Base/Tensor/Tensor.h"

namespace tilerig::emulator {

// The elements begin ... begin + extent - 1 (by dimension) of a tensor, which are stored in `memory` from
// `address` on, with strides in bytes.
struct Box {
  MemoryId memory = ddrMemory;
  uint64_t address = 0;
  std::vector<int64_t> begin, extent;
  std::vector<uint64_t> stride;
  // Index of the instruction before which the box is complete (proto::Piece::ready_at); 0: it is complete at
  // the end of the layer.
  uint32_t readyAt = 0;
};

Box boxOf(const proto::Piece &piece);
int64_t elementsOf(const Box &box);
// The bytes of memory that the elements of the box occupy, as disjoint regions.
std::vector<Region> regionsOf(const Box &box, unsigned elementBytes);

// Disjoint boxes that cover the elements of all pieces of a tensor; an element that is stored in several
// pieces is taken from the first.
std::vector<Box> disjointBoxes(const proto::Tensor &placement);

// Prepares the copy of a box from its memory into the dense tensor `stored` (gathering), or back
// (scattering). The copy keeps pointers to both: it can be run as long as neither is moved to another
// address.
StridedCopy gathering(const Box &box, Tensor &stored, Memories &memories);
StridedCopy scattering(const Box &box, const Tensor &stored, Memories &memories);

} // namespace tilerig::emulator
