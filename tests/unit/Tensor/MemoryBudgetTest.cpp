#include "isa/Base/Tensor/MemoryBudget.h"

#include "isa/Base/Tensor/Tensor.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <thread>

namespace tilerig {
namespace {

TEST(MemoryBudget, IsChargedUntilTheLastTensorIsGone) {
  auto budget = std::make_shared<MemoryBudget>(1 << 20);
  {
    MemoryScope scope(budget);
    Tensor tensor(DType::f32, {1000});
    uint64_t used = budget->used();
    EXPECT_GE(used, 4000u);
    EXPECT_LT(used, 5000u);
    Tensor shared = tensor;
    EXPECT_EQ(budget->used(), used);
    shared.mutableBytes();
    EXPECT_EQ(budget->used(), 2 * used);
  }
  EXPECT_EQ(budget->used(), 0u);
}

TEST(MemoryBudget, RefusesWhatWouldPassIt) {
  auto budget = std::make_shared<MemoryBudget>(1 << 20);
  MemoryScope scope(budget);
  auto refused = Tensor::make(DType::u8, {1 << 20});
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error().message(),
      "there is no memory for a tensor of 1048576 bytes, uint8 [1048576]: 0 of 1048576 bytes are in use; raise the "
      "memory limit, or use smaller tensors");
  auto half = Tensor::make(DType::u8, {1 << 19});
  ASSERT_TRUE(half);
  EXPECT_FALSE(Tensor::make(DType::u8, {1 << 19}));
  EXPECT_THROW(half->reshaped({1 << 19})->mutableBytes(), std::bad_alloc);
  half = Tensor();
  EXPECT_TRUE(Tensor::make(DType::u8, {1 << 19}));
}

TEST(MemoryBudget, OutlivesItsScopeAndNests) {
  auto outer = std::make_shared<MemoryBudget>(1000), inner = std::make_shared<MemoryBudget>(1 << 20);
  MemoryScope scope(outer);
  Tensor kept;
  {
    MemoryScope nested(inner);
    kept = *Tensor::make(DType::u8, {5000});
  }
  EXPECT_FALSE(Tensor::make(DType::u8, {5000}));
  EXPECT_EQ(outer->used(), 0u);
  EXPECT_GE(inner->used(), 5000u);
  // The tensor is freed by another thread, which has no budget.
  std::thread([moved = std::move(kept)]() mutable {
    EXPECT_FALSE(MemoryScope::current());
    moved = Tensor();
  }).join();
  EXPECT_EQ(inner->used(), 0u);
}

// The cache of freed blocks fills up with sizes that do not recur. It must be released if the budget has room
// for a new block only without the cache.
TEST(MemoryBudget, KeepsNothingThatItNeeds) {
  constexpr int64_t limit = 1 << 20;
  auto budget = std::make_shared<MemoryBudget>(limit);
  MemoryScope scope(budget);
  for (int64_t size = limit / 2; size < limit; size += 1 << 14) {
    auto tensor = Tensor::make(DType::u8, {size});
    ASSERT_TRUE(tensor) << tensor.error().message();
    EXPECT_GE(budget->used(), static_cast<uint64_t>(size));
    EXPECT_FALSE(Tensor::make(DType::u8, {limit - size}));
  }
  EXPECT_EQ(budget->used(), 0u);
}

// A reused block is zeroed like a new one, and belongs to one tensor only.
TEST(MemoryBudget, BlocksAreUsedAgain) {
  auto budget = std::make_shared<MemoryBudget>(1 << 20);
  MemoryScope scope(budget);
  for (int round = 0; round < 3; ++round) {
    auto first = Tensor::make(DType::u8, {1 << 16}), second = Tensor::make(DType::u8, {1 << 16});
    ASSERT_TRUE(first && second);
    EXPECT_NE(first->bytes().data(), second->bytes().data());
    for (Tensor *tensor : {&*first, &*second}) {
      EXPECT_EQ(std::ranges::count(tensor->bytes(), std::byte{0}), 1 << 16);
      std::ranges::fill(tensor->mutableBytes(), std::byte{0xa5});
    }
  }
}

TEST(MemoryBudget, KnowsTheMachine) {
  EXPECT_GT(physicalMemory(), uint64_t{1} << 26);
  EXPECT_LT(physicalMemory(), uint64_t{1} << 60);
}

} // namespace
} // namespace tilerig
