// Tests of Ancestors, which answers whether one task comes before another within a window of recent tasks,
// against a plain graph walk. There are more tasks than the window holds.
#include "compiler/Planning/Schedule/Ancestors.h"

#include <gtest/gtest.h>

#include <random>

namespace tilerig {
using namespace compiler;
namespace {

constexpr uint32_t numTasks = 70'000;

// Random predecessors of each task, most of them near; some tasks have none.
std::vector<std::vector<uint32_t>> randomEdges(uint32_t farthest) {
  std::mt19937 dice(farthest);
  std::vector<std::vector<uint32_t>> before(numTasks);
  for (uint32_t task = 1; task < numTasks; ++task)
    for (uint32_t edge = dice() % 4; edge > 0; --edge)
      before[task].push_back(task - 1 - dice() % std::min(task, dice() % 8 == 0 ? farthest : 100));
  return before;
}

std::vector<bool> allBefore(uint32_t task, const std::vector<std::vector<uint32_t>> &before) {
  std::vector<bool> is(task + 1);
  is[task] = true;
  for (uint32_t at = task + 1; at-- > 0;)
    if (is[at])
      for (const uint32_t predecessor : before[at])
        is[predecessor] = true;
  return is;
}

TEST(Ancestors, EqualThoseOfAGraphWalk) {
  for (const uint32_t farthest : {200u, 3'000u, 60'000u}) {
    const std::vector<std::vector<uint32_t>> before = randomEdges(farthest);
    Ancestors ancestors(numTasks);
    uint64_t known = 0;
    for (uint32_t task = 0; task < numTasks; ++task) {
      ancestors.begin(task);
      for (const uint32_t predecessor : before[task])
        ancestors.add(task, predecessor);
      if (task % 3'001 != 0 && task < numTasks - 3)
        continue;
      const std::vector<bool> is = allBefore(task, before);
      for (uint32_t other = 0; other < task; ++other) {
        const bool comesAfter = ancestors.comesAfter(task, other);
        ASSERT_LE(comesAfter, is[other]) << task << " after " << other;
        if (task - other < 32'000) { // the answer is exact for the last 32,000 tasks
          ASSERT_EQ(comesAfter, is[other]) << task << " after " << other;
        }
        known += comesAfter;
      }
    }
    EXPECT_GT(known, 1000u);
  }
}

TEST(Ancestors, OfFewTasksAreAllKnown) {
  for (const uint32_t count : {1u, 2u, 63u, 64u, 65u, 200u}) {
    Ancestors chain(count);
    for (uint32_t task = 0; task < count; ++task) {
      chain.begin(task);
      if (task > 0)
        chain.add(task, task - 1);
      for (uint32_t other = 0; other < task; ++other)
        EXPECT_TRUE(chain.comesAfter(task, other));
    }
  }
}

} // namespace
} // namespace tilerig
