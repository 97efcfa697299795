// Where the parts of a program file lie. A program has one file, byte for byte, because nothing here is a
// choice: parts follow one another in a fixed order, each at the next multiple of its alignment, with zeros
// between.
//
//   header | instructions, by stage and tile | constants, by address | metadata
//
// Writer and reader walk the same order with the same Layout; the writer notes where a part came to lie, the
// reader refuses a file that says otherwise.
#pragma once

#include "isa/Program/Header.h"

#include <cstdint>
#include <limits>
#include <optional>

namespace tilerig {

inline constexpr uint64_t instructionAlignment = 64;
inline constexpr uint64_t constantAlignment = 4096; // a page: constants are mapped where they lie
inline constexpr uint64_t metadataAlignment = 64;

// What a reader takes on: beyond it a file is refused as not supported before memory is spent on it.
inline constexpr uint64_t mostMetadataBytes = uint64_t{128} << 20;
inline constexpr uint64_t mostMetadataMessages = uint64_t{4} << 20;
inline constexpr uint64_t mostInstructionBytes = uint64_t{256} << 20; // of all tiles and stages together

class Layout {
public:
  // The offset of the next part; nothing if the file would be too long to count its bytes.
  std::optional<uint64_t> place(uint64_t size, uint64_t alignment) {
    constexpr uint64_t most = std::numeric_limits<int64_t>::max();
    uint64_t offset = (placedEnd + alignment - 1) / alignment * alignment;
    if (offset > most || size > most - offset)
      return std::nullopt;
    placedEnd = offset + size;
    return offset;
  }
  // Behind the last part.
  uint64_t end() const { return placedEnd; }

private:
  uint64_t placedEnd = headerBytes; // at most INT64_MAX, so that rounding up cannot overflow
};

} // namespace tilerig
