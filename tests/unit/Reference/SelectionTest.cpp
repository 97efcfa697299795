// Tests of Cast, indexing, padding, selection, softmax and losses: values worked out by hand, and the refusal
// of invalid operands.
#include "tests/unit/Reference/SingleOp.h"

#include <gtest/gtest.h>
#include <limits>

namespace tilerig::reference {
namespace {

void expectResult(const SingleOp &node, std::vector<Tensor> inputs, const Tensor &expected) {
  auto result = node.run(std::move(inputs));
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_TRUE(identical((*result)[0], expected));
}

Tensor ints(Shape shape, std::initializer_list<int64_t> elements) {
  return Tensor::of<int64_t>(std::move(shape), elements);
}

SingleOp castTo(DType type) { return {"Cast", {{"to", int64_t{onnxNumber(type)}}}}; }

const Tensor matrix = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});

TEST(Cast, DoubleToHalfRoundsOnce) {
  // 1 + 2^-11 is a tie in float16; a tiny amount above it must not be lost by rounding to float32 first.
  Tensor tie = Tensor::of<double>({2}, {1 + 0x1p-11, 1 + 0x1p-11 + 0x1p-40});
  expectResult(castTo(DType::f16), {tie}, Tensor::of<Float16>({2}, {{0x3C00}, {0x3C01}}));
  Tensor integer =
      ints({2}, {(int64_t{1} << 40) + (int64_t{1} << 32), (int64_t{1} << 40) + (int64_t{1} << 32) + 1});
  expectResult(castTo(DType::bf16), {integer}, Tensor::of<BFloat16>({2}, {{0x5380}, {0x5381}}));
}

TEST(Cast, FloatsToIntegersStayInside) {
  Tensor floats =
      Tensor::of<float>({5}, {-1.9f, 1e9f, -1e9f, std::numeric_limits<float>::quiet_NaN(), 127.5f});
  expectResult(castTo(DType::i8), {floats}, Tensor::of<int8_t>({5}, {-1, 127, -128, 0, 127}));
  expectResult(castTo(DType::u8), {Tensor::scalar(300)}, Tensor::scalar(uint8_t{44}));
}

TEST(Cast, RefusesComplexNumbersAndUnknownTypes) {
  EXPECT_FALSE(castTo(DType::c64).run({matrix}));
  SingleOp strange{"Cast", {{"to", int64_t{8}}}};
  EXPECT_FALSE(strange.run({matrix}));
}

TEST(Gather, CountsFromTheEnd) {
  SingleOp node{"Gather", {{"axis", int64_t{1}}}};
  expectResult(node, {matrix, ints({2}, {-1, 0})}, Tensor::of<float>({2, 2}, {3, 1, 6, 4}));
}

TEST(Gather, RefusesPlacesOutside) {
  EXPECT_FALSE(SingleOp{"Gather"}.run({matrix, ints({1}, {2})}));
  EXPECT_FALSE(SingleOp{"Gather"}.run({matrix, ints({1}, {-3})}));
  EXPECT_FALSE(SingleOp{"GatherND"}.run({matrix, ints({1, 2}, {1, 3})}));
  EXPECT_FALSE(SingleOp{"GatherElements"}.run({matrix, ints({1, 4}, {0, 0, 0, 0})}));
}

TEST(Scatter, RepeatedIndicesAccumulate) {
  SingleOp node{"ScatterElements", {{"reduction", std::string("add")}}};
  expectResult(node,
               {Tensor::of<float>({2}, {1, 2}), ints({3}, {0, 0, 1}), Tensor::of<float>({3}, {10, 20, 30})},
               Tensor::of<float>({2}, {31, 32}));
  node.op = "ScatterND";
  node.attributes["reduction"] = std::string("max");
  expectResult(node, {matrix, ints({2, 1}, {1, 1}), Tensor::of<float>({2, 3}, {0, 9, 0, 7, 8, 0})},
               Tensor::of<float>({2, 3}, {1, 2, 3, 7, 9, 6}));
}

