// The layout of a program file: where each part lies. The program alone determines the layout, so each
// program has exactly one file, byte for byte (and one without its run plan). The parts follow each other in a
// fixed order, each at the next multiple of its alignment, with zeros between.
//
//   header | instructions, by stage and tile | constants, by address | run plan, if there is one | metadata
//
// The writer and the reader go through the parts in the same order with the same Layout. The writer records
// the offset of each part; the reader refuses a file with other offsets.
#pragma once

#include "isa/Program/Header.h"

#include <cstdint>
#include <limits>
#include <optional>

namespace tilerig {

inline constexpr uint64_t instructionAlignment = 64;
inline constexpr uint64_t constantAlignment = 4096; // size of a memory page, so that constants can be mapped
inline constexpr uint64_t runPlanAlignment = 64;
inline constexpr uint64_t metadataAlignment = 64;

// Limits on the parts of a program file. The reader refuses a file that exceeds one of them, before it
// allocates memory for it.
inline constexpr uint64_t mostMetadataBytes = uint64_t{128} << 20;
inline constexpr uint64_t mostMetadataMessages = uint64_t{4} << 20;
// limit on the size of the instructions of all tiles together
inline constexpr uint64_t mostInstructionBytes = uint64_t{256} << 20;

class Layout {
public:
  // Reserves space for the next part of the file and returns its offset; nullopt if the file's size would
  // exceed INT64_MAX.
  std::optional<uint64_t> place(uint64_t size, uint64_t alignment) {
    constexpr uint64_t most = std::numeric_limits<int64_t>::max();
    uint64_t offset = (placedEnd + alignment - 1) / alignment * alignment;
    if (offset > most || size > most - offset)
      return std::nullopt;
    placedEnd = offset + size;
    return offset;
  }
  // The offset in the file at which the last part ends.
  uint64_t end() const { return placedEnd; }

private:
  // Offset at which the last part ends. At most INT64_MAX, so rounding it up to the next alignment does not
  // overflow 64 bits.
  uint64_t placedEnd = headerBytes;
};

} // namespace tilerig
