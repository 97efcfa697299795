// Tests of the lookup tables that assign elements to cells of the error grid: they agree with the rules,
// which use divisions.
#include "verify/Metrics/CellTables.h"
#include "tests/support/RandomTensor.h"
#include "verify/Metrics/Compare.h"

#include <gtest/gtest.h>

namespace tilerig::verify {
namespace {

Rule ruleWith(double anchor) {
  Rule rule;
  rule.anchor = anchor;
  return rule;
}

int32_t columnByTable(const SizeTable &sizes, double size) {
  const double clamped = std::min(std::max(size, sizes.least), sizes.most);
  return columnOfCounted(static_cast<uint32_t>(
      lookUp(sizes.addends.data(), doubleBits(clamped) - (sizes.firstCell << cellShift))));
}

int32_t rowByTable(double quotient) {
  const double size = std::min(std::max(std::fabs(quotient), quotients::least), quotients::most);
  const double sided = quotient < 0 ? size * quotients::negativeFactor : size;
  const uint64_t bits = doubleBits(sided) - (quotients::firstCell << cellShift);
  return rowOfCounted(static_cast<uint32_t>(lookUp(quotients::table.addends.data(), bits)));
}

// Columns of the error grid that are looked up in tables equal those computed from the quotient, for numbers
// within a few ulp of every boundary between columns and for random numbers.
TEST(CellTables, ColumnsAreThoseOfTheQuotient) {
  Random random(11);
  for (double anchor : {1.0, 3.1415, 1e-30, 6.5e4, 3.4e38, 0x1.fffffep-1, 1.0 / 3}) {
    const auto tables = cellTablesFor(ruleWith(anchor));
    ASSERT_TRUE(tables);
    auto expectSame = [&](double size) {
      ASSERT_EQ(columnByTable(tables->sizes, size), columnOf(anchor / size, false)) << anchor << " " << size;
    };
    for (double edge : oomEdges) {
      const uint64_t near = doubleBits(anchor / edge);
      for (uint64_t bits = near - 20; bits <= near + 20; ++bits)
        expectSame(doubleOf(bits));
    }
    for (int i = 0; i < 20000; ++i)
      expectSame(anchor * std::exp(-static_cast<double>(random.below(1000000)) * 2e-5));
    for (double size : {anchor, anchor * 4, anchor * 1e-9, 5e-324, 1e300})
      expectSame(size);
  }
}

TEST(CellTables, RowsAreThoseOfThePercentage) {
  Random random(12);
  auto expectSame = [](double quotient) {
    ASSERT_EQ(rowByTable(quotient), rowOf(quotient * 100)) << quotient;
    ASSERT_EQ(rowByTable(-quotient), rowOf(quotient * -100)) << quotient;
  };
  for (double edge : relativeEdges) {
    const uint64_t near = doubleBits(edge / 100);
    for (uint64_t bits = near - 20; bits <= near + 20; ++bits)
      expectSame(doubleOf(bits));
  }
  for (int i = 0; i < 100000; ++i)
    expectSame(std::exp(static_cast<double>(random.below(1000000)) * 3e-5 - 15));
  for (double quotient : {5e-324, 1e-300, 1e300, std::numeric_limits<double>::infinity()})
    expectSame(quotient);
}

TEST(CellTables, AreOnlyForLimitsThatAreEdges) {
  EXPECT_TRUE(cellTablesFor(ruleWith(1)));
  EXPECT_FALSE(cellTablesFor(ruleWith(0)));
  // There are no lookup tables for an anchor (the magnitude by which elements are divided) so small that the
  // quotients lose bits.
  EXPECT_FALSE(cellTablesFor(ruleWith(1e-300)));
  Rule rule = ruleWith(1);
  rule.oomLimit = 101;
  EXPECT_FALSE(cellTablesFor(rule));
  rule = ruleWith(1);
  rule.relativePercent = 3.5;
  EXPECT_FALSE(cellTablesFor(rule));
  rule = ruleWith(1);
  rule.eightBit = true;
  EXPECT_FALSE(cellTablesFor(rule));
}

// One cell gets more elements than a counter of the lookup tables can hold.
TEST(CellTables, CountersDoNotOverflow) {
  Tensor tensor(DType::f32, {300001});
  std::ranges::fill(tensor.mutableAs<float>(), 1.f);
  const Comparison comparison = compareTensors(tensor, tensor);
  EXPECT_EQ(comparison.subsets(), (SubsetCounts{0, 300001, 0}));
  EXPECT_EQ(comparison.plane.at(static_cast<size_t>(Subset::passed), equalRow, 0), 300001u);
}

} // namespace
} // namespace tilerig::verify
