// Tests of quantised operators: ties, saturation and parameters against values worked out by hand, products
// against naive integer sums.
#include "tests/unit/Reference/SingleOp.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace tilerig::reference {
namespace {

void expectResult(const SingleOp &node, std::vector<Tensor> inputs, const Tensor &expected) {
  auto result = node.run(std::move(inputs));
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_TRUE(identical((*result)[0], expected));
}

TEST(QuantizeLinear, RoundsHalfToEvenAndSaturates) {
  Tensor x = Tensor::of<float>({8}, {-1, 1, 3, 5, -600, 600, INFINITY, -INFINITY});
  Tensor two = Tensor::scalar(2.0f);
  expectResult({"QuantizeLinear"}, {x, two, Tensor::scalar<int8_t>(1)},
               Tensor::of<int8_t>({8}, {1, 1, 3, 3, -128, 127, 127, -128}));
  expectResult({"QuantizeLinear"}, {x, two}, Tensor::of<uint8_t>({8}, {0, 0, 2, 2, 0, 255, 255, 0}));
}

// NaN is quantised to the zero point, which stands for 0, as on the machine.
TEST(QuantizeLinear, PutsNanOnTheZeroPoint) {
  const Tensor x = Tensor::of<float>({2}, {NAN, 4}), two = Tensor::scalar(2.0f);
  expectResult({"QuantizeLinear"}, {x, two, Tensor::scalar<int8_t>(-7)}, Tensor::of<int8_t>({2}, {-7, -5}));
  expectResult({"QuantizeLinear"}, {x, two, Tensor::scalar<uint8_t>(9)}, Tensor::of<uint8_t>({2}, {9, 11}));
}

TEST(QuantizeLinear, TakesParametersByAxisAndByBlock) {
  Tensor x = Tensor::of<float>({2, 3}, {2, 4, 6, 8, 10, 12});
  SingleOp node{"QuantizeLinear", {{"axis", int64_t{0}}}};
  expectResult(node, {x, Tensor::of<float>({2}, {1, 2}), Tensor::of<uint8_t>({2}, {0, 1})},
               Tensor::of<uint8_t>({2, 3}, {2, 4, 6, 5, 6, 7}));
  SingleOp blocks{"QuantizeLinear", {{"block_size", int64_t{2}}, {"axis", int64_t{1}}}};
  expectResult(blocks, {x, Tensor::of<float>({2, 2}, {1, 2, 4, 3})},
               Tensor::of<uint8_t>({2, 3}, {2, 4, 3, 2, 2, 4}));
}

TEST(QuantizeLinear, RefusesContradictions) {
  Tensor x(DType::f32, {2, 3}), one = Tensor::scalar(1.0f);
  EXPECT_TRUE(SingleOp{"QuantizeLinear"}.run({x, one}));
  EXPECT_FALSE(SingleOp{"QuantizeLinear"}.run({x, Tensor(DType::f32, {2})}));
  EXPECT_FALSE(SingleOp{"QuantizeLinear"}.run({x, one, Tensor(DType::u8, {2})}));
  EXPECT_FALSE(SingleOp{"QuantizeLinear"}.run({x, one, Tensor::scalar(1.0f)}));
  EXPECT_FALSE((SingleOp{"QuantizeLinear", {{"axis", int64_t{5}}}}.run({x, Tensor(DType::f32, {3})})));
  EXPECT_FALSE((SingleOp{"QuantizeLinear", {{"block_size", int64_t{-1}}}}.run({x, one})));
  EXPECT_FALSE(
      (SingleOp{"QuantizeLinear", {{"output_dtype", int64_t{3}}}}.run({x, one, Tensor(DType::u8, {})})));
}

TEST(DequantizeLinear, SubtractsBeforeItScales) {
  Tensor x = Tensor::of<uint8_t>({3}, {0, 128, 255});
  expectResult({"DequantizeLinear"}, {x, Tensor::scalar(0.5f), Tensor::scalar<uint8_t>(128)},
               Tensor::of<float>({3}, {-64, 0, 63.5f}));
  expectResult({"DequantizeLinear"}, {Tensor::of<int32_t>({1}, {-7}), Tensor::scalar(2.0f)},
               Tensor::of<float>({1}, {-14}));
  EXPECT_FALSE(SingleOp{"DequantizeLinear"}.run({x, Tensor::scalar(0.5f), Tensor::scalar<int8_t>(1)}));
}

TEST(DynamicQuantizeLinear, RangeHoldsZero) {
  SingleOp node{"DynamicQuantizeLinear"};
  node.outputs = 3;
  auto result = node.run({Tensor::of<float>({3}, {255, 51, 102})});
  ASSERT_TRUE(result);
  EXPECT_TRUE(identical((*result)[0], Tensor::of<uint8_t>({3}, {255, 51, 102})));
  EXPECT_TRUE(identical((*result)[1], Tensor::scalar(1.0f)));
  EXPECT_TRUE(identical((*result)[2], Tensor::scalar<uint8_t>(0)));
  auto zeros = node.run({Tensor(DType::f32, {2})});
  ASSERT_TRUE(zeros);
  EXPECT_TRUE(identical((*zeros)[1], Tensor::scalar(1.0f)));
  EXPECT_FALSE(node.run({Tensor(DType::i32, {2})}));
}

template <class T>
Tensor randomEight(std::mt19937 &random, const Shape &shape, bool extreme) {
  Tensor tensor(dtypeOf<T>, shape);
  for (T &x : tensor.mutableAs<T>())
    x = static_cast<T>(
        extreme ? (random() % 2 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max()) : random());
  return tensor;
}

// Sums of many products of extreme values exceed 2^24, where a float would round, and are exact.
TEST(MatMulInteger, IsExact) {
  std::mt19937 random(1);
  for (int64_t depth : {1, 17, 300, 3000})
    for (bool extreme : {false, true}) {
      Tensor a = randomEight<uint8_t>(random, {3, depth}, extreme);
      Tensor b = randomEight<int8_t>(random, {depth, 5}, extreme);
      Tensor azero = Tensor::scalar<uint8_t>(3), bzero = Tensor::of<int8_t>({5}, {0, 1, -128, 127, 5});
      Tensor expected(DType::i32, {3, 5});
      for (int64_t i = 0; i < 15; ++i)
        for (int64_t k = 0; k < depth; ++k)
          expected.mutableAs<int32_t>()[i] += (a.as<uint8_t>()[i / 5 * depth + k] - 3) *
                                              (b.as<int8_t>()[k * 5 + i % 5] - bzero.as<int8_t>()[i % 5]);
      expectResult({"MatMulInteger"}, {a, b, azero, bzero}, expected);
    }
}

TEST(MatMulInteger, RefusesZeroPointsOfAnotherShapeOrType) {
  Tensor a(DType::u8, {3, 4}), b(DType::u8, {4, 5}), zero = Tensor::scalar<uint8_t>(0);
  EXPECT_TRUE(SingleOp{"MatMulInteger"}.run({a, b, zero, zero}));
  EXPECT_FALSE(SingleOp{"MatMulInteger"}.run({a, b, zero, Tensor(DType::u8, {4})}));
  EXPECT_FALSE(SingleOp{"MatMulInteger"}.run({a, b, Tensor::scalar<int8_t>(0)}));
  EXPECT_FALSE(SingleOp{"MatMulInteger"}.run({a, Tensor(DType::f32, {4, 5})}));
}

// Padding has the value of the zero point; each channel has its own scale; the bias is added to the exact
// sum.
TEST(QLinearConv, PadsWithTheZeroPointAndScalesByChannel) {
  Tensor x = Tensor::of<uint8_t>({1, 1, 3}, {10, 12, 14}), w = Tensor::of<int8_t>({2, 1, 2}, {1, 1, -1, 2});
  std::vector<Tensor> inputs = {x,
                                Tensor::scalar(1.0f),
                                Tensor::scalar<uint8_t>(10),
                                w,
                                Tensor::of<float>({2}, {1, 0.5f}),
                                Tensor::of<int8_t>({2}, {0, 0}),
                                Tensor::scalar(2.0f),
                                Tensor::scalar<uint8_t>(100),
                                Tensor::of<int32_t>({2}, {1, 0})};
  // A QLinearConv with two output channels. In the first, the sums of products are 0+2, 2+4 and 4+0, to which
  // the bias 1 is added before they are multiplied by 1/2; in the second, they are 4-0, 8-2 and 0-4,
  // multiplied by 1/4.
  SingleOp node{"QLinearConv", {{"pads", std::vector<int64_t>{0, 1}}}};
  expectResult(node, inputs, Tensor::of<uint8_t>({1, 2, 3}, {102, 104, 102, 101, 102, 99}));
  inputs[8] = Tensor(DType::i32, {3});
  EXPECT_FALSE(node.run(inputs));
  inputs[8] = Tensor(DType::f32, {2});
  EXPECT_FALSE(node.run(inputs));
}

// The rescaling factor (the product of the operands' scales, divided by the result's scale) is computed in
// two steps that are each rounded to float, which affects some results.
TEST(QLinearMatMul, RoundsTheFactorTwice) {
  std::mt19937 random(2);
  for (int round = 0; round < 500; ++round) {
    auto scale = [&] { return 0.001f + static_cast<float>(random() % 100000) * 1e-6f; };
    float left = scale(), right = scale(), result = scale();
    Tensor a = randomEight<uint8_t>(random, {1, 4}, false), b = randomEight<int8_t>(random, {4, 1}, false);
    int32_t sum = 0;
    for (int k = 0; k < 4; ++k)
      sum += (a.as<uint8_t>()[k] - 100) * b.as<int8_t>()[k];
    volatile float factor = left * right;
    factor = factor / result;
    volatile float scaled = static_cast<float>(sum) * factor;
    double rounded = std::nearbyint(static_cast<double>(scaled)) + 7;
    auto expected = static_cast<int8_t>(std::min(127.0, std::max(-128.0, rounded)));
    expectResult({"QLinearMatMul"},
                 {a, Tensor::scalar(left), Tensor::scalar<uint8_t>(100), b, Tensor::scalar(right),
                  Tensor::scalar<int8_t>(0), Tensor::scalar(result), Tensor::scalar<int8_t>(7)},
                 Tensor::of<int8_t>({1, 1}, {expected}));
  }
}

} // namespace
} // namespace tilerig::reference
