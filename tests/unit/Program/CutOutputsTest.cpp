// Outputs whose sizes a run computes, cut by the host.
#include "isa/Program/CutOutputs.h"

#include <gtest/gtest.h>

namespace tilerig {
namespace {

// The metadata of a program with an output "y" whose sizes are in the output "n".
Program programWithSizes() {
  Program program;
  proto::Tensor &tensor = *program.metadata.add_tensors();
  tensor.set_name("y");
  tensor.set_sizes("n");
  program.metadata.add_tensors()->set_name("n");
  return program;
}

TensorMap outputs(const Tensor &sizes) {
  TensorMap tensors;
  EXPECT_TRUE(tensors.add("y", Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})));
  EXPECT_TRUE(tensors.add("n", sizes));
  return tensors;
}

TEST(CutOutputs, KeepTheBeginningOfEveryAxis) {
  for (const Tensor &sizes : {Tensor::of<int64_t>({2}, {2, 1}), Tensor::of<int32_t>({2}, {2, 1})}) {
    const auto cut = cutToSizes(programWithSizes(), outputs(sizes));
    ASSERT_TRUE(cut);
    EXPECT_EQ(cut->size(), 1U);
    const Tensor &y = *cut->find("y");
    EXPECT_EQ(y.shape(), (Shape{2, 1}));
    EXPECT_EQ(y.as<float>()[0], 1);
    EXPECT_EQ(y.as<float>()[1], 4);
  }
}

TEST(CutOutputs, KeepSizesOnRequest) {
  const auto cut = cutToSizes(programWithSizes(), outputs(Tensor::of<int64_t>({2}, {0, 3})), true);
  ASSERT_TRUE(cut);
  EXPECT_TRUE(cut->find("n"));
  EXPECT_EQ(cut->find("y")->elementCount(), 0U);
}

TEST(CutOutputs, RefuseSizesThatDoNotFit) {
  for (const Tensor &sizes : {Tensor::of<int64_t>({2}, {3, 3}), Tensor::of<int64_t>({2}, {-1, 3}),
                              Tensor::of<int64_t>({1}, {2}), Tensor::of<float>({2}, {1, 1})}) {
    const auto cut = cutToSizes(programWithSizes(), outputs(sizes));
    ASSERT_FALSE(cut);
    EXPECT_EQ(cut.error().place, "output 'y'");
  }
}

} // namespace
} // namespace tilerig
