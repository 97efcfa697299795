// Tests of starting threads: as many as requested, and fewer if the system refuses some.
#include "isa/Base/Support/StartThreads.h"

#include <gtest/gtest.h>

namespace tilerig {
namespace {

// Stand-in for a thread, which runs its body at once. Only three can be started; the system refuses a fourth.
struct ScarceThread {
  static inline int left = 3;
  template <class Body>
  explicit ScarceThread(Body body) {
    if (left-- == 0)
      throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    body();
  }
};

TEST(StartThreads, NumbersThemFromOne) {
  ScarceThread::left = 3;
  std::vector<unsigned> seen;
  std::vector<ScarceThread> threads;
  startThreads(threads, 3, [&](unsigned self) { seen.push_back(self); });
  EXPECT_EQ(seen, (std::vector<unsigned>{1, 2})) << "the calling thread is the first";
  EXPECT_EQ(threads.size(), 2u);
}

TEST(StartThreads, ContinuesWithFewerThreadsIfRefused) {
  ScarceThread::left = 3;
  std::vector<unsigned> seen;
  std::vector<ScarceThread> threads;
  startThreads(threads, 100, [&](unsigned self) { seen.push_back(self); });
  EXPECT_EQ(seen, (std::vector<unsigned>{1, 2, 3}));
  EXPECT_EQ(threads.size(), 3u);
}

TEST(StartOne, ReturnsTheResultOfTheBody) {
  auto seven = startOne([] { return 7; });
  EXPECT_EQ(seven.get(), 7);
}

} // namespace
} // namespace tilerig
