// A transfer that goes by beats: each slice is taken in at one time and put out at another.
#pragma once

#include "emulator/Beats/Slices.h"
#include "emulator/Execute/Work.h"
#include "emulator/Memory/Memories.h"
#include "isa/Instructions/Access.h"

namespace tilerig {

class TransferBeats {
public:
  // Of a dead tile nothing is read, and zeros are written.
  TransferBeats(const Instruction &instruction, unsigned tile, const Machine &machine, bool isDead);

  uint64_t size() const { return slices.size(); }

  // What a slice reads. Of a gather that is first the index, and when that is there, the row.
  void appendReads(uint64_t slice, AccessList &out) const;
  void appendRowReads(uint64_t slice, Memories &memories, AccessList &out) const;
  void appendWrites(uint64_t slice, AccessList &out) const;

  std::optional<DataFault> read(uint64_t slice, Memories &memories, Scratch &scratch);
  // After its reading; one that met with a fault there writes nothing, and is false.
  bool write(uint64_t slice, Memories &memories, Scratch &scratch);

private:
  Instruction part(uint64_t slice) const;

  const Instruction &instruction;
  unsigned tile;
  bool isDead;
  Slices slices;
  std::vector<std::vector<std::byte>> between; // by slice
};

} // namespace tilerig
