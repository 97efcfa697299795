// Memory access analysis: the exact bytes that an instruction reads and writes.
//
// The result depends on the instruction alone, because programs do not branch and addresses are constants. A
// stream touches the bytes that its dimensions describe. Convolution, pooling, flattening and resizing touch
// the rows and columns that at least one window reaches, and no padding. A gather counts as reading all of
// its source. A multicast writes in every tile of its set. The analyser and the emulator rely on these rules.
#pragma once

#include "isa/Instructions/Instruction.h"
#include "isa/Instructions/Region.h"

#include <string_view>
#include <vector>

namespace tilerig {

// All memories of a machine under one numbering: 0 is DDR, tile + 1 is the OCM (on-chip memory) of a tile.
using MemoryId = uint32_t;
inline constexpr MemoryId ddrMemory = 0;
constexpr MemoryId ocmOf(unsigned tile) { return tile + 1; }
constexpr unsigned tileOf(MemoryId ocm) { return ocm - 1; }
// The memory that a stream addresses in an instruction of `tile`.
constexpr MemoryId memoryOf(const Stream &stream, unsigned tile) {
  return stream.space == Space::ddr ? ddrMemory : ocmOf(stream.space == Space::remote ? stream.tile : tile);
}

// A DMA engine reads in its read phase and writes in its write phase; the POD (matrix engine) and the PE
// (vector engine) may read and write at any time between the start and the finish of an instruction.
enum class AccessKind : uint8_t { read, write };

// Bytes that one operand reads or writes in one memory. An operand may need several accesses: one for each
// rectangle of pixels that the windows reach, or one for each tile of a multicast. The regions that one
// instruction writes are disjoint.
struct Access {
  MemoryId memory = ddrMemory;
  AccessKind kind = AccessKind::read;
  std::string_view operand; // path of the field that states the operand, e.g. "epilogue.bias"
  Region region;
};
using AccessList = std::vector<Access>;

// Appends to `out` the accesses of an instruction of `tile`, in the order of the instruction's fields. The
// instruction must have passed checkInstruction.
void appendAccesses(const Instruction &instruction, unsigned tile, AccessList &out);

inline AccessList writesOf(const Instruction &instruction, unsigned tile) {
  AccessList accesses;
  appendAccesses(instruction, tile, accesses);
  std::erase_if(accesses, [](const Access &access) { return access.kind != AccessKind::write; });
  return accesses;
}

} // namespace tilerig
