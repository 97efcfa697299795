#include "isa/Base/Support/InParallel.h"

#include <gtest/gtest.h>
#include <stdexcept>

namespace tilerig {
namespace {

TEST(InParallel, RunsEachIndexOnce) {
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

TEST(CheckInParallel, ReturnsTheFailureOfTheLowestIndex) {
  std::atomic<int> done = 0;
  const auto failing = [&](std::vector<size_t> those) {
    done = 0;
    return checkInParallel(8, [&](size_t i) -> Status {
      ++done;
      if (std::ranges::count(those, i) > 0)
        return invalidInput(std::to_string(i), "is wrong");
      return success();
    });
  };
  EXPECT_TRUE(failing({}));
  for (int round = 0; round < 100; ++round) {
    const Status status = failing({6, 2, 3});
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().place, "2");
    EXPECT_EQ(done, 8);
  }
}

TEST(OnThreads, CallsTheBodyOnceWithEachNumberOfAThread) {
  for (const unsigned threads : {0u, 1u, 5u}) {
    std::vector<std::atomic<int>> calls(8);
    std::vector<std::thread::id> ids(8);
    onThreads(threads, [&](unsigned worker) {
      ++calls[worker];
      ids[worker] = std::this_thread::get_id();
    });
    for (unsigned worker = 0; worker < calls.size(); ++worker)
      EXPECT_EQ(calls[worker], worker < std::max(threads, 1u) ? 1 : 0) << worker << " of " << threads;
    EXPECT_EQ(ids[0], std::this_thread::get_id()) << "the calling thread is number 0";
  }
}

TEST(OnThreads, ThrowsWhatIsThrownWhenAllHaveEnded) {
  for (const unsigned thrower : {0u, 2u}) {
    std::atomic<int> ended = 0;
    const auto body = [&](unsigned worker) {
      ++ended;
      if (worker == thrower)
        throw std::runtime_error("one of four");
    };
    EXPECT_THROW(onThreads(4, body), std::runtime_error);
    EXPECT_EQ(ended, 4);
  }
}

} // namespace
} // namespace tilerig
