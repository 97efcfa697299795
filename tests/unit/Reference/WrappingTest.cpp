// Integer overflow wraps modulo the size of the type, in every operator that adds or multiplies.
#include "tests/unit/Reference/SingleOp.h"

#include <gtest/gtest.h>
#include <limits>

namespace tilerig::reference {
namespace {

constexpr int64_t most = std::numeric_limits<int64_t>::max(), least = std::numeric_limits<int64_t>::min();

void expectWraps(const SingleOp &node, std::vector<Tensor> inputs, const Tensor &expected) {
  auto result = node.run(std::move(inputs));
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_TRUE(identical((*result)[0], expected)) << node.op;
}

TEST(Wrapping, Sums) {
  const Tensor large = Tensor::of<int64_t>({2}, {most, 1});
  expectWraps({"Add"}, {large, large}, Tensor::of<int64_t>({2}, {-2, 2}));
  expectWraps({"CumSum"}, {large, Tensor::scalar(int64_t{0})}, Tensor::of<int64_t>({2}, {most, least}));
  expectWraps({"ScatterElements", {{"reduction", std::string("add")}}},
              {large, Tensor::of<int64_t>({1}, {0}), Tensor::of<int64_t>({1}, {2})},
              Tensor::of<int64_t>({2}, {least + 1, 1}));
  expectWraps({"Einsum", {{"equation", std::string("i->")}}}, {large}, Tensor::scalar(least));
  expectWraps({"ReduceSum"}, {large}, Tensor::of<int64_t>({1}, {least}));
}

TEST(Wrapping, Products) {
  const Tensor shorts = Tensor::of<uint16_t>({1}, {65535}), large = Tensor::of<int32_t>({1, 1}, {1 << 30}),
               six = Tensor::of<int32_t>({1, 1}, {6});
  expectWraps({"Mul"}, {shorts, shorts}, Tensor::of<uint16_t>({1}, {1}));
  expectWraps({"ScatterElements", {{"reduction", std::string("mul")}}},
              {shorts, Tensor::of<int64_t>({1}, {0}), shorts}, Tensor::of<uint16_t>({1}, {1}));
  expectWraps({"MatMul"}, {large, six}, Tensor::of<int32_t>({1, 1}, {-(1 << 30) * 2}));
  expectWraps({"Gemm"}, {large, six}, Tensor::of<int32_t>({1, 1}, {-(1 << 30) * 2}));
  expectWraps({"PRelu"}, {Tensor::of<int32_t>({1}, {-(1 << 30)}), Tensor::of<int32_t>({1}, {6})},
              Tensor::of<int32_t>({1}, {-(1 << 30) * 2}));
}

TEST(Wrapping, NotOfTheMeanOfLargeUnsignedNumbers) {
  expectWraps({"ReduceMean"}, {Tensor::of<uint64_t>({1}, {uint64_t{1} << 63})},
              Tensor::of<uint64_t>({1}, {uint64_t{1} << 63}));
}

// Powers of integers with float exponents are computed in floats, and converted to integers as Cast does.
TEST(Wrapping, NotOfPowersWithFloatExponents) {
  constexpr int32_t high = std::numeric_limits<int32_t>::max(), low = std::numeric_limits<int32_t>::min();
  expectWraps({"Pow"},
              {Tensor::of<int32_t>({4}, {10, -10, 0, -1}), Tensor::of<float>({4}, {24, 25, -1, 0.5F})},
              Tensor::of<int32_t>({4}, {high, low, high, 0}));
}

} // namespace
} // namespace tilerig::reference
