// Tests of the worked examples (paragraphs 45 and 153) of the seed document, from which the rules of
// comparison are taken, and of its code listing (paragraph 47) on elements for which numpy ran it.
#include "verify/Metrics/Compare.h"

#include <gtest/gtest.h>

namespace tilerig::verify {
namespace {

std::vector<double> ordersOfMagnitude(const std::vector<double> &r, const std::vector<double> &t,
                                      double largest) {
  Rule rule;
  rule.anchor = largest;
  std::vector<double> orders;
  for (size_t i = 0; i < r.size(); ++i)
    // Rounded to one decimal, like the expected orders of magnitude.
    orders.push_back(std::round(orderOfMagnitude(r[i], t[i], rule) * 10) / 10);
  return orders;
}

TEST(SeedExamples, OrdersOfMagnitude) {
  EXPECT_EQ(ordersOfMagnitude({1.01, 1.2, 50, 0.3, 0, 0}, {1, 1.1, 42, 0.2, 0, 0.1}, 50),
            (std::vector<double>{49.5, 41.7, 1.0, 166.7, 101.0, 500.0}));
  EXPECT_EQ(ordersOfMagnitude({1.01, 1.2, -50, 0.002, 0, 0}, {1, 1.1, -42, 0.2, 0, 0.1}, 50),
            (std::vector<double>{49.5, 41.7, 1.0, 25000.0, 101.0, 500.0}));
}

TEST(SeedExamples, SubsetsOfTheFirstVector) {
  auto r = Tensor::of<double>({6}, {1.01, 1.2, 50, 0.3, 0, 0});
  auto t = Tensor::of<double>({6}, {1, 1.1, 42, 0.2, 0, 0.1});
  Comparison comparison = compareTensors(r, t);
  EXPECT_EQ(comparison.anchor, 50);
  // The errors of 0.99 % pass, those of 8.3 % and 16 % fail. The other elements have the orders of magnitude
  // (ratios of the largest element to them) 166.7, 101 and 500 and are discarded: the limit is 100.
  EXPECT_EQ(comparison.subsets(), (SubsetCounts{3, 1, 2}));
  EXPECT_EQ(comparison.undefined, 1u);
  EXPECT_EQ(comparison.status, TensorStatus::mismatch);
}

// Results of the code listing in the seed document (the source of the comparison rules) for these elements,
// computed by numpy with a fudge factor (limit of the relative error) of 3 %, a limit of the order of
// magnitude of 100 and a delta (permitted difference in 8-bit steps) of 1.
struct Listing {
  double reference, target;
  // Results of the code listing in the seed document: relative error (`diff`, may be NaN) and order of
  // magnitude (`oom_reference`).
  double relative, oom;
  bool matchOom, matchRelative;
  double bitOffInt8, bitOffUint8;
  bool match16, matchInt8, matchUint8;
};
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Listing listing[] = {
    {10.0, 10.2, 1.9999999999999927, 1, true, true, 4, 9, true, true, true},
    {-8.0, -8.5, 6.25, 1.25, true, false, 12, 25, false, false, false},
    {4.0, 4.1, 2.499999999999991, 2.5, true, true, 2, 4, true, true, true},
    {-2.0, -2.0, 0, 5, true, true, 0, 0, true, true, true},
    {1.0, 0.9, -9.999999999999998, 10, true, false, 2, 4, false, false, false},
    {0.0, 0.0, 0, infinity, false, true, 0, 0, false, true, true},
    {0.0, 0.4, nan, 25, true, false, 9, 20, false, false, false},
    {0.05, 0.06, 19.99999999999999, 200, false, false, 0, 0, false, true, true},
    {-0.03, -0.02, -33.33333333333333, 333.33333333333337, false, false, 0, 0, false, true, true},
    {5.0, 5.11, 2.200000000000006, 2, true, true, 2, 5, true, true, true},
    {-5.0, -4.0, -20, 2, true, false, 24, 50, false, false, false},
    {0.0, 0.02, nan, 500, false, false, 0, 1, false, true, true},
    {2.0, -2.0, -200, 5, true, false, 99, 200, false, false, false},
};

Judgement judged(const Listing &row, EightBit type) {
  Limits limits;
  limits.eightBit = type;
  return judge(row.reference, row.target, row.target - row.reference, ruleFor(limits, 10, 10.2));
}

TEST(SeedListing, RelativeErrorAndOrderOfMagnitude) {
  for (const Listing &row : listing) {
    SCOPED_TRACE(testing::Message() << row.reference << " " << row.target);
    Judgement judgement = judged(row, EightBit::none);
    if (std::isnan(row.relative))
      EXPECT_TRUE(std::isnan(judgement.relative));
    else
      EXPECT_NEAR(judgement.relative, row.relative, 1e-12);
    // If reference and target are both zero, the text of the seed document (the source of the comparison
    // rules) sets the order of magnitude to the limit plus one (101), but its listing divides by zero and
    // gives infinity. We follow the text.
    EXPECT_EQ(judgement.oom, row.oom == infinity ? 101 : row.oom);
    EXPECT_EQ(judgement.oom <= 100, row.matchOom);
  }
}

TEST(SeedListing, MatchesOfSixteenBits) {
  for (const Listing &row : listing) {
    SCOPED_TRACE(testing::Message() << row.reference << " " << row.target);
    const Subset subset = judged(row, EightBit::none).subset;
    EXPECT_EQ(subset == Subset::passed, row.match16);
    EXPECT_EQ(subset == Subset::discarded, !row.matchOom);
    EXPECT_EQ(subset == Subset::failed, row.matchOom && !row.matchRelative);
  }
}

TEST(SeedListing, MatchesOfEightBits) {
  for (const Listing &row : listing) {
    SCOPED_TRACE(testing::Message() << row.reference << " " << row.target);
    Limits limits;
    limits.eightBit = EightBit::int8;
    EXPECT_EQ(bitOff(row.target - row.reference, ruleFor(limits, 10, 10.2)), row.bitOffInt8);
    limits.eightBit = EightBit::uint8;
    EXPECT_EQ(bitOff(row.target - row.reference, ruleFor(limits, 10, 10.2)), row.bitOffUint8);
    EXPECT_EQ(judged(row, EightBit::int8).subset == Subset::passed, row.matchInt8);
    EXPECT_EQ(judged(row, EightBit::uint8).subset == Subset::passed, row.matchUint8);
  }
}

TEST(SeedListing, AsTensors) {
  Tensor r(DType::f64, {std::size(listing)}), t = r;
  for (size_t i = 0; i < std::size(listing); ++i) {
    r.mutableAs<double>()[i] = listing[i].reference;
    t.mutableAs<double>()[i] = listing[i].target;
  }
  CompareOptions options;
  EXPECT_EQ(compareTensors(r, t, options).subsets(), (SubsetCounts{4, 4, 5}));
  options.limits.eightBit = EightBit::int8;
  Comparison eight = compareTensors(r, t, options);
  EXPECT_EQ(eight.subsets(), (SubsetCounts{0, 8, 5}));
  EXPECT_EQ(eight.excused, 4u);
}

// One element for each bucket of relative errors in the table of figure 18 in the seed document (the source
// of the comparison rules), in the order of the buckets' upper edges.
TEST(SeedTable, Buckets) {
  Tensor r(DType::f64, {10}), t(DType::f64, {10});
  const double percent[] = {0.005, 0.03, 0.07, 0.3, 0.7, 3, 7, 30, 70, 170};
  for (size_t i = 0; i < 10; ++i) {
    r.mutableAs<double>()[i] = 1;
    t.mutableAs<double>()[i] = 1 + percent[i] / 100;
  }
  Comparison comparison = compareTensors(r, t);
  EXPECT_EQ(comparison.buckets, (Buckets{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(comparison.bucketsInLimit, comparison.buckets);
  // Relative to the largest element, the first four elements are now too small to be compared, so
  // `bucketsInLimit` (the second column of the table in the seed document's figure 18) does not count them.
  for (size_t i = 0; i < 4; ++i) {
    r.mutableAs<double>()[i] /= 1000;
    t.mutableAs<double>()[i] /= 1000;
  }
  comparison = compareTensors(r, t);
  EXPECT_EQ(comparison.buckets, (Buckets{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(comparison.bucketsInLimit, (Buckets{0, 0, 0, 0, 1, 1, 1, 1, 1, 1}));
}

} // namespace
} // namespace tilerig::verify
