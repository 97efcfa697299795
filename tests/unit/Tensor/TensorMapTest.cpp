#include "isa/Base/Tensor/TensorMap.h"

#include "tests/support/RandomTensor.h"

namespace tilerig {

TEST(TensorMap, KeepsTheOrderAndFindsByName) {
  TensorMap tensors;
  for (const char *name : {"z", "a", "m", ""})
    ASSERT_TRUE(tensors.add(name, Tensor::scalar<int32_t>(name[0])));
  std::string order;
  for (const NamedTensor &entry : tensors)
    order += entry.name + ",";
  EXPECT_EQ(order, "z,a,m,,");
  for (const char *name : {"z", "a", "m", ""})
    EXPECT_EQ(tensors.find(name)->as<int32_t>()[0], name[0]);
  tensors.find("a")->mutableAs<int32_t>()[0] = 5;
  EXPECT_EQ((*tensors.get("a"))->as<int32_t>()[0], 5);
}

TEST(TensorMap, RefusesASecondOfTheSameName) {
  TensorMap tensors;
  ASSERT_TRUE(tensors.add("x", Tensor::scalar(1.0f)));
  EXPECT_REFUSED(tensors.add("x", Tensor::scalar(2.0f)), "two tensors named 'x'");
  EXPECT_EQ(tensors.size(), 1u);
  EXPECT_EQ(tensors.find("x")->as<float>()[0], 1.0f);
}

TEST(TensorMap, NamesWhatThereIsWhenSomethingIsMissing) {
  TensorMap tensors;
  EXPECT_EQ(tensors.find("x"), nullptr);
  EXPECT_REFUSED(tensors.get("x"), "no tensor named 'x'; available tensors: none");
  for (int number = 0; number < 10; ++number)
    ASSERT_TRUE(tensors.add("t" + std::to_string(number), Tensor()));
  EXPECT_REFUSED(tensors.get("x"),
                 "available tensors: 't0', 't1', 't2', 't3', 't4', 't5', 't6', 't7' and 2 more");
}

} // namespace tilerig
