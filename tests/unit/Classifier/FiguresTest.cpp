// Tests of evaluation metrics (precision, recall, F1, calibration error) against numbers worked out by hand.
#include "classifier/Judging/Figures.h"

#include <gtest/gtest.h>

namespace tilerig::test {
namespace {

using namespace classifier;
using enum BugClass;

TEST(Figures, OfThreeClasses) {
  // Of the three rows of class padding, two are classified right; the only row of scaling is classified
  // right, and one row of padding is taken for scaling; the only row of rounding is classified wrong.
  const std::vector<Judged> rows = {{padding, padding, 0.9f},
                                    {padding, padding, 0.9f},
                                    {padding, scaling, 0.6f},
                                    {scaling, scaling, 0.6f},
                                    {rounding, padding, 0.5f}};
  const Figures figures = figuresOf(rows);
  EXPECT_EQ(figures.rows, 5u);
  EXPECT_DOUBLE_EQ(figures.accuracy, 3.0 / 5);
  const ClassFigures &of = figures.classes[static_cast<size_t>(padding)];
  EXPECT_DOUBLE_EQ(of.precision(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(of.recall(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(of.f1(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(figures.classes[static_cast<size_t>(scaling)].f1(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(figures.macroF1, (2.0 / 3 + 2.0 / 3 + 0) / 3);
  EXPECT_DOUBLE_EQ(figures.worstRecall, 0);
  EXPECT_EQ(figures.worstClass, rounding);
  EXPECT_EQ(figures.confusion[static_cast<size_t>(rounding)][static_cast<size_t>(padding)], 1u);
  // The five answers fall into three bins of confidence: two with 0.9 (expected to be right: 1.8, actually
  // right: 2), two with 0.6 (expected 1.2, actually 1) and one with 0.5 (expected 0.5, actually 0).
  EXPECT_NEAR(figures.calibrationError, (0.2 + 0.2 + 0.5) / 5, 1e-6);
}

TEST(Figures, AClassWithoutRowsIsNotCounted) {
  const Figures figures = figuresOf({{padding, padding, 1}, {padding, padding, 1}});
  EXPECT_DOUBLE_EQ(figures.macroF1, 1);
  EXPECT_DOUBLE_EQ(figures.worstRecall, 1);
  EXPECT_DOUBLE_EQ(figures.calibrationError, 0);
}

TEST(Figures, OfNothing) {
  const Figures figures = figuresOf({});
  EXPECT_EQ(figures.rows, 0u);
  EXPECT_DOUBLE_EQ(figures.macroF1, 0);
}

TEST(Separation, PairsInTheRightOrder) {
  // There are six pairs of a known and an unknown score. In four of them the unknown score is higher, and in
  // one the scores are equal.
  const Separation separation = separationOf({1, 2, 3}, {2, 4});
  EXPECT_DOUBLE_EQ(separation.area, (1 + 0.5 + 3) / 6);
}

TEST(Separation, PassingWhere95Of100Pass) {
  std::vector<float> known, unknown = {90, 94, 95, 99};
  for (int i = 0; i < 100; ++i)
    known.push_back(static_cast<float>(i)); // 95 of these 100 scores, 0 to 94, are within a limit of 94
  EXPECT_DOUBLE_EQ(separationOf(known, unknown).passing, 0.5);
  EXPECT_DOUBLE_EQ(separationOf(known, {1000}).passing, 0);
  EXPECT_DOUBLE_EQ(separationOf(known, {1000}).area, 1);
}

} // namespace
} // namespace tilerig::test
