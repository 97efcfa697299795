// Property test of generator, checker and codec over a million random instructions: all are legal and survive
// encoding and decoding.

#include "isa/Instructions/Check.h"
#include "isa/Instructions/Codec.h"
#include "tests/support/Effort.h"
#include "tests/support/RandomInstruction.h"
#include "tests/support/Samples.h"

#include <gtest/gtest.h>

namespace tilerig {
namespace {

constexpr uint64_t numRounds = test::rounds(1'000'000);

TEST(RandomInstructions, AreLegalAndSurviveEncoding) {
  test::Random random(2024);
  Machine machine = samples::machine();
  std::array<unsigned, std::variant_size_v<Instruction>> counts{};
  std::vector<std::byte> bytes;
  for (uint64_t round = 0; round < numRounds; ++round) {
    machine.tile.ocmBytes = random.pick({64 << 10, 1 << 20});
    const auto tiles = static_cast<unsigned>(1 + random.below(64)),
               tile = static_cast<unsigned>(random.below(tiles));
    const Instruction instruction = test::randomInstruction(random, {machine, tile, tiles});
    ++counts[instruction.index()];

    const Status status = checkInstruction(instruction, machine, tile, tiles);
    ASSERT_TRUE(status) << "round " << round << ": " << status.error().message();
    bytes.clear();
    encode(instruction, bytes);
    std::span<const std::byte> cursor(bytes);
    const auto result = decode(cursor);
    ASSERT_TRUE(result) << "round " << round << ": " << result.error().message();
    ASSERT_EQ(*result, instruction) << "round " << round;
    ASSERT_TRUE(cursor.empty());
  }
  for (unsigned count : counts)
    EXPECT_GT(count, numRounds / std::size(counts) / 2);
}

// An instruction with one random bit flipped is refused or is another valid instruction; the checker copes
// with any field values.
TEST(RandomInstructions, AreCheckedWhateverTheirBits) {
  test::Random random(11);
  const Machine machine = samples::machine();
  unsigned refused = 0, decodedButRefused = 0;
  for (uint64_t round = 0; round < numRounds / 4; ++round) {
    std::vector<std::byte> bytes;
    encode(test::randomInstruction(random, {machine, 1, 4}), bytes);
    for (uint64_t flips = 1 + random.below(4); flips-- > 0;)
      bytes[random.below(bytes.size())] ^= std::byte{static_cast<unsigned char>(1u << random.below(8))};
    std::span<const std::byte> cursor(bytes);
    const auto result = decode(cursor);
    refused += !result;
    if (result) {
      const Status status = checkInstruction(*result, machine, 1, 4);
      decodedButRefused += !status;
      if (!status) {
        EXPECT_EQ(status.error().kind, ErrorKind::invalidInput) << status.error().message();
        EXPECT_EQ(status.error().place.rfind(mnemonicOf(*result), 0), 0u) << status.error().message();
      }
    }
  }
  EXPECT_GT(refused, numRounds / 100);
  EXPECT_GT(decodedButRefused, numRounds / 100);
}

} // namespace
} // namespace tilerig
