#include "isa/Base/Support/Nearest.h"

#include <gtest/gtest.h>

namespace tilerig {
namespace {

constexpr std::string_view names[] = {"load", "store", "matmul", "group_barrier"};

TEST(Nearest, ForgivesOneSlipInAShortName) {
  EXPECT_EQ(nearestName("laod", names), "load");   // letters swapped
  EXPECT_EQ(nearestName("lod", names), "load");    // one missing
  EXPECT_EQ(nearestName("loadd", names), "load");  // one too many
  EXPECT_EQ(nearestName("stove", names), "store"); // another
}

TEST(Nearest, ForgivesAThirdOfALongName) {
  EXPECT_EQ(nearestName("grup_bariers", names), "group_barrier");
  EXPECT_EQ(nearestName("gruppenbar", names), "");
}

TEST(Nearest, IsSilentWhereNothingIsNear) {
  EXPECT_EQ(nearestName("conv", names), "");
  EXPECT_EQ(nearestName("", names), "");
  EXPECT_EQ(nearestName("load", {}), "");
  // A name so long that it cannot be a typing error is not compared with the known names.
  EXPECT_EQ(nearestName(std::string(1 << 20, 'x'), names), "");
}

TEST(Nearest, TakesTheFirstOfEquals) {
  constexpr std::string_view twins[] = {"pod_a", "pod_b"};
  EXPECT_EQ(nearestName("pod_c", twins), "pod_a");
}

TEST(Nearest, SuggestsOrLists) {
  EXPECT_EQ(suggestion("laod", names), "did you mean 'load'?");
  EXPECT_EQ(suggestion("conv", names), "expected load, store, matmul or group_barrier");
  EXPECT_EQ(listed(std::span(names, 1)), "load");
  EXPECT_EQ(listed(std::span(names, 2)), "load or store");
}

} // namespace
} // namespace tilerig
