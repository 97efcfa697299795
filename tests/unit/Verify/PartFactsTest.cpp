// Tests of features of channels, tiles and borders, with errors placed where each feature applies.
#include "tests/unit/Verify/EvidencePair.h"

#include <cmath>

namespace tilerig::verify {
namespace {

// Fixture with twenty channels of 8 x 8 distinct elements.
class PartFacts : public test::EvidencePair {
protected:
  static constexpr size_t channels = 20, places = 64;

  PartFacts() {
    reference = Tensor(DType::f32, {1, channels, 8, 8});
    for (size_t i = 0; i < channels * places; ++i)
      reference.mutableAs<float>()[i] = static_cast<float>((i * 577 % 1280) + 1); // 577 and 1280 are coprime
    target = reference;
  }
  float &in(size_t channel, size_t place) { return target.mutableAs<float>()[channel * places + place]; }
  void addTo(size_t first, size_t end, float offset) {
    for (size_t channel = first; channel < end; ++channel)
      for (size_t place = 0; place < places; ++place)
        in(channel, place) += offset;
  }
};

TEST_F(PartFacts, TheLastChannels) {
  addTo(16, 20, 0.5F);
  make();
  EXPECT_EQ(fact(Fact::channelsSuffix), 1);
  EXPECT_EQ(fact(Fact::channelsPrefix), 0);
  EXPECT_EQ(fact(Fact::channelBlocks), 1); // the second block of 16 channels has four wrong ones
  EXPECT_EQ(fact(Fact::offsetChannels), 1);
  EXPECT_EQ(fact(Fact::otherChannels), 0);
  EXPECT_NEAR(fact(Fact::channelCorrelation), 1, 1e-6);
  EXPECT_NEAR(fact(Fact::channelCorrelationSpread), 0, 1e-3);
  EXPECT_EQ(fact(Fact::borderWrong), 0.2F);
  EXPECT_EQ(fact(Fact::interiorWrong), 0.2F);
}

TEST_F(PartFacts, TheFirstChannels) {
  addTo(0, 3, -1);
  make();
  EXPECT_EQ(fact(Fact::channelsPrefix), 1);
  EXPECT_EQ(fact(Fact::channelsSuffix), 0);
  EXPECT_EQ(fact(Fact::channelBlocks), 0);
}

TEST_F(PartFacts, ChannelsThatChangedPlaces) {
  for (size_t place = 0; place < places; ++place)
    std::swap(in(2, place), in(7, place));
  in(9, 5) += 3; // and one channel with an error of its own
  make();
  EXPECT_NEAR(fact(Fact::otherChannels), 2.0 / 3, 1e-6);
  EXPECT_EQ(fact(Fact::channelsPrefix) + fact(Fact::channelsSuffix), 0);
}

// A border that is three elements wide leaves four of the 64 elements of a channel inside.
TEST_F(PartFacts, TheBorder) {
  for (size_t channel = 0; channel < channels; ++channel)
    in(channel, 0) = 0;
  make();
  EXPECT_NEAR(fact(Fact::borderWrong), 1.0 / 60, 1e-6);
  EXPECT_EQ(fact(Fact::interiorWrong), 0);
}

TEST_F(PartFacts, BiasesThatAreMissing) {
  Circumstances known;
  known.bias.emplace();
  for (size_t channel = 0; channel < channels; ++channel) {
    known.bias->push_back(static_cast<float>(channel) - 8);
    addTo(channel, channel + 1, 3 * (8 - static_cast<float>(channel))); // another scale
  }
  make(known);
  EXPECT_EQ(fact(Fact::biasKnown), 1);
  EXPECT_NEAR(fact(Fact::biasCorrelation), -1, 1e-6);
  known.bias->pop_back(); // a bias of another length
  make(known);
  EXPECT_EQ(fact(Fact::biasCorrelation), 0);
}

TEST_F(PartFacts, OneOfFourTiles) {
  Circumstances known;
  known.parts.emplace();
  for (uint32_t tile = 0; tile < 4; ++tile) // two rows each
    known.parts->push_back({tile, {0, 0, 2 * tile, 0}, {1, channels, 2, 8}});
  for (size_t channel = 0; channel < 10; ++channel) // half of tile 1's part
    for (size_t place = 16; place < 32; ++place)
      in(channel, place) += 0.5F;
  make(known);
  EXPECT_EQ(fact(Fact::partsKnown), 1);
  EXPECT_EQ(fact(Fact::tilesDifferent), 0.25F);
  EXPECT_EQ(fact(Fact::tilesFilled), 0.5F);
  EXPECT_EQ(fact(Fact::oneTile), 1);
  in(0, 63) = 0;
  make(known);
  EXPECT_EQ(fact(Fact::tilesDifferent), 0.5F);
  EXPECT_NEAR(fact(Fact::oneTile), 160.0 / 161, 1e-6);
  known.parts->back().extent[2] = 3;
  const auto refused = makeEvidence(reference, target, comparison, known);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::internal);
}

} // namespace
} // namespace tilerig::verify
