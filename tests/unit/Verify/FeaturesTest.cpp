// Tests of the features of tensors whose errors are known by construction.
#include "tests/unit/Verify/EvidencePair.h"
#include "verify/Evidence/MeasureFeatures.h"

#include <cmath>

namespace tilerig::verify {
namespace {

using EvidenceFeatures = test::EvidencePair;

TEST_F(EvidenceFeatures, NothingIsWrong) {
  make();
  EXPECT_EQ(feature(Feature::isF32), 1);
  EXPECT_EQ(feature(Feature::sizeElements), static_cast<float>(std::log2(65.0) / 32));
  EXPECT_EQ(feature(Feature::sizeBatch), 1.0F / 32);
  EXPECT_EQ(feature(Feature::sizeChannels), static_cast<float>(std::log2(3.0) / 32));
  EXPECT_EQ(feature(Feature::sizeHeight), static_cast<float>(std::log2(5.0) / 32));
  EXPECT_EQ(feature(Feature::sizeWidth), static_cast<float>(std::log2(9.0) / 32));
  EXPECT_EQ(feature(Feature::correlation), 1);
  for (size_t i = static_cast<size_t>(Feature::layerKnown); i < numFeatures; ++i)
    if (static_cast<Feature>(i) != Feature::correlation) {
      EXPECT_EQ(evidence.features[i], 0) << nameOf(static_cast<Feature>(i));
    }
}

TEST_F(EvidenceFeatures, AnOffsetOfOneChannel) {
  for (size_t i = 0; i < 32; ++i)
    target.mutableAs<float>()[i] += 1;
  make();
  EXPECT_EQ(feature(Feature::different), 0.5F);
  EXPECT_EQ(feature(Feature::channelsDifferent), 0.5F);
  EXPECT_EQ(feature(Feature::rowsDifferent), 1);
  EXPECT_EQ(feature(Feature::columnsDifferent), 1);
  EXPECT_EQ(feature(Feature::boxFilled), 1);
  EXPECT_EQ(feature(Feature::meanSign), 1);
  EXPECT_NEAR(feature(Feature::byChannelOffset), 1, 1e-5);
  EXPECT_NEAR(feature(Feature::byChannelGain), 1, 1e-5);
  // The squared errors sum to 32. The best single offset leaves half of this unexplained; the factor 64 / 63
  // corrects for the one degree of freedom of an offset.
  EXPECT_NEAR(feature(Feature::byOffset), 1 - 0.5 * 64 / 63, 1e-5);
  // One offset for each position of the image leaves half unexplained, too. These are 32 degrees of freedom,
  // and after the correction for them (the factor 64 / 32) nothing counts as explained.
  EXPECT_NEAR(feature(Feature::byPlace), 0, 1e-5);
  EXPECT_EQ(feature(Feature::runs), 1.0F / 32); // the wrong elements form a single run
  EXPECT_EQ(feature(Feature::longestRun), static_cast<float>(std::log2(33.0) / 32));
  // The largest error is 1, in a tensor whose largest reference is 64: 2^-6.
  EXPECT_EQ(feature(Feature::largestError), (32.0F - 6) / 32);
  EXPECT_NEAR(feature(Feature::meanError), std::sqrt(0.5), 1e-6);
}

TEST_F(EvidenceFeatures, AGain) {
  for (float &element : target.mutableAs<float>())
    element *= 3;
  make();
  EXPECT_NEAR(feature(Feature::byGain), 1, 1e-6);
  EXPECT_NEAR(feature(Feature::byChannelGain), 1, 1e-6);
  EXPECT_NEAR(feature(Feature::slope), 3.0 / 4, 1e-6);
  EXPECT_EQ(feature(Feature::different), 1);
  EXPECT_EQ(feature(Feature::negated), 0);
}

TEST_F(EvidenceFeatures, Rails) {
  for (float &element : target.mutableAs<float>())
    element = element < 33 ? element : 64; // clips half of the elements at 64, the top of the range
  make();
  EXPECT_EQ(feature(Feature::targetsAtRail), 1);
  EXPECT_EQ(feature(Feature::referencesAtRail), 0);
  EXPECT_EQ(feature(Feature::different), 31.0F / 64);
}

TEST_F(EvidenceFeatures, StepsOfEightBits) {
  reference = Tensor::of<int8_t>({1, 4}, {-128, -1, 0, 127});
  target = Tensor::of<int8_t>({1, 4}, {0, 0, -128, 126});
  make();
  EXPECT_EQ(feature(Feature::isInt8), 1);
  EXPECT_EQ(feature(Feature::halfRange), 0.5F);
  EXPECT_EQ(feature(Feature::smallSteps), 0.5F);
  EXPECT_EQ(feature(Feature::zeroTargets), 0.5F);
  EXPECT_EQ(feature(Feature::zeroReferences), 0.25F);
  EXPECT_EQ(feature(Feature::referencesAtRail), 0.5F);
  EXPECT_EQ(feature(Feature::targetsAtRail), 0.25F);
}

TEST_F(EvidenceFeatures, UnitsOfTheLastPlace) {
  at(0, 0, 0) = std::nextafter(due(0, 0, 0), 2.0F);
  at(1, 3, 7) += 1;
  make();
  EXPECT_EQ(feature(Feature::smallSteps), 0.5F);
}

TEST_F(EvidenceFeatures, TurnedImages) {
  reference = Tensor(DType::f32, {1, 1, 3, 4});
  for (size_t i = 0; i < 12; ++i)
    reference.mutableAs<float>()[i] = static_cast<float>(i + 1);
  // In memory, the target is the transpose of the reference (its rows and columns are exchanged).
  target = Tensor::of<float>({1, 1, 3, 4}, {1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12});
  make();
  EXPECT_EQ(feature(Feature::transposed), 1);
  EXPECT_EQ(feature(Feature::channelsLast), 0);
  EXPECT_NEAR(feature(Feature::sameValues), 1, 1e-6);
}

TEST_F(EvidenceFeatures, ChannelsThatComeLast) {
  for (size_t channel = 0; channel < 2; ++channel)
    for (size_t place = 0; place < 32; ++place)
      target.mutableAs<float>()[place * 2 + channel] = reference.as<float>()[channel * 32 + place];
  make();
  EXPECT_EQ(feature(Feature::channelsLast), 1);
  EXPECT_LT(feature(Feature::transposed), 0.2F);
}

TEST_F(EvidenceFeatures, WhatIsKnown) {
  at(0, 0, 0) = 9;
  Circumstances known;
  known.seams = Seams{{}, {}, {1}, {}};
  known.layerKind = "MaxPool";
  known.order.emplace();
  known.order->unordered = known.order->other = true;
  known.trapped = known.isOracle = true;
  make(known);
  for (const Feature one :
       {Feature::isPool, Feature::layerKnown, Feature::seamsKnown, Feature::orderKnown, Feature::oracleKnown,
        Feature::unordered, Feature::otherProblem, Feature::trapped, Feature::seamDifferent})
    EXPECT_EQ(feature(one), 1) << nameOf(one);
  for (const Feature none : {Feature::isConv, Feature::isOtherLayer, Feature::uninitialised,
                             Feature::isolatedKnown, Feature::jitterKnown})
    EXPECT_EQ(feature(none), 0) << nameOf(none);
}

// With two dumps alone, features that need more information are zero.
TEST_F(EvidenceFeatures, TwoDumpsLackOtherFeatures) {
  at(0, 1, 1) = 70;
  make();
  for (size_t i = 0; i < numFeatures; ++i)
    if (needOf(static_cast<Feature>(i)) != FeatureNeed::tensors) {
      EXPECT_EQ(evidence.features[i], 0) << nameOf(static_cast<Feature>(i));
    }
  for (size_t i = 0; i < numChannels; ++i)
    if (needOf(static_cast<Channel>(i)) != FeatureNeed::tensors)
      expectOnly(static_cast<Channel>(i), 0, 0, 0, 0, 0);
}

TEST_F(EvidenceFeatures, NonFiniteNumbers) {
  at(0, 0, 0) = std::numeric_limits<float>::quiet_NaN();
  at(0, 0, 1) = std::numeric_limits<float>::infinity();
  make();
  EXPECT_EQ(feature(Feature::notFinite), 2.0F / 64);
  for (size_t i = 0; i < numFeatures; ++i)
    EXPECT_TRUE(std::isfinite(evidence.features[i])) << nameOf(static_cast<Feature>(i));
  reference = target = Tensor(DType::f32, {1, 2, 4, 8}); // all elements are zero
  at(1, 1, 1) = 1;
  make();
  for (size_t i = 0; i < numFeatures; ++i)
    EXPECT_TRUE(std::isfinite(evidence.features[i])) << nameOf(static_cast<Feature>(i));
}

// Features are finite for any shape and type and for numbers of any magnitude.
TEST_F(EvidenceFeatures, AreFiniteForAnyTensor) {
  const Shape shapes[] = {{}, {0}, {1}, {7}, {2, 3}, {2, 0, 3}, {2, 3, 4}, {1, 2, 3, 4, 5}, {3, 1, 1, 200}};
  constexpr double huge = 1e300, tiny = 1e-300;
  for (const Shape &shape : shapes)
    for (const DType type : {DType::f32, DType::f64, DType::i64, DType::u8, DType::boolean, DType::c64})
      for (const double size : {huge, tiny, 1.0}) {
        SCOPED_TRACE(showShape(shape) + std::string(nameOf(type)));
        reference = target = Tensor(type, shape);
        if (type == DType::f64 && target.elementCount() > 0)
          target.mutableAs<double>()[0] = size,
          reference.mutableAs<double>()[target.elementCount() - 1] = -size;
        else if (target.sizeBytes() > 0)
          target.mutableBytes()[0] = std::byte(1);
        make();
        for (size_t i = 0; i < numFeatures; ++i)
          ASSERT_TRUE(std::isfinite(evidence.features[i]) && std::fabs(evidence.features[i]) <= 2)
              << nameOf(static_cast<Feature>(i));
        for (const float number : evidence.channels.as<float>())
          ASSERT_TRUE(number >= 0 && number <= 1);
      }
}

TEST(LayerKinds, HaveAFeature) {
  EXPECT_EQ(featureOfKind("Conv"), Feature::isConv);
  EXPECT_EQ(featureOfKind("ReduceMean"), Feature::isReduction);
  EXPECT_EQ(featureOfKind("Concat"), Feature::isMovement);
  EXPECT_EQ(featureOfKind("TopK"), Feature::isOtherLayer);
}

} // namespace
} // namespace tilerig::verify
