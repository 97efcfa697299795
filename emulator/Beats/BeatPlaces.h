// Operand addresses for execution beat by beat (a beat is one row or slice of an instruction). Each operand
// is read and written exactly where the program says, with one exception: between the read phase and the
// write phase of a transfer, its data lie in a temporary buffer.
#pragma once

#include "emulator/Beats/Slices.h"
#include "emulator/Execute/Prepare.h"
#include "emulator/Memory/Memories.h"

namespace tilerig::emulator {

class BeatPlaces final : public Places {
public:
  // Between the two phases of a transfer, its data lie in a temporary buffer (`bytes`), without gaps between
  // the elements. `between` is the operand's name; it is empty if there is no such buffer. All other operands
  // lie in emulated memory.
  BeatPlaces(Memories &memories, unsigned tile, std::string_view between = {}, std::byte *bytes = nullptr)
      : memories(memories), tile(tile), between(between), bytes(bytes) {}

  View view(std::string_view operand, const Stream &stream, unsigned at) const override {
    if (operand == between)
      return {bytes, stream.type, dense(stream).dims};
    uint64_t end = stream.base + sizeBytes(stream.type);
    for (const Dimension &dim : stream.dims)
      end += uint64_t{dim.size - 1} * dim.stride;
    // The const_cast is safe: a store to constants is reported as a fault and never executed.
    const MemoryId memory = memoryOf(stream, at);
    return {const_cast<std::byte *>(memories.readable(memory, {stream.base, end})), stream.type, stream.dims};
  }
  bool isConstant(std::string_view) const override { return false; }
  // Every accumulator is checked for overflow, even where static analysis has proved that none can occur.
  bool mayOverflow() const override { return true; }
  PackCache &packs() const override { return cache; }
  const std::byte *vector(std::string_view, uint64_t base, uint64_t sizeBytes) const override {
    return memories.readable(ocmOf(tile), {base, base + sizeBytes});
  }

private:
  Memories &memories;
  unsigned tile;
  std::string_view between;
  std::byte *bytes;
  mutable PackCache cache;
};

} // namespace tilerig::emulator
