// A DMA transfer that is executed slice by slice: each slice is read at one time and written at another.
#pragma once

#include "emulator/Beats/Slices.h"
#include "emulator/Execute/PreparedOp.h"
#include "emulator/Memory/Memories.h"
#include "isa/Instructions/Access.h"

namespace tilerig::emulator {

class TransferBeats {
public:
  // On a dead tile (a defect) a transfer reads nothing and writes zeros.
  TransferBeats(const Instruction &instruction, unsigned tile, const Machine &machine, bool isDead);

  uint64_t size() const { return slices.size(); }

  // Appends the bytes that a slice reads. A slice of a gather first reads its index (appendReads) and then,
  // once the index is known, the row of data with that index (appendRowReads).
  void appendReads(uint64_t slice, AccessList &out) const;
  void appendRowReads(uint64_t slice, Memories &memories, AccessList &out) const;
  void appendWrites(uint64_t slice, AccessList &out) const;

  std::optional<DataFault> read(uint64_t slice, Memories &memories, Scratch &scratch);
  // Writes a slice that has been read. Returns false, and writes nothing, if reading it caused a fault. With `keepsData`, the
  // slice can be written again.
  bool write(uint64_t slice, Memories &memories, Scratch &scratch, bool keepsData);
  // Undoes the reading of a slice.
  void forget(uint64_t slice) { between[slice].clear(); }

private:
  Instruction part(uint64_t slice) const;

  const Instruction &instruction;
  unsigned tile;
  bool isDead;
  Slices slices;
  // Data of each slice that have been read but not yet written.
  std::vector<std::vector<std::byte>> between;
};

} // namespace tilerig::emulator
