// Tests of the features that describe errors by channel, tile and border, with errors placed where each
// feature applies.
#include "tests/unit/Verify/EvidencePair.h"

#include <cmath>

namespace tilerig::verify {
namespace {

// Fixture with twenty channels of 8 x 8 distinct elements.
class PartFeatures : public test::EvidencePair {
protected:
  static constexpr size_t channels = 20, places = 64;

  PartFeatures() {
    reference = Tensor(DType::f32, {1, channels, 8, 8});
    for (size_t i = 0; i < channels * places; ++i)
      // 577 and 1280 are coprime, so all elements are distinct
      reference.mutableAs<float>()[i] = static_cast<float>((i * 577 % 1280) + 1);
    target = reference;
  }
  float &in(size_t channel, size_t place) { return target.mutableAs<float>()[channel * places + place]; }
  void addTo(size_t first, size_t end, float offset) {
    for (size_t channel = first; channel < end; ++channel)
      for (size_t place = 0; place < places; ++place)
        in(channel, place) += offset;
  }
};

TEST_F(PartFeatures, TheLastChannels) {
  addTo(16, 20, 0.5F);
  make();
  EXPECT_EQ(feature(Feature::channelsSuffix), 1);
  EXPECT_EQ(feature(Feature::channelsPrefix), 0);
  // The four wrong channels fill the second block of 16 channels.
  EXPECT_EQ(feature(Feature::channelBlocks), 1);
  EXPECT_EQ(feature(Feature::offsetChannels), 1);
  EXPECT_EQ(feature(Feature::otherChannels), 0);
  EXPECT_NEAR(feature(Feature::channelCorrelation), 1, 1e-6);
  EXPECT_NEAR(feature(Feature::channelCorrelationSpread), 0, 1e-3);
  EXPECT_EQ(feature(Feature::borderWrong), 0.2F);
  EXPECT_EQ(feature(Feature::interiorWrong), 0.2F);
}

TEST_F(PartFeatures, TheFirstChannels) {
  addTo(0, 3, -1);
  make();
  EXPECT_EQ(feature(Feature::channelsPrefix), 1);
  EXPECT_EQ(feature(Feature::channelsSuffix), 0);
  EXPECT_EQ(feature(Feature::channelBlocks), 0);
}

TEST_F(PartFeatures, ChannelsThatChangedPlaces) {
  for (size_t place = 0; place < places; ++place)
    std::swap(in(2, place), in(7, place));
  in(9, 5) += 3; // the error of channel 9 differs from that of other channels
  make();
  EXPECT_NEAR(feature(Feature::otherChannels), 2.0 / 3, 1e-6);
  EXPECT_EQ(feature(Feature::channelsPrefix) + feature(Feature::channelsSuffix), 0);
}

// A border that is three elements wide leaves four of the 64 elements of a channel inside.
TEST_F(PartFeatures, TheBorder) {
  for (size_t channel = 0; channel < channels; ++channel)
    in(channel, 0) = 0;
  make();
  EXPECT_NEAR(feature(Feature::borderWrong), 1.0 / 60, 1e-6);
  EXPECT_EQ(feature(Feature::interiorWrong), 0);
}

TEST_F(PartFeatures, BiasesThatAreMissing) {
  Circumstances known;
  known.bias.emplace();
  for (size_t channel = 0; channel < channels; ++channel) {
    known.bias->push_back(static_cast<float>(channel) - 8);
    // The error of each channel is -3 times the bias of the channel.
    addTo(channel, channel + 1, 3 * (8 - static_cast<float>(channel)));
  }
  make(known);
  EXPECT_EQ(feature(Feature::biasKnown), 1);
  EXPECT_NEAR(feature(Feature::biasCorrelation), -1, 1e-6);
  known.bias->pop_back(); // the bias no longer has one value for each channel
  make(known);
  EXPECT_EQ(feature(Feature::biasCorrelation), 0);
}

TEST_F(PartFeatures, OneOfFourTiles) {
  Circumstances known;
  known.parts.emplace();
  for (uint32_t tile = 0; tile < 4; ++tile) // two rows each
    known.parts->push_back({tile, {0, 0, 2 * tile, 0}, {1, channels, 2, 8}});
  for (size_t channel = 0; channel < 10; ++channel) // ten of the twenty channels that tile 1 computes
    for (size_t place = 16; place < 32; ++place)
      in(channel, place) += 0.5F;
  make(known);
  EXPECT_EQ(feature(Feature::partsKnown), 1);
  EXPECT_EQ(feature(Feature::tilesDifferent), 0.25F);
  EXPECT_EQ(feature(Feature::tilesFilled), 0.5F);
  EXPECT_EQ(feature(Feature::oneTile), 1);
  in(0, 63) = 0;
  make(known);
  EXPECT_EQ(feature(Feature::tilesDifferent), 0.5F);
  EXPECT_NEAR(feature(Feature::oneTile), 160.0 / 161, 1e-6);
  known.parts->back().extent[2] = 3;
  const auto refused = makeEvidence(reference, target, comparison, known);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::internal);
}

} // namespace
} // namespace tilerig::verify
