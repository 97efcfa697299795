#include "isa/Base/Support/Hash.h"

#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace tilerig {

// The byte sequence of xxHash's own sanity check.
static std::vector<std::byte> sanityBuffer(size_t length) {
  std::vector<std::byte> bytes(length);
  uint64_t generator = 2654435761;
  for (std::byte &byte : bytes) {
    byte = static_cast<std::byte>(generator >> 56);
    generator *= 11400714785074694797u;
  }
  return bytes;
}

// The hash equals xxHash's published values (xsum_sanity_check.c and sanity_test_vectors.h). Each length
// tests one path of the function: empty, tails of 1, 4, 8 and mixed bytes, whole stripes of 32, and stripes
// with every tail.
TEST(Hash, MatchesThePublishedVectors) {
  const std::pair<size_t, uint64_t> vectors[] = {
      {0, 0xEF46DB3751D8E999},   {1, 0xE934A84ADB052768},   {4, 0x9136A0DCA57457EE},
      {7, 0x6C83909A9F01ED25},   {8, 0xCDBCF538E71D1348},   {9, 0x554B1AE991EDA6B6},
      {12, 0x0723BF50086EAD9A},  {14, 0x8282DCC4994E35C8},  {15, 0x180719316D622D84},
      {16, 0x98C90B57FDFCB55C},  {20, 0x5F8C68355769439E},  {32, 0x18B216492BB44B70},
      {33, 0x55C8DC3E578F5B59},  {100, 0x4BFE019CD91D9EA4}, {222, 0xB641AE8CB691C174},
      {512, 0x4358D2FDD62B58A7}, {2367, 0xA82418DDEC0EA581}};
  for (auto [length, expected] : vectors)
    EXPECT_EQ(hashBytes(sanityBuffer(length)), expected) << length << " bytes";
}

TEST(Hash, OfTextIsThatOfItsBytes) {
  EXPECT_EQ(hashText(""), 0xEF46DB3751D8E999);
  EXPECT_EQ(hashText("a"), 0xD24EC4F1A98C6E5B);
  EXPECT_EQ(hashText("abc"), 0x44BC2CF5AD770999);
  EXPECT_EQ(hashText("Hello, world!"), 0xF58336A78B6F9476);
}

TEST(Hash, DoesNotReadAligned) {
  auto bytes = sanityBuffer(223);
  std::vector<std::byte> shifted(bytes.begin(), bytes.end() - 1);
  shifted.insert(shifted.begin(), std::byte{0});
  EXPECT_EQ(hashBytes(std::span(shifted).subspan(1)), 0xB641AE8CB691C174);
}

TEST(Hash, CombinationsDependOnOrderAndBothParts) {
  uint64_t a = hashText("a"), b = hashText("b");
  EXPECT_NE(combineHashes(a, b), combineHashes(b, a));
  EXPECT_NE(combineHashes(a, b), combineHashes(a, a));
  // Files store hashes that combine two hashes. So the combination is fixed: XXH64 of the two 64-bit words in
  // little-endian order.
  std::vector<std::byte> words(16);
  std::memcpy(words.data(), &a, 8);
  std::memcpy(words.data() + 8, &b, 8);
  EXPECT_EQ(combineHashes(a, b), hashBytes(words));
}

} // namespace tilerig
