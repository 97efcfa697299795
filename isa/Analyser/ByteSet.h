// A set of bytes of one memory: which of them have been written.
//
// One bit for each byte, in chunks that exist only where something is, and a chunk that is full needs no
// bits. Beside the bits stands which blocks of 4 KiB are full, so that asking for what was written long ago,
// which is nearly always the question, costs a look at a few words however large or fragmented the region is.
#pragma once

#include "isa/Instructions/Region.h"

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace tilerig {

class ByteSet {
public:
  void add(ByteRange range);
  void add(const Region &region);
  void remove(const Region &region);
  bool contains(ByteRange range) const { return !firstMissing(range); }
  // The lowest bytes of the range that are not in the set, as far as they are contiguous.
  std::optional<ByteRange> firstMissing(ByteRange range) const;
  // The same for a region: within one of its runs.
  std::optional<ByteRange> firstMissing(const Region &region) const;

private:
  static constexpr uint64_t chunkBytes = uint64_t{1} << 20, blockBytes = 4096, wordBytes = 64;
  static constexpr uint64_t wordsPerBlock = blockBytes / wordBytes;

  struct Chunk {
    std::array<uint64_t, chunkBytes / wordBytes> words{};
    std::array<uint64_t, chunkBytes / blockBytes / 64> fullBlocks{};
    std::array<uint16_t, chunkBytes / blockBytes> fullWords{}; // of each block
    uint32_t numFullBlocks = 0;
  };
  struct Slot {
    std::unique_ptr<Chunk> chunk; // absent: empty, or full
    bool full = false;
  };

  void addToSlot(Slot &slot, uint64_t begin, uint64_t end);
  void removeFromSlot(Slot &slot, uint64_t begin, uint64_t end);
  static void fillWord(Chunk &chunk, uint64_t word, uint64_t bits);
  static void clearWord(Chunk &chunk, uint64_t word, uint64_t bits);
  bool fullBlocks(ByteRange range) const;
  uint64_t firstClear(uint64_t begin, uint64_t end) const;
  uint64_t firstSet(uint64_t begin, uint64_t end) const;
  uint64_t wordAt(uint64_t word) const;

  std::vector<Slot> slots;
};

} // namespace tilerig
