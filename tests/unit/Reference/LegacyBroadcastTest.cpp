// Tests of broadcasting before operator set 7, and of the slopes of PRelu.
#include "tests/unit/Reference/SingleOp.h"

#include <gtest/gtest.h>

namespace tilerig::reference {
namespace {

const Tensor matrix = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});

SingleOp add(std::map<std::string, Attribute, std::less<>> attributes) {
  return {"Add", std::move(attributes), 6};
}

void expectResult(const SingleOp &node, std::vector<Tensor> inputs, const Tensor &expected) {
  auto result = node.run(std::move(inputs));
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_TRUE(identical((*result)[0], expected));
}

TEST(LegacyBroadcast, MatchesTheLastAxesOrThoseFromAxisOn) {
  Tensor columns = Tensor::of<float>({3}, {10, 20, 30}), rows = Tensor::of<float>({2}, {10, 20});
  expectResult(add({{"broadcast", int64_t{1}}}), {matrix, columns},
               Tensor::of<float>({2, 3}, {11, 22, 33, 14, 25, 36}));
  for (int64_t axis : {0, -2})
    expectResult(add({{"broadcast", int64_t{1}}, {"axis", axis}}), {matrix, rows},
                 Tensor::of<float>({2, 3}, {11, 12, 13, 24, 25, 26}));
  expectResult(add({{"broadcast", int64_t{1}}}), {matrix, Tensor::scalar(1.0f)},
               Tensor::of<float>({2, 3}, {2, 3, 4, 5, 6, 7}));
}

TEST(LegacyBroadcast, RefusesWhatDoesNotFit) {
  Tensor columns(DType::f32, {3});
  EXPECT_TRUE(add({}).run({matrix, matrix}));
  EXPECT_FALSE(add({}).run({matrix, columns}));
  EXPECT_FALSE(add({{"broadcast", int64_t{1}}, {"axis", int64_t{0}}}).run({matrix, columns}));
  EXPECT_FALSE(add({{"broadcast", int64_t{1}}, {"axis", int64_t{2}}}).run({matrix, columns}));
  EXPECT_FALSE(add({{"broadcast", int64_t{1}}, {"axis", int64_t{-3}}}).run({matrix, columns}));
  EXPECT_FALSE(add({{"broadcast", int64_t{1}}}).run({columns, matrix}));
}

TEST(PRelu, SlopesBelongToChannelsBeforeVersionSeven) {
  Tensor x = Tensor::of<float>({1, 2, 2}, {-1, 1, -2, -3}), slopes = Tensor::of<float>({2}, {10, 100});
  expectResult({"PRelu", {}, 6}, {x, slopes}, Tensor::of<float>({1, 2, 2}, {-10, 1, -200, -300}));
  expectResult({"PRelu", {}, 6}, {x, Tensor::of<float>({1}, {2})},
               Tensor::of<float>({1, 2, 2}, {-2, 1, -4, -6}));
  expectResult({"PRelu"}, {x, slopes}, Tensor::of<float>({1, 2, 2}, {-10, 1, -20, -300}));
  EXPECT_FALSE((SingleOp{"PRelu", {}, 6}.run({x, Tensor(DType::f32, {3})})));
  EXPECT_FALSE(SingleOp{"PRelu"}.run({x, Tensor(DType::f32, {3, 1, 1})}));
  EXPECT_FALSE(SingleOp{"PRelu"}.run({x, Tensor(DType::f64, {2})}));
}

} // namespace
} // namespace tilerig::reference
