// Tests of the classifier's features that fit a formula to the errors of unsaturated elements, and of those
// that count repeated values.
#include "tests/unit/Verify/EvidencePair.h"

namespace tilerig::verify {
namespace {

// Four channels of 8 x 8 integers from 0 to 127. Half of the elements of each channel are 0, as if saturated
// there.
class FitFeatures : public test::EvidencePair {
protected:
  static constexpr size_t channels = 4, places = 64;

  FitFeatures() {
    reference = Tensor(DType::f32, {1, channels, 8, 8});
    for (size_t i = 0; i < channels * places; ++i)
      reference.mutableAs<float>()[i] = due(i);
    target = reference;
  }
  static float due(size_t i) {
    const size_t mixed = i * 577 % 256; // 577 and 256 are coprime, so all numbers occur equally often
    return mixed < 128 ? 0 : static_cast<float>(mixed - 128);
  }
  // Changes only non-zero elements, as for sums after a ReLU.
  template <class Change>
  void change(size_t firstChannel, size_t endChannel, Change change) {
    for (size_t i = firstChannel * places; i < endChannel * places; ++i)
      if (due(i) > 0)
        target.mutableAs<float>()[i] = change(due(i), i / places);
  }
};

TEST_F(FitFeatures, AnOffsetBehindARectifier) {
  change(0, channels, [](float r, size_t) { return r + 2; });
  make();
  EXPECT_LT(feature(Feature::byOffset), 0.6F); // zeros stayed unchanged
  EXPECT_NEAR(feature(Feature::innerOffset), 1, 1e-5);
  EXPECT_NEAR(feature(Feature::innerGain), 1, 1e-5); // the fit of gain and offset to errors finds gain 1
  // Nearly all elements that differ lie inside the range of values; only the largest ones are at a limit of
  // the range.
  EXPECT_NEAR(feature(Feature::innerDifferent), 126.0 / 128, 0.02);
}

TEST_F(FitFeatures, GainsOfChannels) {
  change(0, channels, [](float r, size_t channel) { return r / static_cast<float>(2 << channel); });
  make();
  EXPECT_EQ(feature(Feature::powerGains), 1);
  EXPECT_NEAR(feature(Feature::innerChannelGain), 1, 1e-5);
  EXPECT_LT(feature(Feature::innerGain), 0.99F);
  // The feature states a gain as slope / (1 + slope): the gains 1/2, 1/4, 1/8, 1/16 become 1/3, 1/5, 1/9,
  // 1/17.
  const double mean = (1.0 / 3 + 1.0 / 5 + 1.0 / 9 + 1.0 / 17) / 4;
  const double squares = (1.0 / 9 + 1.0 / 25 + 1.0 / 81 + 1.0 / 289) / 4;
  EXPECT_NEAR(feature(Feature::gainSpread), std::sqrt(squares - mean * mean), 1e-4);
}

TEST_F(FitFeatures, AGainThatIsNoPower) {
  change(0, channels, [](float r, size_t) { return r * 0.7F; });
  make();
  EXPECT_EQ(feature(Feature::powerGains), 0);
  EXPECT_NEAR(feature(Feature::gainSpread), 0, 1e-3);
  EXPECT_NEAR(feature(Feature::innerGain), 1, 1e-5);
}

TEST_F(FitFeatures, AChannelLikeAnother) {
  for (size_t place = 0; place < places; ++place) // channel 0 becomes 3 times channel 2, plus 5
    target.mutableAs<float>()[place] = 3 * due(2 * places + place) + 5;
  make();
  EXPECT_NEAR(feature(Feature::otherCorrelation), 1, 1e-5);
  target = reference;
  change(0, 1, [](float r, size_t) { return r / 2; });
  make();
  EXPECT_LT(feature(Feature::otherCorrelation), 0.7F);
}

TEST_F(FitFeatures, WrapsOfEightBits) {
  reference = Tensor(DType::i8, {1, 1, 4, 4});
  for (size_t i = 0; i < 16; ++i)
    reference.mutableAs<int8_t>()[i] = static_cast<int8_t>(i);
  target = reference;
  target.mutableAs<int8_t>()[3] = 3 + 64;
  target.mutableAs<int8_t>()[5] = 5 - 32;
  target.mutableAs<int8_t>()[7] = 7 + 8; // 8 is no multiple of 16, so it does not come from a lost high bit
  target.mutableAs<int8_t>()[9] = 9 + 30;
  make();
  EXPECT_EQ(feature(Feature::wholeWraps), 0.5F);
}

TEST_F(FitFeatures, OneValueInManyPlaces) {
  for (const size_t place : {8, 9, 10, 30})
    target.mutableAs<float>()[place] = 200;
  make();
  EXPECT_EQ(feature(Feature::commonTarget), 1);
  // Elements 9 and 10 equal their left neighbours, 30 does not.
  EXPECT_EQ(feature(Feature::repeatedTargets), 0.5F);
}

} // namespace
} // namespace tilerig::verify
