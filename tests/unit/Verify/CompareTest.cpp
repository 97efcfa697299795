// Tests of the status of a comparison, and of special elements (zeros, NaN, infinities, 8-bit values).
#include "verify/Metrics/Compare.h"

#include <gtest/gtest.h>

namespace tilerig::verify {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

CompareOptions with(const Limits &limits) {
  CompareOptions options;
  options.limits = limits;
  return options;
}
const CompareOptions exactly = [] {
  CompareOptions options;
  options.exact = true;
  return options;
}();
const CompareOptions acrossTypes = [] {
  CompareOptions options;
  options.acrossTypes = true;
  return options;
}();

Comparison compared(std::initializer_list<float> reference, std::initializer_list<float> target,
                    const CompareOptions &options = {}) {
  const Shape shape = {static_cast<int64_t>(reference.size())};
  return compareTensors(Tensor::of<float>(shape, reference), Tensor::of<float>(shape, target), options);
}

TEST(Compare, EqualTensorsMatch) {
  Comparison comparison = compared({1, -2, 0, 4}, {1, -2, -0.0f, 4}, exactly);
  EXPECT_EQ(comparison.status, TensorStatus::match);
  EXPECT_EQ(comparison.reason, "");
  EXPECT_EQ(comparison.different, 0u);
  EXPECT_EQ(comparison.subsets(), (SubsetCounts{1, 3, 0})); // zeros are too small to count in the comparison
  EXPECT_EQ(comparison.maxAbs, 0);
  EXPECT_EQ(comparison.cosine, 1);
  EXPECT_EQ(comparison.sqnrDecibel, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(comparison.worst.empty());
}

TEST(Compare, ExactnessIsMoreThanPassing) {
  EXPECT_EQ(compared({1, 2}, {1, 2.01f}).status, TensorStatus::match);
  Comparison comparison = compared({1, 2}, {1, 2.01f}, exactly);
  EXPECT_EQ(comparison.status, TensorStatus::mismatch);
  EXPECT_EQ(comparison.reason, "1 of 2 elements are not equal");
  EXPECT_EQ(comparison.failed, 0u);
}

TEST(Compare, AFailedElementIsAMismatch) {
  Comparison comparison = compared({100, 2, 1, 0.5f}, {100, 2.1f, 1, 0.6f});
  EXPECT_EQ(comparison.status, TensorStatus::mismatch);
  EXPECT_EQ(comparison.reason,
            "1 of 4 elements fail"); // the last element is 200 times smaller than the largest
  EXPECT_EQ(comparison.subsets(), (SubsetCounts{1, 2, 1}));
  ASSERT_EQ(comparison.worst.size(), 2u);
  EXPECT_EQ(comparison.worst[0].index, 3u);
  EXPECT_EQ(comparison.worst[1].index, 1u);
}

TEST(Compare, OtherShapesAndTypesAreNeverAPass) {
  auto a = Tensor::of<float>({2, 1}, {1, 2});
  Comparison comparison = compareTensors(a, Tensor::of<float>({1, 2}, {1, 2}));
  EXPECT_EQ(comparison.status, TensorStatus::shapeMismatch);
  EXPECT_EQ(comparison.reason, "the reference has shape [2, 1], the target [1, 2]");
  auto b = Tensor::of<double>({2, 1}, {1, 2});
  comparison = compareTensors(a, b);
  EXPECT_EQ(comparison.status, TensorStatus::dtypeMismatch);
  EXPECT_EQ(comparison.reason, "the reference has type float32, the target float64");
  EXPECT_EQ(compareTensors(a, b, acrossTypes).status, TensorStatus::match);
  EXPECT_FALSE(compareTensors(a, b, acrossTypes).ulps);
  auto c = Tensor::of<std::complex<float>>({2, 1}, {{1, 0}, {2, 0}});
  EXPECT_EQ(compareTensors(a, c, acrossTypes).status, TensorStatus::dtypeMismatch);
}

TEST(Compare, NothingToCompareIsNoPass) {
  Comparison comparison = compareTensors(Tensor(DType::f32, {0, 3}), Tensor(DType::f32, {0, 3}));
  EXPECT_EQ(comparison.status, TensorStatus::empty);
  EXPECT_EQ(comparison.elements, 0u);
  EXPECT_EQ(compareTensors(Tensor(DType::f32, {0, 3}), Tensor(DType::f32, {3, 0})).status,
            TensorStatus::shapeMismatch);
}

TEST(Compare, NotANumberOnOneSideFails) {
  for (auto [r, t] : {std::pair{nan, 1.0f},
                      {1.0f, nan},
                      {infinity, 1.0f},
                      {1e-9f, infinity},
                      {infinity, -infinity},
                      {nan, infinity}}) {
    SCOPED_TRACE(testing::Message() << r << " " << t);
    Comparison comparison = compared({2, r, 3}, {2, t, 3});
    EXPECT_EQ(comparison.status, TensorStatus::nonFinite);
    EXPECT_EQ(
        comparison.reason,
        "1 of 3 elements are NaN or infinite in the reference or the target, and differ between the two");
    EXPECT_EQ(comparison.subsets(), (SubsetCounts{0, 2, 1}));
    EXPECT_EQ(comparison.nonFiniteDiffering, 1u);
    EXPECT_EQ(comparison.different, 1u);
    EXPECT_EQ(comparison.buckets.back(), 1u);
    EXPECT_EQ(comparison.maxAbs, 0); // finite elements only
    EXPECT_EQ(comparison.referenceNan, std::isnan(r) ? 1u : 0u);
    EXPECT_EQ(comparison.referenceInfinite, std::isinf(r) ? 1u : 0u);
    EXPECT_EQ(comparison.targetNan, std::isnan(t) ? 1u : 0u);
    EXPECT_EQ(comparison.targetInfinite, std::isinf(t) ? 1u : 0u);
  }
}

TEST(Compare, NotANumberOnBothSidesIsCounted) {
  Comparison comparison = compared({nan, infinity, -infinity, 1}, {nan, infinity, -infinity, 1}, exactly);
  EXPECT_EQ(comparison.status, TensorStatus::match);
  EXPECT_EQ(comparison.nonFiniteAgreeing, 3u);
  EXPECT_EQ(comparison.referenceNan, 1u);
  EXPECT_EQ(comparison.targetInfinite, 2u);
  EXPECT_EQ(comparison.largestReference, 1);
}

TEST(Compare, WorstElementsKeepTheirPlacesBesideWhatIsNotFinite) {
  Comparison comparison = compared({nan, 1, nan, 5, 7}, {nan, 1, nan, 5.5f, 7});
  ASSERT_EQ(comparison.worst.size(), 1u);
  EXPECT_EQ(comparison.worst[0].index, 3u);
  ASSERT_TRUE(comparison.ulps);
  EXPECT_EQ((*comparison.ulps)[0], 2u);
}

TEST(Compare, AZeroReference) {
  // The reference is all zero and the target is not: there is no largest element, so no element is small
  // enough to be discarded.
  Comparison comparison = compared({0, 0, 0}, {0, 1e-20f, 3});
  EXPECT_EQ(comparison.subsets(), (SubsetCounts{1, 0, 2}));
  EXPECT_EQ(comparison.undefined, 2u);
  EXPECT_EQ(comparison.status, TensorStatus::mismatch);
  EXPECT_TRUE(std::isnan(comparison.cosine));
  // If both tensors are all zero, no element fails.
  comparison = compared({0, 0}, {0, 0}, exactly);
  EXPECT_EQ(comparison.status, TensorStatus::match);
  EXPECT_EQ(comparison.subsets(), (SubsetCounts{2, 0, 0}));
}

TEST(Compare, EightBitTypesAreExcusedAStep) {
  auto r = Tensor::of<int8_t>({4}, {127, 10, 10, -128});
  auto t = Tensor::of<int8_t>({4}, {127, 11, 12, -127});
  Comparison comparison = compareTensors(r, t);
  EXPECT_EQ(comparison.limits.eightBit, EightBit::int8);
  ASSERT_TRUE(comparison.bitsOff);
  // `bitsOff` is a histogram of differences with one bin for each half quantisation step. A difference of n
  // steps is counted in bin 2 n - 1: one step in bin 1, two steps in bin 3.
  EXPECT_EQ((*comparison.bitsOff)[0], 1u);
  EXPECT_EQ((*comparison.bitsOff)[1], 2u);
  EXPECT_EQ((*comparison.bitsOff)[3], 1u);
  EXPECT_EQ(comparison.subsets(), (SubsetCounts{0, 3, 1}));
  EXPECT_EQ(comparison.excused, 1u);
  ASSERT_TRUE(comparison.referenceRails && comparison.targetRails);
  EXPECT_EQ(comparison.referenceRails->low, 1u);
  EXPECT_EQ(comparison.targetRails->low, 0u);
  EXPECT_EQ(comparison.targetRails->high, 1u);
  auto u = Tensor::of<uint8_t>({2}, {255, 0});
  EXPECT_EQ(compareTensors(u, u).limits.eightBit, EightBit::uint8);
}

TEST(Compare, LargeIntegersThatADoubleCannotTellApart) {
  auto r = Tensor::of<int64_t>({3}, {INT64_MAX, INT64_MIN, (int64_t{1} << 60) + 1});
  auto t = Tensor::of<int64_t>({3}, {INT64_MAX - 1, INT64_MIN, int64_t{1} << 60});
  Comparison comparison = compareTensors(r, t, exactly);
  EXPECT_EQ(comparison.status, TensorStatus::mismatch);
  EXPECT_EQ(comparison.different, 2u);
  EXPECT_EQ(comparison.maxAbs, 1);
}

TEST(Compare, ComplexNumbersAreTheirParts) {
  auto r = Tensor::of<std::complex<double>>({2}, {{1, 2}, {3, 4}});
  auto t = Tensor::of<std::complex<double>>({2}, {{1, 2}, {3, 5}});
  Comparison comparison = compareTensors(r, t);
  EXPECT_EQ(comparison.elements, 4u);
  EXPECT_EQ(comparison.subsets(), (SubsetCounts{0, 3, 1}));
  EXPECT_EQ(comparison.worst.at(0).index, 3u);
}

TEST(Compare, HugeNumbersHaveFiniteFigures) {
  auto r = Tensor::of<double>({2}, {1e300, -1e300});
  auto t = Tensor::of<double>({2}, {1e300, -1.01e300});
  Comparison comparison = compareTensors(r, t);
  EXPECT_NEAR(comparison.cosine, 0.99998762, 1e-8);
  EXPECT_NEAR(comparison.sqnrDecibel, 43.0103, 1e-4);
  EXPECT_NEAR(comparison.rms, 7.0710678e297, 1e290);
}

TEST(Compare, Anchors) {
  Limits limits;
  limits.anchor = Anchor::secondLargest;
  EXPECT_EQ(compared({1, -8, 50}, {1, -8, 50}, with(limits)).anchor, 8);
  EXPECT_EQ(compared({50, -50}, {50, -50}, with(limits)).anchor, 50);
  limits.anchor = Anchor::rms;
  EXPECT_EQ(compared({3, -4, 0, 0}, {3, -4, 0, 0}, with(limits)).anchor, 2.5);
}

} // namespace
} // namespace tilerig::verify
