// The networks of the benchmarks, which are split over tiles by hand, are correct: outputs and all tensors
// are the same for any number of tiles.
#include "tests/benchmarks/SplitNetwork.h"
#include "emulator/Session.h"
#include "isa/Analyser/Analyser.h"
#include "isa/Numerics/Fp16.h"
#include "tests/support/Random.h"

#include <gtest/gtest.h>

namespace tilerig {
using namespace emulator;
namespace {

struct Run {
  Tensor output;
  TensorMap captured;
};

Result<Run> runOf(const test::Network &network, unsigned tiles, ElementType type, bool literal = false,
                  Observation observation = {}) {
  TILERIG_TRY(const Machine machine, loadMachine("tiny"));
  TILERIG_TRY(Program program, test::splitProgram(network, machine, tiles, type));
  TILERIG_CHECK_OK(prove(program));
  TILERIG_TRY(auto session,
              Session::load(std::move(program),
                            {.threads = 2, .literal = literal, .observation = std::move(observation)}));
  Tensor input(type == ElementType::i8 ? DType::i8 : DType::f16,
               {network.height, network.width, network.channels});
  test::Random random(5);
  if (type == ElementType::i8)
    for (int8_t &x : input.mutableAs<int8_t>())
      x = static_cast<int8_t>(random.between(-128, 127));
  else
    for (Float16 &x : input.mutableAs<Float16>())
      x = {fp16FromFloat(static_cast<float>(random.between(-1000, 1000)) * 0.002f).bits};
  TensorMap inputs;
  TILERIG_CHECK_OK(inputs.add("input", input));
  TILERIG_TRY(TensorMap outputs, session->run(inputs));
  return Run{*outputs.find("output"), session->captured()};
}

class SplitNetworks : public testing::TestWithParam<ElementType> {};

TEST_P(SplitNetworks, GiveTheSameOnOneTileAndOnFour) {
  const test::Network split = test::smallNetwork();
  test::Network whole = split;
  for (test::NetworkLayer &layer : whole.layers)
    layer.split = {};
  auto expected = runOf(whole, 1, GetParam(), true);
  ASSERT_TRUE(expected) << expected.error().message();
  auto got = runOf(split, 4, GetParam(), false);
  ASSERT_TRUE(got) << got.error().message();
  EXPECT_TRUE(identical(got->output, expected->output));
  auto literal = runOf(split, 4, GetParam(), true);
  ASSERT_TRUE(literal) << literal.error().message();
  EXPECT_TRUE(identical(literal->output, expected->output));
  // The comparison would be meaningless if all values saturated or vanished.
  std::set<std::byte> bytes(expected->output.bytes().begin(), expected->output.bytes().end());
  EXPECT_GT(bytes.size(), 10u);

  // Captured tensors of four tiles equal those of one tile, and capturing does not change the outputs.
  auto seenWhole = runOf(whole, 1, GetParam(), true, {.captureAll = true}),
       seenSplit = runOf(split, 4, GetParam(), false, {.captureAll = true});
  ASSERT_TRUE(seenWhole && seenSplit);
  EXPECT_TRUE(identical(seenWhole->output, expected->output));
  EXPECT_TRUE(identical(seenSplit->output, expected->output));
  EXPECT_EQ(seenSplit->captured.size(), split.layers.size() + 1);
  for (const NamedTensor &namedTensor : seenWhole->captured) {
    const Tensor *other = seenSplit->captured.find(namedTensor.name);
    ASSERT_TRUE(other) << namedTensor.name;
    EXPECT_TRUE(identical(*other, namedTensor.tensor)) << namedTensor.name;
    EXPECT_TRUE(std::ranges::any_of(namedTensor.tensor.bytes(), [](std::byte b) {
      return b != std::byte(0);
    })) << namedTensor.name;
  }
}

// A replacement of a layer's output reaches all tiles that read it, including tiles that share a copy.
TEST_P(SplitNetworks, TakeReplacedTensorsOnOneTileAndOnFour) {
  const test::Network split = test::smallNetwork();
  test::Network whole = split;
  for (test::NetworkLayer &layer : whole.layers)
    layer.split = {};
  auto seen = runOf(whole, 1, GetParam(), true, {.captureAll = true});
  ASSERT_TRUE(seen);
  test::Random random(7);
  for (const NamedTensor &namedTensor : seen->captured) {
    if (namedTensor.name == "input" || namedTensor.name == "output")
      continue;
    Tensor other = namedTensor.tensor;
    for (std::byte &byte : other.mutableBytes()) // with bytes below 0x78, fp16 and fp32 are finite
      byte = static_cast<std::byte>(random.below(0x78));
    Observation observation;
    ASSERT_TRUE(observation.replace.add(namedTensor.name, other));
    auto onOne = runOf(whole, 1, GetParam(), true, observation),
         onFour = runOf(split, 4, GetParam(), false, observation);
    ASSERT_TRUE(onOne && onFour);
    EXPECT_TRUE(identical(onFour->output, onOne->output)) << namedTensor.name;
    EXPECT_FALSE(identical(onOne->output, seen->output)) << namedTensor.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, SplitNetworks, testing::Values(ElementType::i8, ElementType::fp16),
                         [](const auto &info) {
                           return std::string(EnumNames<ElementType>::values[size_t(info.param)]);
                         });

} // namespace
} // namespace tilerig
