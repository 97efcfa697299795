// Tests of the features of tensors whose errors are known by construction.
#include "tests/unit/Verify/EvidencePair.h"
#include "verify/Evidence/MeasureFacts.h"

#include <cmath>

namespace tilerig::verify {
namespace {

using EvidenceFacts = test::EvidencePair;

TEST_F(EvidenceFacts, NothingIsWrong) {
  make();
  EXPECT_EQ(fact(Fact::isF32), 1);
  EXPECT_EQ(fact(Fact::sizeElements), static_cast<float>(std::log2(65.0) / 32));
  EXPECT_EQ(fact(Fact::sizeBatch), 1.0F / 32);
  EXPECT_EQ(fact(Fact::sizeChannels), static_cast<float>(std::log2(3.0) / 32));
  EXPECT_EQ(fact(Fact::sizeHeight), static_cast<float>(std::log2(5.0) / 32));
  EXPECT_EQ(fact(Fact::sizeWidth), static_cast<float>(std::log2(9.0) / 32));
  EXPECT_EQ(fact(Fact::correlation), 1);
  for (size_t i = static_cast<size_t>(Fact::layerKnown); i < numFacts; ++i)
    if (static_cast<Fact>(i) != Fact::correlation) {
      EXPECT_EQ(made.facts[i], 0) << nameOf(static_cast<Fact>(i));
    }
}

TEST_F(EvidenceFacts, AnOffsetOfOneChannel) {
  for (size_t i = 0; i < 32; ++i)
    target.mutableAs<float>()[i] += 1;
  make();
  EXPECT_EQ(fact(Fact::different), 0.5F);
  EXPECT_EQ(fact(Fact::channelsDifferent), 0.5F);
  EXPECT_EQ(fact(Fact::rowsDifferent), 1);
  EXPECT_EQ(fact(Fact::columnsDifferent), 1);
  EXPECT_EQ(fact(Fact::boxFilled), 1);
  EXPECT_EQ(fact(Fact::meanSign), 1);
  EXPECT_NEAR(fact(Fact::byChannelOffset), 1, 1e-5);
  EXPECT_NEAR(fact(Fact::byChannelGain), 1, 1e-5);
  // The squared errors sum to 32, of which a single offset leaves half unexplained; 64 / 63 corrects for its
  // degree of freedom.
  EXPECT_NEAR(fact(Fact::byOffset), 1 - 0.5 * 64 / 63, 1e-5);
  // One offset for each position of the image fits as well, but its 32 parameters use up as many elements.
  EXPECT_NEAR(fact(Fact::byPlace), 0, 1e-5);
  EXPECT_EQ(fact(Fact::runs), 1.0F / 32); // all wrong elements form a single run
  EXPECT_EQ(fact(Fact::longestRun), static_cast<float>(std::log2(33.0) / 32));
  // An error of 1 in 64 is 2^-6.
  EXPECT_EQ(fact(Fact::largestError), (32.0F - 6) / 32);
  EXPECT_NEAR(fact(Fact::meanError), std::sqrt(0.5), 1e-6);
}

TEST_F(EvidenceFacts, AGain) {
  for (float &it : target.mutableAs<float>())
    it *= 3;
  make();
  EXPECT_NEAR(fact(Fact::byGain), 1, 1e-6);
  EXPECT_NEAR(fact(Fact::byChannelGain), 1, 1e-6);
  EXPECT_NEAR(fact(Fact::slope), 3.0 / 4, 1e-6);
  EXPECT_EQ(fact(Fact::different), 1);
  EXPECT_EQ(fact(Fact::negated), 0);
}

TEST_F(EvidenceFacts, Rails) {
  for (float &it : target.mutableAs<float>())
    it = it < 33 ? it : 64; // half of the elements saturate at the top
  make();
  EXPECT_EQ(fact(Fact::targetsAtRail), 1);
  EXPECT_EQ(fact(Fact::referencesAtRail), 0);
  EXPECT_EQ(fact(Fact::different), 31.0F / 64);
}

TEST_F(EvidenceFacts, StepsOfEightBits) {
  reference = Tensor::of<int8_t>({1, 4}, {-128, -1, 0, 127});
  target = Tensor::of<int8_t>({1, 4}, {0, 0, -128, 126});
  make();
  EXPECT_EQ(fact(Fact::isInt8), 1);
  EXPECT_EQ(fact(Fact::halfRange), 0.5F);
  EXPECT_EQ(fact(Fact::smallSteps), 0.5F);
  EXPECT_EQ(fact(Fact::zeroTargets), 0.5F);
  EXPECT_EQ(fact(Fact::zeroReferences), 0.25F);
  EXPECT_EQ(fact(Fact::referencesAtRail), 0.5F);
  EXPECT_EQ(fact(Fact::targetsAtRail), 0.25F);
}

TEST_F(EvidenceFacts, UnitsOfTheLastPlace) {
  at(0, 0, 0) = std::nextafter(due(0, 0, 0), 2.0F);
  at(1, 3, 7) += 1;
  make();
  EXPECT_EQ(fact(Fact::smallSteps), 0.5F);
}

TEST_F(EvidenceFacts, TurnedImages) {
  reference = Tensor(DType::f32, {1, 1, 3, 4});
  for (size_t i = 0; i < 12; ++i)
    reference.mutableAs<float>()[i] = static_cast<float>(i + 1);
  // The target is the transposed reference in memory.
  target = Tensor::of<float>({1, 1, 3, 4}, {1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12});
  make();
  EXPECT_EQ(fact(Fact::transposed), 1);
  EXPECT_EQ(fact(Fact::channelsLast), 0);
  EXPECT_NEAR(fact(Fact::sameValues), 1, 1e-6);
}

TEST_F(EvidenceFacts, ChannelsThatComeLast) {
  for (size_t channel = 0; channel < 2; ++channel)
    for (size_t place = 0; place < 32; ++place)
      target.mutableAs<float>()[place * 2 + channel] = reference.as<float>()[channel * 32 + place];
  make();
  EXPECT_EQ(fact(Fact::channelsLast), 1);
  EXPECT_LT(fact(Fact::transposed), 0.2F);
}

TEST_F(EvidenceFacts, WhatIsKnown) {
  at(0, 0, 0) = 9;
  Circumstances known;
  known.seams = Seams{{}, {}, {1}, {}};
  known.layerKind = "MaxPool";
  known.order.emplace();
  known.order->unordered = known.order->other = true;
  known.trapped = known.isOracle = true;
  make(known);
  for (const Fact one :
       {Fact::isPool, Fact::layerKnown, Fact::seamsKnown, Fact::orderKnown, Fact::oracleKnown,
        Fact::unordered, Fact::otherProblem, Fact::trapped, Fact::seamDifferent})
    EXPECT_EQ(fact(one), 1) << nameOf(one);
  for (const Fact none :
       {Fact::isConv, Fact::isOtherLayer, Fact::uninitialised, Fact::isolatedKnown, Fact::jitterKnown})
    EXPECT_EQ(fact(none), 0) << nameOf(none);
}

// With two dumps alone, features that need more information are zero.
TEST_F(EvidenceFacts, TwoDumpsKnowNoMore) {
  at(0, 1, 1) = 70;
  make();
  for (size_t i = 0; i < numFacts; ++i)
    if (needOf(static_cast<Fact>(i)) != FactNeed::tensors) {
      EXPECT_EQ(made.facts[i], 0) << nameOf(static_cast<Fact>(i));
    }
  for (size_t i = 0; i < numChannels; ++i)
    if (needOf(static_cast<Channel>(i)) != FactNeed::tensors)
      expectOnly(static_cast<Channel>(i), 0, 0, 0, 0, 0);
}

TEST_F(EvidenceFacts, NumbersThatAreNone) {
  at(0, 0, 0) = std::numeric_limits<float>::quiet_NaN();
  at(0, 0, 1) = std::numeric_limits<float>::infinity();
  make();
  EXPECT_EQ(fact(Fact::notFinite), 2.0F / 64);
  for (size_t i = 0; i < numFacts; ++i)
    EXPECT_TRUE(std::isfinite(made.facts[i])) << nameOf(static_cast<Fact>(i));
  reference = target = Tensor(DType::f32, {1, 2, 4, 8}); // all elements are zero
  at(1, 1, 1) = 1;
  make();
  for (size_t i = 0; i < numFacts; ++i)
    EXPECT_TRUE(std::isfinite(made.facts[i])) << nameOf(static_cast<Fact>(i));
}

// Features are finite for any shape and type and for numbers of any magnitude.
TEST_F(EvidenceFacts, WhateverComes) {
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
        for (size_t i = 0; i < numFacts; ++i)
          ASSERT_TRUE(std::isfinite(made.facts[i]) && std::fabs(made.facts[i]) <= 2)
              << nameOf(static_cast<Fact>(i));
        for (const float it : made.channels.as<float>())
          ASSERT_TRUE(it >= 0 && it <= 1);
      }
}

TEST(LayerKinds, HaveAFact) {
  EXPECT_EQ(factOfKind("Conv"), Fact::isConv);
  EXPECT_EQ(factOfKind("ReduceMean"), Fact::isReduction);
  EXPECT_EQ(factOfKind("Concat"), Fact::isMovement);
  EXPECT_EQ(factOfKind("TopK"), Fact::isOtherLayer);
}

} // namespace
} // namespace tilerig::verify
