#include "isa/Base/Tensor/Spill.h"

#include "tests/support/TemporaryFolder.h"

#include <gtest/gtest.h>
#include <stdlib.h>

namespace tilerig {
namespace {

Tensor numbers(size_t bytes) {
  Tensor tensor(DType::i32, {static_cast<int64_t>(bytes / 4)});
  int32_t next = 0;
  for (int32_t &element : tensor.mutableAs<int32_t>())
    element = next++;
  return tensor;
}

TEST(Spill, LargeTensorsBecomeViewsOfAFileWithoutName) {
  const TemporaryFolder folder;
  ::setenv("TMPDIR", folder.path().c_str(), 1);
  const Tensor tensor = numbers(spillFromBytes);
  const Tensor view = spilled(tensor);
  ::unsetenv("TMPDIR");
  EXPECT_TRUE(view.isView());
  EXPECT_TRUE(identical(tensor, view));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Spill, OthersStayInMemory) {
  const Tensor small = numbers(spillFromBytes - 4);
  EXPECT_EQ(spilled(small).bytes().data(), small.bytes().data());
  const Tensor large = numbers(spillFromBytes);
  ::setenv("TMPDIR", "/nowhere", 1);
  EXPECT_EQ(spilled(large).bytes().data(), large.bytes().data());
  ::unsetenv("TMPDIR");
}

TEST(Spill, LimitedMemoryKeepsTheFirstTensorsAndSmallOnes) {
  LimitedMemory memory(2 * viewFromBytes);
  const Tensor tensor = numbers(viewFromBytes), small = numbers(16);
  EXPECT_FALSE(memory.keep(tensor).isView());
  EXPECT_FALSE(memory.keep(tensor).isView());
  const Tensor third = memory.keep(tensor);
  EXPECT_TRUE(third.isView());
  EXPECT_TRUE(identical(third, tensor));
  EXPECT_FALSE(memory.keep(small).isView());
}

} // namespace
} // namespace tilerig
