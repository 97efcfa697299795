// Tests of MatMul, Gemm and Einsum against values worked out by hand.
#include "tests/unit/Reference/SingleOp.h"

#include <gtest/gtest.h>

namespace tilerig::reference {
namespace {

const Tensor matrix = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});

void expectResult(const SingleOp &node, std::vector<Tensor> inputs, const Tensor &expected) {
  auto result = node.run(std::move(inputs));
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_TRUE(identical((*result)[0], expected));
}

SingleOp einsum(const char *equation) { return {"Einsum", {{"equation", std::string(equation)}}}; }

TEST(MatMul, VectorsLeaveNoDimension) {
  SingleOp node{"MatMul"};
  expectResult(node, {matrix, Tensor::of<float>({3}, {1, 0, 2})}, Tensor::of<float>({2}, {7, 16}));
  expectResult(node, {Tensor::of<float>({2}, {1, 2}), matrix}, Tensor::of<float>({3}, {9, 12, 15}));
}

TEST(MatMul, BatchesBroadcast) {
  Tensor left = Tensor::of<float>({2, 1, 1, 1}, {1, 2}), right = Tensor::of<float>({3, 1, 1}, {5, 6, 7});
  expectResult({"MatMul"}, {left, right}, Tensor::of<float>({2, 3, 1, 1}, {5, 6, 7, 10, 12, 14}));
}

TEST(MatMul, IntegersWrap) {
  Tensor a = Tensor::of<int32_t>({1, 1}, {1 << 30});
  expectResult({"MatMul"}, {a, Tensor::of<int32_t>({1, 1}, {4})}, Tensor::of<int32_t>({1, 1}, {0}));
}

TEST(MatMul, SumsOfNoTermsAreZero) {
  for (const int64_t columns : {3, 100}) {
    const Tensor a(DType::f32, {5, 0}), b(DType::f32, {0, columns}), c(DType::f32, {columns, 0});
    expectResult({"MatMul"}, {a, b}, Tensor(DType::f32, {5, columns}));
    expectResult({"Gemm", {{"transB", int64_t{1}}}}, {a, c}, Tensor(DType::f32, {5, columns}));
  }
  expectResult({"Gemm"},
               {Tensor(DType::f32, {1, 0}), Tensor(DType::f32, {0, 2}), Tensor::of<float>({2}, {3, 4})},
               Tensor::of<float>({1, 2}, {3, 4}));
}

TEST(MatMul, RefusesWhatDoesNotMeet) {
  EXPECT_FALSE(SingleOp{"MatMul"}.run({matrix, matrix}));
  EXPECT_FALSE(SingleOp{"MatMul"}.run({matrix, Tensor::scalar(1.0f)}));
  EXPECT_FALSE(SingleOp{"MatMul"}.run({matrix, Tensor(DType::f64, {3, 1})}));
  EXPECT_FALSE(SingleOp{"MatMul"}.run({Tensor(DType::f32, {2, 1, 1}), Tensor(DType::f32, {3, 1, 1})}));
}

TEST(Gemm, TransposesAndScales) {
  SingleOp node{"Gemm", {{"transA", int64_t{1}}, {"alpha", 2.0f}, {"beta", 10.0f}}};
  Tensor b = Tensor::of<float>({2, 1}, {1, 1}), c = Tensor::of<float>({3, 1}, {1, 2, 3});
  expectResult(node, {matrix, b, c}, Tensor::of<float>({3, 1}, {20, 34, 48}));
}

TEST(Gemm, RefusesAnAddendThatIsTooLarge) {
  Tensor b(DType::f32, {3, 1});
  EXPECT_TRUE(SingleOp{"Gemm"}.run({matrix, b, Tensor(DType::f32, {2, 1})}));
  EXPECT_FALSE(SingleOp{"Gemm"}.run({matrix, b, Tensor(DType::f32, {2, 2})}));
  EXPECT_FALSE(SingleOp{"Gemm"}.run({matrix, matrix}));
}

TEST(Einsum, ReadsEveryKindOfEquation) {
  Tensor square = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  expectResult(einsum("ii"), {square}, Tensor::of<float>({}, {5}));
  expectResult(einsum("ii->i"), {square}, Tensor::of<float>({2}, {1, 4}));
  expectResult(einsum("ij -> ji"), {matrix}, Tensor::of<float>({3, 2}, {1, 4, 2, 5, 3, 6}));
  expectResult(einsum("ba"), {square}, Tensor::of<float>({2, 2}, {1, 3, 2, 4}));
  expectResult(einsum("...i->..."), {matrix}, Tensor::of<float>({2}, {6, 15}));
  expectResult(einsum("ij,j->i"), {matrix, Tensor::of<float>({3}, {1, 0, 2})},
               Tensor::of<float>({2}, {7, 16}));
  expectResult(einsum("i,j,k->jik"),
               {Tensor::of<float>({2}, {1, 2}), Tensor::of<float>({1}, {3}), Tensor::of<float>({2}, {5, 7})},
               Tensor::of<float>({1, 2, 2}, {15, 21, 30, 42}));
  expectResult(einsum("...ij,...jk->...ik"),
               {Tensor::of<float>({2, 1, 1}, {2, 3}), Tensor::of<float>({1, 2}, {5, 7})},
               Tensor::of<float>({2, 1, 2}, {10, 14, 15, 21}));
}

TEST(Einsum, RefusesWhatMakesNoSense) {
  EXPECT_FALSE(einsum("ij,jk").run({matrix}));
  EXPECT_FALSE(einsum("ijk").run({matrix}));
  EXPECT_FALSE(einsum("ii").run({matrix}));
  EXPECT_FALSE(einsum("ij->ik").run({matrix}));
  EXPECT_FALSE(einsum("ij->ii").run({matrix}));
  EXPECT_FALSE(einsum("i1->i").run({matrix}));
  EXPECT_FALSE(einsum("i......j").run({matrix}));
}

} // namespace
} // namespace tilerig::reference
