// Tests of the error grid, which counts elements by relative error and by order of magnitude (how many times
// smaller an element is than the largest): its bins and the boundaries between them.
#include "tests/support/RandomTensor.h"
#include "verify/Metrics/Compare.h"

#include <gtest/gtest.h>

namespace tilerig::verify {
namespace {

// The index of the bin that holds `number`: the number of boundaries between bins below `number`, found by
// linear search.
template <class Edges>
int32_t binBySearch(const Edges &edges, double number) {
  int32_t bin = 0;
  for (double edge : edges)
    bin += edge < number;
  return bin;
}

TEST(Grid, EdgesAreTheDecimalNumbers) {
  EXPECT_EQ(oomEdges.size(), 61u);
  EXPECT_EQ(relativeEdges.size(), 71u);
  const std::array<double, 11> first = {1, 1.25, 1.6, 2, 2.5, 3, 4, 5, 6, 8, 10};
  EXPECT_TRUE(std::equal(first.begin(), first.end(), oomEdges.begin()));
  const std::array<double, 11> small = {0.001, 0.00125, 0.0016, 0.002, 0.0025, 0.003,
                                        0.004, 0.005,   0.006,  0.008, 0.01};
  EXPECT_TRUE(std::equal(small.begin(), small.end(), relativeEdges.begin()));
  EXPECT_EQ(oomEdges.back(), 1e6);
  EXPECT_EQ(relativeEdges.back(), 1e4);
}

TEST(Grid, LookupFindsTheBinThatASearchFinds) {
  std::vector<double> numbers = {0, 5e-324, 1e-300, 1e300, std::numeric_limits<double>::infinity()};
  for (const double edge :
       {oomEdges[0], oomEdges[17], relativeEdges[0], relativeEdges[33], relativeEdges[70]})
    numbers.push_back(edge * 3);
  auto addNeighbours = [&](const auto &edges) {
    for (double edge : edges) {
      numbers.push_back(edge);
      numbers.push_back(std::nextafter(edge, 0));
      numbers.push_back(std::nextafter(edge, 1e300));
    }
  };
  addNeighbours(oomEdges);
  addNeighbours(relativeEdges);
  Random random(4);
  for (int i = 0; i < 100000; ++i)
    numbers.push_back(std::exp(static_cast<double>(random.below(1000000)) * 4e-5 - 20));
  for (double number : numbers) {
    ASSERT_EQ(oomLookup(number), binBySearch(oomEdges, number)) << number;
    ASSERT_EQ(relativeLookup(number), binBySearch(relativeEdges, number)) << number;
  }
}

TEST(Grid, RowsAndColumns) {
  EXPECT_EQ(rowOf(0), equalRow);
  EXPECT_EQ(rowOf(std::numeric_limits<double>::quiet_NaN()), undefinedRow);
  EXPECT_EQ(rowOf(1e-9), equalRow + 1);
  EXPECT_EQ(rowOf(-1e-9), equalRow - 1);
  EXPECT_EQ(rowOf(-std::numeric_limits<double>::infinity()), 0);
  EXPECT_EQ(rowOf(std::numeric_limits<double>::infinity()), undefinedRow - 1);
  EXPECT_EQ(columnOf(1, false), 0);
  EXPECT_EQ(columnOf(1e7, false), bothZeroColumn - 1);
  EXPECT_EQ(columnOf(101, true), bothZeroColumn);
}

// Recounting the grid with other limits, as the report page does, gives the same counts as a comparison with
// those limits.
TEST(Plane, OtherLimitsAreWhatAComparisonWithThemCounts) {
  Random random(5);
  for (EightBit eightBit : {EightBit::none, EightBit::int8}) {
    Tensor r(DType::f32, {20000}), t(DType::f32, {20000});
    for (size_t i = 0; i < 20000; ++i) {
      const double magnitude = std::exp(static_cast<double>(random.below(2000)) * 0.005 - 8);
      const double error = std::exp(static_cast<double>(random.below(2000)) * 0.008 - 12);
      r.mutableAs<float>()[i] = random.below(20) ? static_cast<float>(magnitude) : 0;
      t.mutableAs<float>()[i] =
          random.below(10) ? static_cast<float>(magnitude * (1 + (random.below(2) ? error : -error))) : 0;
    }
    CompareOptions options;
    options.limits.eightBit = eightBit;
    const Comparison first = compareTensors(r, t, options);
    for (size_t oomEdge : {0u, 7u, 20u, 33u, 60u})
      for (size_t relativeEdge : {0u, 22u, 35u, 40u, 70u}) {
        options.limits.oom = oomEdges[oomEdge];
        options.limits.relativePercent = relativeEdges[relativeEdge];
        EXPECT_EQ(first.plane.subsetsAt(oomEdge, relativeEdge), compareTensors(r, t, options).subsets())
            << options.limits.oom << " " << options.limits.relativePercent;
      }
  }
}

} // namespace
} // namespace tilerig::verify
