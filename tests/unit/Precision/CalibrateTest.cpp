#include "compiler/Planning/Quantisation/Calibrate.h"

#include "tests/unit/Precision/Values.h"

#include <gtest/gtest.h>

namespace tilerig::test {
using namespace compiler;
namespace {

class GivenStatistics final : public CalibrationSource {
public:
  Result<StatisticsByName> statistics(std::span<const std::string> tensors) override {
    asked.assign(tensors.begin(), tensors.end());
    return statisticsByName;
  }
  std::string describe() const override { return "what the test says"; }

  StatisticsByName statisticsByName = {
      {"a", statisticsOf({-1, 2})}, {"b", statisticsOf({0, 4})}, {"c", statisticsOf({0, 255})}};
  std::vector<std::string> asked;
};

CalibrationRequest requestOf(const std::vector<std::string> &names) {
  CalibrationRequest request;
  for (const std::string &name : names)
    request.tensors[name] = QuantisedType::uint8;
  return request;
}

TEST(Calibrate, GivesEveryTensorItsRow) {
  GivenStatistics source;
  CalibrationRequest request = requestOf({"a", "b", "c"});
  request.tensors["b"] = QuantisedType::int8;
  request.groups = {{"b", "a", "stays float"}};
  auto table = calibrate(source, request);
  ASSERT_TRUE(table) << table.error().message();
  EXPECT_EQ(source.asked, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(table->samples, "what the test says");
  EXPECT_EQ(table->tensors.size(), 3u);
  EXPECT_EQ(*table->get("a"), (CalibratedTensor{QuantisedType::uint8, {}, {-1, 4}}));
  EXPECT_EQ(*table->get("b"), (CalibratedTensor{QuantisedType::int8, {}, {-1, 4}}));
  EXPECT_EQ(table->get("c")->parameters(), (QuantisationParameters{1, 0}));
}

TEST(Calibrate, TakesTheMethodOfTheRequest) {
  GivenStatistics source;
  std::vector<float> values(1000, 1);
  values.push_back(100);
  source.statisticsByName["a"] = statisticsOf(values);
  CalibrationRequest request = requestOf({"a"});
  request.method = {RangeMethod::Kind::percentile, 99};
  auto table = calibrate(source, request);
  ASSERT_TRUE(table);
  EXPECT_LT(table->get("a")->range.high, 1.1f);
  EXPECT_EQ(table->get("a")->method, request.method);
}

// Averaged ranges are widened by a factor that grows with the depth of a tensor, the place of its operator in
// the network (0 for the first, 1 for the last). A tensor of unknown depth counts as one of the first
// operator.
TEST(Calibrate, WidensAveragesByDepth) {
  GivenStatistics source;
  CalibrationRequest request = requestOf({"a", "b", "c"});
  request.method = {.kind = RangeMethod::Kind::average, .ramp = 2};
  request.depths = {{"a", 0.5}, {"b", 1}};
  auto table = calibrate(source, request);
  ASSERT_TRUE(table) << table.error().message();
  EXPECT_EQ(table->get("a")->range, (ValueRange{-1.5f, 3}));
  EXPECT_EQ(table->get("b")->range, (ValueRange{0, 8}));
  EXPECT_EQ(table->get("c")->range, (ValueRange{0, 255}));
}

TEST(Calibrate, RefusesByNameWhatHasNoRange) {
  GivenStatistics source;
  source.statisticsByName["b"] = statisticsOf({NAN});
  auto table = calibrate(source, requestOf({"a", "b"}));
  ASSERT_FALSE(table);
  EXPECT_TRUE(
      table.error().message().starts_with("tensor 'b': 1 of the tensor's 1 values are NaN or infinite"))
      << table.error().message();
  table = calibrate(source, requestOf({"a", "left out"}));
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().kind, ErrorKind::internal);
}

} // namespace
} // namespace tilerig::test
