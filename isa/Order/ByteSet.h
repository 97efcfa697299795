// A set of bytes of one memory as a chunked bitmap; the analyser records in it which bytes have been written.
//
// One bit per byte, in chunks of 1 MiB that are allocated on demand; a completely full chunk needs no bits. A
// second bitmap records which blocks of 4 KiB are full. Most queries are about bytes that were written long
// ago, and this bitmap answers them by reading a few words, however large or fragmented the region is.
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
  // The first contiguous range of bytes within `range` that are not in the set; nullopt if all are.
  std::optional<ByteRange> firstMissing(ByteRange range) const;
  // The first missing range in a region; it lies within one of the region's runs. nullopt if nothing is
  // missing.
  std::optional<ByteRange> firstMissing(const Region &region) const;

private:
  static constexpr uint64_t chunkBytes = uint64_t{1} << 20, blockBytes = 4096, wordBytes = 64;
  static constexpr uint64_t wordsPerBlock = blockBytes / wordBytes;

  struct Chunk {
    std::array<uint64_t, chunkBytes / wordBytes> words{};
    std::array<uint64_t, chunkBytes / blockBytes / 64> fullBlocks{};
    // For each block of 4 KiB: number of words of the bitmap whose 64 bits are all set.
    std::array<uint16_t, chunkBytes / blockBytes> fullWords{};
    uint32_t numFullBlocks = 0;
  };
  struct Slot {
    // One bit for each byte of a chunk; null if the bits are all 0 or all 1.
    std::unique_ptr<Chunk> chunk;
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
