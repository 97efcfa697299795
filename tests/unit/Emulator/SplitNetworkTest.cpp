// The networks that benchmarks run are split rightly: however many tiles share the work, the outputs are the
// same.
#include "tests/benchmarks/SplitNetwork.h"
#include "emulator/Session.h"
#include "isa/Analyser/Analyser.h"
#include "isa/Numerics/Fp16.h"
#include "tests/support/Random.h"

#include <gtest/gtest.h>

namespace tilerig {
namespace {

Result<Tensor> outputOf(const test::Network &network, unsigned tiles, ElementType type,
                        bool literal = false) {
  TRY(const Machine machine, loadMachine("tiny"));
  TRY(Program program, test::splitProgram(network, machine, tiles, type));
  CHECK_OK(prove(program));
  TRY(auto session, Session::load(std::move(program), {.threads = 2, .literal = literal}));
  Tensor input(type == ElementType::i8 ? DType::i8 : DType::f16,
               {network.height, network.width, network.channels});
  test::Random random(5);
  if (type == ElementType::i8)
    for (int8_t &x : input.mutableAs<int8_t>())
      x = static_cast<int8_t>(random.between(-128, 127));
  else
    for (Fp16 &x : input.mutableAs<Fp16>())
      x = fp16FromFloat(static_cast<float>(random.between(-1000, 1000)) * 0.002f);
  TensorMap inputs;
  CHECK_OK(inputs.add("input", input));
  TRY(TensorMap outputs, session->run(inputs));
  return *outputs.find("output");
}

class SplitNetworks : public testing::TestWithParam<ElementType> {};

TEST_P(SplitNetworks, GiveTheSameOnOneTileAndOnFour) {
  const test::Network split = test::smallNetwork();
  test::Network whole = split;
  for (test::NetworkLayer &layer : whole.layers)
    layer.split = {};
  auto expected = outputOf(whole, 1, GetParam(), true);
  ASSERT_TRUE(expected) << expected.error().message();
  auto got = outputOf(split, 4, GetParam());
  ASSERT_TRUE(got) << got.error().message();
  EXPECT_TRUE(identical(*got, *expected));
  auto literal = outputOf(split, 4, GetParam(), true);
  ASSERT_TRUE(literal) << literal.error().message();
  EXPECT_TRUE(identical(*literal, *expected));
  // Values that all saturate or vanish would agree too.
  std::set<std::byte> bytes(expected->bytes().begin(), expected->bytes().end());
  EXPECT_GT(bytes.size(), 10u);
}

INSTANTIATE_TEST_SUITE_P(Types, SplitNetworks, testing::Values(ElementType::i8, ElementType::fp16),
                         [](const auto &info) {
                           return std::string(EnumNames<ElementType>::values[size_t(info.param)]);
                         });

} // namespace
} // namespace tilerig
