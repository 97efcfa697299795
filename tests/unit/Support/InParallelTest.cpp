#include "isa/Base/Support/InParallel.h"

#include <gtest/gtest.h>
#include <stdexcept>

namespace tilerig {
namespace {

TEST(InParallel, DoesEachOnce) {
  for (const size_t count : {0, 1, 2, 1000}) {
    std::vector<int> done(count);
    inParallel(count, [&](size_t i) { ++done[i]; });
    EXPECT_EQ(done, std::vector<int>(count, 1));
  }
}

TEST(InParallel, ThrowsWhatIsThrownWhenAllHaveEnded) {
  std::atomic<int> done = 0;
  const auto each = [&](size_t i) {
    ++done;
    if (i == 3)
      throw std::runtime_error("three");
  };
  EXPECT_THROW(inParallel(8, each), std::runtime_error);
  EXPECT_EQ(done, 8);
}

} // namespace
} // namespace tilerig