TEST(Scatter, RefusesUpdatesThatDoNotFit) {
  SingleOp node{"ScatterND"};
  EXPECT_FALSE(node.run({matrix, ints({1, 1}, {0}), Tensor::of<float>({1, 2}, {0, 0})}));
  EXPECT_FALSE(node.run({matrix, ints({1, 1}, {2}), Tensor::of<float>({1, 3}, {0, 0, 0})}));
  node.attributes["reduction"] = std::string("mean");
  EXPECT_FALSE(node.run({matrix, ints({1, 1}, {0}), Tensor::of<float>({1, 3}, {0, 0, 0})}));
}

TEST(Pad, NegativePadsCut) {
  Tensor pads = ints({4}, {0, 1, 0, -1}), list = Tensor::of<float>({1, 3}, {1, 2, 3});
  expectResult({"Pad"}, {list, pads}, Tensor::of<float>({1, 3}, {0, 1, 2}));
  SingleOp reflect{"Pad", {{"mode", std::string("reflect")}}};
  expectResult(reflect, {list, ints({4}, {0, 2, 0, 1})}, Tensor::of<float>({1, 6}, {3, 2, 1, 2, 3, 2}));
  SingleOp wrap{"Pad", {{"mode", std::string("wrap")}}};
  expectResult(wrap, {list, ints({4}, {0, 1, 0, 2})}, Tensor::of<float>({1, 6}, {3, 1, 2, 3, 1, 2}));
}

TEST(Pad, RefusesWhatIsImpossible) {
  constexpr int64_t huge = std::numeric_limits<int64_t>::max();
  EXPECT_FALSE(SingleOp{"Pad"}.run({matrix, ints({3}, {0, 0, 0})}));
  EXPECT_FALSE(SingleOp{"Pad"}.run({matrix, ints({4}, {0, huge, 0, huge})}));
  EXPECT_FALSE(SingleOp{"Pad"}.run({matrix, ints({4}, {0, -2, 0, -2})}));
  EXPECT_FALSE(SingleOp{"Pad"}.run({matrix, ints({4}, {std::numeric_limits<int64_t>::min(), 0, 0, 0})}));
}

TEST(TopK, FirstOfEqualsComesFirst) {
  SingleOp node{"TopK"};
  node.outputs = 2;
  auto result = node.run({Tensor::of<float>({4}, {1, 3, 3, 2}), ints({1}, {3})});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_TRUE(identical((*result)[0], Tensor::of<float>({3}, {3, 3, 2})));
  EXPECT_TRUE(identical((*result)[1], ints({3}, {1, 2, 3})));
  EXPECT_FALSE(node.run({Tensor::of<float>({4}, {1, 3, 3, 2}), ints({1}, {5})}));
}

TEST(Where, BroadcastsAllThree) {
  Tensor condition = Tensor::of<bool>({2, 1}, {true, false}), no = Tensor::scalar(0.0f);
  expectResult({"Where"}, {condition, matrix, no}, Tensor::of<float>({2, 3}, {1, 2, 3, 0, 0, 0}));
  EXPECT_FALSE(SingleOp{"Where"}.run({matrix, matrix, matrix}));
}

TEST(Softmax, FlattensUntilVersionTwelve) {
  Tensor zeros(DType::f32, {1, 2, 2});
  SingleOp node{"Softmax", {{"axis", int64_t{1}}}, 11};
  expectResult(node, {zeros}, Tensor::of<float>({1, 2, 2}, {0.25f, 0.25f, 0.25f, 0.25f}));
  node.opset = 13;
  expectResult(node, {zeros}, Tensor::of<float>({1, 2, 2}, {0.5f, 0.5f, 0.5f, 0.5f}));
  node.attributes["axis"] = int64_t{3};
  EXPECT_FALSE(node.run({zeros}));
}

TEST(NegativeLogLikelihoodLoss, IgnoresAndWeighs) {
  SingleOp node{"NegativeLogLikelihoodLoss", {{"ignore_index", int64_t{-1}}}};
  Tensor scores = Tensor::of<float>({3, 2}, {-1, -2, -3, -4, -5, -6}),
         weights = Tensor::of<float>({2}, {1, 3});
  expectResult(node, {scores, ints({3}, {0, -1, 1}), weights}, Tensor::scalar(4.75f));
  EXPECT_FALSE(node.run({scores, ints({3}, {0, 2, 1}), weights}));
  EXPECT_FALSE(node.run({scores, ints({2}, {0, 1}), weights}));
}

} // namespace
} // namespace tilerig::reference
