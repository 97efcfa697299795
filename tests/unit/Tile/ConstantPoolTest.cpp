#include "compiler/Tile/Emit/ConstantPool.h"

#include <gtest/gtest.h>

namespace tilerig::compiler {
namespace {

constexpr size_t large = 1 << 20;

std::vector<std::byte> filled(size_t size, int value) {
  return std::vector(size, static_cast<std::byte>(value));
}

TEST(ConstantPool, SharesLargeConstantsAndCopiesSmallOnes) {
  ConstantPool pool = ConstantPool::behind(5000);
  const ConstantBytes weights = constantBytes(filled(large + 1, 1)), bias = constantBytes(filled(100, 2));
  EXPECT_EQ(pool.place(bias), 8192u);
  EXPECT_EQ(pool.place(filled(10, 3)), 8192u + 128);
  EXPECT_EQ(pool.place(weights), 12288u);
  EXPECT_EQ(pool.place(filled(4, 4)), 12288u + large + 4096);
  EXPECT_EQ(pool.place(weights), 12288u);
  EXPECT_EQ(pool.place(filled(100, 2)), 8192u);
  EXPECT_EQ(pool.place(filled(4, 4)), 12288u + large + 4096);
  EXPECT_EQ(pool.end(), 12288u + large + 4096 + 4);
  const std::vector<ConstantData> blocks = pool.take();
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ(blocks[0].address, 8192u);
  EXPECT_EQ(blocks[0].bytes.size(), 138u);
  EXPECT_EQ(blocks[0].bytes[99], std::byte{2});
  EXPECT_EQ(blocks[0].bytes[100], std::byte{0});
  EXPECT_EQ(blocks[0].bytes[137], std::byte{3});
  EXPECT_EQ(blocks[1].bytes.data(), weights->data());
  EXPECT_EQ(blocks[2].address, 12288u + large + 4096);
  EXPECT_EQ(blocks[2].bytes.size(), 4u);
}

TEST(ConstantPool, PlacesAreTheSameWithoutBytes) {
  ConstantPool pool = ConstantPool::behind(1, ConstantPool::Keeps::places);
  const ConstantBytes weights = constantBytes(filled(large, 1));
  EXPECT_EQ(pool.place(filled(65, 1)), 4096u);
  EXPECT_EQ(pool.place(filled(1, 1)), 4096u + 128);
  EXPECT_EQ(pool.place(weights), 8192u);
  EXPECT_EQ(pool.place(weights), 8192u);
  EXPECT_EQ(pool.end(), 8192u + large);
  EXPECT_TRUE(pool.take().empty());
}

} // namespace
} // namespace tilerig::compiler
