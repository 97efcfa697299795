#include "tests/fuzz/Mutate.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>

namespace tilerig::fuzz {

// Integers at which computations of sizes, signs and table indices tend to go wrong.
static constexpr std::array<uint64_t, 24> interesting = {
    0,      1,      2,       7,          8,          15,         16,        63,
    64,     127,    128,     255,        256,        4095,       4096,      0x7FFF,
    0x8000, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, INT64_MAX, UINT64_MAX};

static uint64_t pickNumber(Random &random) {
  uint64_t number = interesting[random.below(interesting.size())];
  switch (random.below(4)) {
  case 0:
    return number + 1 + random.below(16);
  case 1:
    return number - 1 - random.below(16);
  default:
    return number;
  }
}

static void flipBit(Bytes &bytes, Random &random) {
  if (!bytes.empty())
    bytes[random.below(bytes.size())] ^= static_cast<uint8_t>(1 << random.below(8));
}

static void setByte(Bytes &bytes, Random &random) {
  if (!bytes.empty())
    bytes[random.below(bytes.size())] = static_cast<uint8_t>(random.next());
}

// Overwrites 1, 2, 4 or 8 bytes of the input by a random number, in either byte order.
static void setInteger(Bytes &bytes, Random &random) {
  size_t width = size_t{1} << random.below(4);
  if (bytes.size() < width)
    return;
  uint64_t number = pickNumber(random);
  std::array<uint8_t, 8> raw;
  std::memcpy(raw.data(), &number, sizeof number);
  if (random.below(4) == 0)
    std::reverse(raw.begin(), raw.begin() + width);
  std::copy_n(raw.begin(), width, bytes.begin() + random.below(bytes.size() - width + 1));
}

// Adds a small number to a byte or a 32-bit word of the input, or subtracts it: off-by-one sizes and offsets.
static void nudge(Bytes &bytes, Random &random) {
  size_t width = random.below(2) ? 1 : 4;
  if (bytes.size() < width)
    return;
  uint8_t *at = bytes.data() + random.below(bytes.size() - width + 1);
  uint32_t number = 0;
  std::memcpy(&number, at, width);
  number += static_cast<uint32_t>(random.below(33)) - 16;
  std::memcpy(at, &number, width);
}

// Replaces one decimal number of a text by another one.
static void setDecimal(Bytes &bytes, Random &random) {
  auto isDigit = [](uint8_t byte) { return byte >= '0' && byte <= '9'; };
  auto begin = std::find_if(bytes.begin() + random.below(bytes.size()), bytes.end(), isDigit);
  if (begin == bytes.end())
    return;
  auto end = std::find_if_not(begin, bytes.end(), isDigit);
  uint64_t number = pickNumber(random);
  std::string text = random.below(2) ? std::to_string(number) : std::to_string(static_cast<int64_t>(number));
  size_t at = begin - bytes.begin();
  bytes.erase(begin, end);
  bytes.insert(bytes.begin() + at, text.begin(), text.end());
}

static void truncate(Bytes &bytes, Random &random) { bytes.resize(random.below(bytes.size() + 1)); }

// A random range of the input's bytes; short ranges are more likely.
struct Range {
  size_t begin, length;
};
static Range pickRange(const Bytes &bytes, Random &random) {
  size_t begin = random.below(bytes.size() + 1);
  size_t longest = std::min(bytes.size() - begin, size_t{1} << random.below(12));
  return {begin, random.below(longest + 1)};
}

static void erase(Bytes &bytes, Random &random) {
  auto [begin, length] = pickRange(bytes, random);
  bytes.erase(bytes.begin() + begin, bytes.begin() + begin + length);
}

static void insertNoise(Bytes &bytes, Random &random) {
  Bytes noise(1 + random.below(16));
  bool repeated = random.below(2);
  auto fill = static_cast<uint8_t>(random.next());
  for (uint8_t &byte : noise)
    byte = repeated ? fill : static_cast<uint8_t>(random.next());
  bytes.insert(bytes.begin() + random.below(bytes.size() + 1), noise.begin(), noise.end());
}

// Inserts a copy of a part of the input elsewhere, which duplicates fields, entries or lines.
static void repeat(Bytes &bytes, Random &random) {
  auto [begin, length] = pickRange(bytes, random);
  Bytes part(bytes.begin() + begin, bytes.begin() + begin + length);
  bytes.insert(bytes.begin() + random.below(bytes.size() + 1), part.begin(), part.end());
}

// Overwrites a part of the input by a part of another input, or inserts that part.
static void splice(Bytes &bytes, const Bytes &other, Random &random) {
  auto [begin, length] = pickRange(other, random);
  size_t at = random.below(bytes.size() + 1);
  if (random.below(2)) {
    bytes.insert(bytes.begin() + at, other.begin() + begin, other.begin() + begin + length);
  } else {
    length = std::min(length, bytes.size() - at);
    std::copy_n(other.begin() + begin, length, bytes.begin() + at);
  }
}

static void mutateOnce(Bytes &bytes, const std::vector<Bytes> &corpus, Random &random) {
  switch (random.below(14)) {
  case 0:
  case 1:
    return flipBit(bytes, random);
  case 2:
  case 3:
    return setByte(bytes, random);
  case 4:
  case 5:
    return setInteger(bytes, random);
  case 6:
    return nudge(bytes, random);
  case 7:
  case 8:
    return setDecimal(bytes, random);
  case 9:
    return truncate(bytes, random);
  case 10:
    return erase(bytes, random);
  case 11:
    return insertNoise(bytes, random);
  case 12:
    return repeat(bytes, random);
  default:
    if (!corpus.empty())
      splice(bytes, corpus[random.below(corpus.size())], random);
  }
}

Bytes mutate(const std::vector<Bytes> &corpus, Random &random, size_t limit) {
  Bytes bytes = corpus.empty() ? Bytes(random.below(64)) : corpus[random.below(corpus.size())];
  // Half of the inputs get a single change, because inputs with few changes get furthest in a parser.
  int changes = 1 + std::countr_zero(random.next() | 16) +
                (random.below(8) == 0 ? static_cast<int>(random.below(11)) : 0);
  for (int change = 0; change < changes; ++change)
    mutateOnce(bytes, corpus, random);
  if (bytes.size() > limit)
    bytes.resize(limit);
  return bytes;
}

} // namespace tilerig::fuzz
