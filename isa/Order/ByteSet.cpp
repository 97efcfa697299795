#include "isa/Order/ByteSet.h"

#include <bit>

namespace tilerig {

namespace {
// A mask of the bits begin .. end-1 of a word; `end` is at most 64.
uint64_t bitRange(uint64_t begin, uint64_t end) {
  return (~uint64_t{0} << begin) & (~uint64_t{0} >> (64 - end));
}
} // namespace

void ByteSet::fillWord(Chunk &chunk, uint64_t word, uint64_t bits) {
  uint64_t &old = chunk.words[word];
  if (old == ~uint64_t{0})
    return;
  old |= bits;
  const uint64_t block = word / wordsPerBlock;
  if (old == ~uint64_t{0} && ++chunk.fullWords[block] == wordsPerBlock) {
    chunk.fullBlocks[block / 64] |= uint64_t{1} << (block % 64);
    ++chunk.numFullBlocks;
  }
}

void ByteSet::clearWord(Chunk &chunk, uint64_t word, uint64_t bits) {
  uint64_t &old = chunk.words[word];
  if ((old & bits) == 0)
    return;
  const uint64_t block = word / wordsPerBlock;
  if (old == ~uint64_t{0} && chunk.fullWords[block]-- == wordsPerBlock) {
    chunk.fullBlocks[block / 64] &= ~(uint64_t{1} << (block % 64));
    --chunk.numFullBlocks;
  }
  old &= ~bits;
}

void ByteSet::addToSlot(Slot &slot, uint64_t begin, uint64_t end) {
  if (slot.full)
    return;
  slot.full = begin == 0 && end == chunkBytes;
  if (!slot.full) {
    if (!slot.chunk)
      slot.chunk = std::make_unique<Chunk>();
    for (uint64_t at = begin; at < end;) {
      const uint64_t word = at / wordBytes, wordEnd = std::min(end, (word + 1) * wordBytes);
      fillWord(*slot.chunk, word, bitRange(at % wordBytes, wordEnd - word * wordBytes));
      at = wordEnd;
    }
    slot.full = slot.chunk->numFullBlocks == chunkBytes / blockBytes;
  }
  if (slot.full)
    slot.chunk.reset();
}

void ByteSet::removeFromSlot(Slot &slot, uint64_t begin, uint64_t end) {
  if (begin == 0 && end == chunkBytes) {
    slot = {};
    return;
  }
  if (slot.full) {
    slot.full = false;
    slot.chunk = std::make_unique<Chunk>();
    slot.chunk->words.fill(~uint64_t{0});
    slot.chunk->fullBlocks.fill(~uint64_t{0});
    slot.chunk->fullWords.fill(wordsPerBlock);
    slot.chunk->numFullBlocks = chunkBytes / blockBytes;
  }
  for (uint64_t at = begin; slot.chunk && at < end;) {
    const uint64_t word = at / wordBytes, wordEnd = std::min(end, (word + 1) * wordBytes);
    clearWord(*slot.chunk, word, bitRange(at % wordBytes, wordEnd - word * wordBytes));
    at = wordEnd;
  }
}

void ByteSet::add(ByteRange range) {
  if (range.begin >= range.end)
    return;
  if (slots.size() <= (range.end - 1) / chunkBytes)
    slots.resize((range.end - 1) / chunkBytes + 1);
  for (uint64_t at = range.begin; at < range.end;) {
    const uint64_t chunk = at / chunkBytes, end = std::min(range.end, (chunk + 1) * chunkBytes);
    addToSlot(slots[chunk], at - chunk * chunkBytes, end - chunk * chunkBytes);
    at = end;
  }
}

void ByteSet::add(const Region &region) {
  if (fullBlocks(region.bounds()))
    return;
  forEachRun(region, [&](ByteRange run) {
    add(run);
    return true;
  });
}

void ByteSet::remove(const Region &region) {
  forEachRun(region, [&](ByteRange run) {
    for (uint64_t at = run.begin; at < run.end && at / chunkBytes < slots.size();) {
      const uint64_t chunk = at / chunkBytes, end = std::min(run.end, (chunk + 1) * chunkBytes);
      removeFromSlot(slots[chunk], at - chunk * chunkBytes, end - chunk * chunkBytes);
      at = end;
    }
    return true;
  });
}

// Whether the set contains all bytes of all 4 KiB blocks that the range touches.
bool ByteSet::fullBlocks(ByteRange range) const {
  for (uint64_t block = range.begin / blockBytes; block <= (range.end - 1) / blockBytes;) {
    const uint64_t chunk = block * blockBytes / chunkBytes;
    if (chunk >= slots.size())
      return false;
    if (slots[chunk].full) {
      block = (chunk + 1) * (chunkBytes / blockBytes);
      continue;
    }
    const uint64_t within = block % (chunkBytes / blockBytes);
    if (!slots[chunk].chunk || !(slots[chunk].chunk->fullBlocks[within / 64] >> (within % 64) & 1))
      return false;
    ++block;
  }
  return true;
}

uint64_t ByteSet::wordAt(uint64_t word) const {
  const uint64_t chunk = word / (chunkBytes / wordBytes);
  if (chunk >= slots.size())
    return 0;
  const Slot &slot = slots[chunk];
  return slot.full ? ~uint64_t{0} : slot.chunk ? slot.chunk->words[word % (chunkBytes / wordBytes)] : 0;
}

uint64_t ByteSet::firstClear(uint64_t begin, uint64_t end) const {
  for (uint64_t at = begin; at < end;) {
    if (at % blockBytes == 0 && at + blockBytes <= end && fullBlocks({at, at + blockBytes})) {
      at += blockBytes;
      continue;
    }
    const uint64_t clear = ~wordAt(at / wordBytes) >> (at % wordBytes);
    if (clear != 0)
      return std::min(end, at + std::countr_zero(clear));
    at = (at / wordBytes + 1) * wordBytes;
  }
  return end;
}

uint64_t ByteSet::firstSet(uint64_t begin, uint64_t end) const {
  for (uint64_t at = begin; at < end; at = (at / wordBytes + 1) * wordBytes)
    if (const uint64_t set = wordAt(at / wordBytes) >> (at % wordBytes); set != 0)
      return std::min(end, at + std::countr_zero(set));
  return end;
}

std::optional<ByteRange> ByteSet::firstMissing(ByteRange range) const {
  const uint64_t begin = firstClear(range.begin, range.end);
  if (begin == range.end)
    return std::nullopt;
  return ByteRange{begin, firstSet(begin, range.end)};
}

std::optional<ByteRange> ByteSet::firstMissing(const Region &region) const {
  std::optional<ByteRange> missing;
  if (!fullBlocks(region.bounds()))
    forEachRun(region, [&](ByteRange run) {
      missing = firstMissing(run);
      return !missing;
    });
  return missing;
}

} // namespace tilerig
