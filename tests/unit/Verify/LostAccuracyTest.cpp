// Tests of accuracy lost to a low precision: which tensors are inaccurate, and which layers cause it.
#include "verify/Check/LostAccuracy.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace tilerig::verify {
namespace {

Json tensor(const std::string &name, std::vector<std::string> sources, Json decibels) {
  return {{"record", "layer"}, {"name", name},       {"layer", "layer of " + name},
          {"status", "match"}, {"sources", sources}, {"noise", {{"sqnr_db", std::move(decibels)}}}};
}

TEST(LostAccuracy, IsReportedForTheLayersThatLoseIt) {
  // The layers of a network: b loses accuracy, c inherits the loss from b, and d, which does not depend on b,
  // is accurate.
  const std::vector<Json> records = {tensor("a", {}, 38.0), tensor("b", {"a"}, 4.0), tensor("c", {"b"}, 1.2),
                                     tensor("d", {"a"}, 30.0)};
  const std::optional<Json> record = accuracyRecord(records);
  ASSERT_TRUE(record);
  EXPECT_EQ((*record)["poor"], 2);
  EXPECT_EQ((*record)["of"], 4);
  EXPECT_EQ((*record)["worst"], "c");
  EXPECT_EQ((*record)["lost_at"], (Json{"layer of b"}));
  const std::string text = describeAccuracy(*record);
  for (const char *part :
       {"2 of 4 tensors have", "below 10 dB", "'c' with 1.2 dB", "lost at layer of b", "fp16"})
    EXPECT_NE(text.find(part), text.npos) << text;
}

TEST(LostAccuracy, IsReportedInTwoLines) {
  const auto record = accuracyRecord({tensor("a\x1b[2J\n", {}, 4.0)});
  ASSERT_TRUE(record);
  const std::string text = describeAccuracy(*record);
  EXPECT_EQ(std::ranges::count(text, '\n'), 2) << text;
  EXPECT_EQ(text.find('\x1b'), text.npos) << text;
}

TEST(LostAccuracy, HasNoLayerIfEachLosesLittle) {
  const auto record =
      accuracyRecord({tensor("a", {}, 15.0), tensor("b", {"a"}, 11.0), tensor("c", {"b"}, 8.0)});
  ASSERT_TRUE(record);
  EXPECT_TRUE((*record)["lost_at"].empty());
  EXPECT_NE(describeAccuracy(*record).find("gradually"), std::string::npos);
}

TEST(LostAccuracy, IsNotReportedForAccurateOrUncomparedTensors) {
  EXPECT_FALSE(
      accuracyRecord({tensor("a", {}, 10.0), tensor("b", {"a"}, "inf"), tensor("c", {"b"}, Json())}));
  EXPECT_FALSE(accuracyRecord({}));
  EXPECT_FALSE(noisiest({tensor("a", {}, "inf")}));
  // A signal-to-noise ratio of -inf dB: the original model's tensor is exactly zero, so the whole result is
  // noise.
  EXPECT_TRUE(accuracyRecord({tensor("a", {}, "-inf")}));
}

} // namespace
} // namespace tilerig::verify
