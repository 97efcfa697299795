// Tests of the replay features, which compute a layer again with a suspected fault, on a convolution with one
// fault that a naive loop computes.
#include "tests/unit/Verify/EvidencePair.h"
#include "tests/unit/Verify/WrongConvolution.h"

#include <cmath>
#include <functional>

namespace tilerig::verify {
namespace {

using namespace test::convolved;

class ReplayFacts : public test::EvidencePair {
protected:
  ReplayFacts() { reference = Convolution().result(); }

  void compare(const Convolution &wrong, std::shared_ptr<const Product> of = productOfConvolution()) {
    target = wrong.result();
    Circumstances known;
    known.product = std::move(of);
    make(known);
    EXPECT_EQ(fact(Fact::replaysKnown), 1);
  }
  // Expects the feature `family` to explain all errors, and the features `others` to explain few.
  void expectExplained(Fact family, std::initializer_list<Fact> others) {
    EXPECT_GE(fact(family), 0.95F) << nameOf(family); // in eight bits some are next to a tie
    for (const Fact other : others)
      EXPECT_LT(fact(other), 0.7F) << nameOf(other);
  }
};

TEST_F(ReplayFacts, MirroredWeights) {
  Convolution wrong;
  wrong.weight = [&](int output, int y, int x, int channel) {
    return wrong.stored(((output * taps + taps - 1 - y) * taps + x) * channels + channel);
  };
  compare(wrong);
  expectExplained(Fact::replayTurnedWeights, {Fact::replayMovedWeights, Fact::replayShiftedInput});
}

TEST_F(ReplayFacts, WeightsInTheOrderOfTheFile) {
  Convolution wrong; // channels before rows and columns
  wrong.weight = [&](int output, int y, int x, int channel) {
    const int place = (y * taps + x) * channels + channel;
    const int from = place / (taps * taps), tap = place % (taps * taps);
    return wrong.stored((output * taps * taps + tap) * channels + from);
  };
  compare(wrong);
  expectExplained(Fact::replayTurnedWeights, {Fact::replayMovedWeights, Fact::replayOtherWeights});
}

TEST_F(ReplayFacts, WeightsFromElsewhere) {
  Convolution wrong;
  wrong.weight = [&](int output, int y, int x, int channel) {
    return wrong.stored(((output * taps + y) * taps + x) * channels + channel + 5);
  };
  compare(wrong);
  expectExplained(Fact::replayMovedWeights, {Fact::replayTurnedWeights, Fact::replayOtherWeights});
}

TEST_F(ReplayFacts, TwoOutputsWithEachOthersWeights) {
  Convolution wrong;
  wrong.weight = [&](int output, int y, int x, int channel) {
    const int from = output == 2 ? 7 : output == 7 ? 2 : output;
    return wrong.stored(((from * taps + y) * taps + x) * channels + channel);
  };
  compare(wrong);
  expectExplained(Fact::replayExchangedWeights, {Fact::replayOtherWeights, Fact::replayMovedWeights});
}

TEST_F(ReplayFacts, WhatLiesBehindTheWeights) {
  Convolution wrong;
  auto known = productOfConvolution();
  known->around.assign(3 * known->weights.size(), 0);
  for (size_t i = 0; i < known->weights.size(); ++i) {
    known->around[known->weights.size() + i] = known->weights[i];
    known->around[2 * known->weights.size() + i] = mixed(9000 + i);
  }
  wrong.weight = [&](int output, int y, int x, int channel) {
    return known->around[static_cast<size_t>(((output + 2 * outputs) * taps + y) * taps + x) * channels +
                         static_cast<size_t>(channel)];
  };
  compare(wrong, known);
  expectExplained(Fact::replayOtherWeights, {Fact::replayExchangedWeights, Fact::replayTurnedWeights});
}

TEST_F(ReplayFacts, WeightsOfTheLayerBefore) {
  Convolution wrong;
  auto known = productOfConvolution();
  for (size_t i = 0; i < 50; ++i)
    known->weightsBefore.push_back(mixed(7000 + i));
  wrong.weight = [&](int output, int y, int x, int channel) {
    const int place = ((output * taps + y) * taps + x) * channels + channel;
    return output < 6 ? known->weightsBefore[static_cast<size_t>(place % 50)] : wrong.stored(place);
  };
  compare(wrong, known);
  expectExplained(Fact::replayStaleWeights, {Fact::replayNoWeights, Fact::replayMovedWeights});
}

TEST_F(ReplayFacts, WeightsThatAreMissing) {
  Convolution wrong;
  wrong.weight = [&](int output, int y, int x, int channel) {
    return output < 12 ? wrong.stored(((output * taps + y) * taps + x) * channels + channel) : 0;
  };
  compare(wrong);
  expectExplained(Fact::replayNoWeights, {Fact::replayNoSum, Fact::replayNoBias});
}

TEST_F(ReplayFacts, Biases) {
  Convolution none, scaled, others, before;
  none.bias = [](int) { return 0; };
  compare(none);
  expectExplained(Fact::replayNoBias, {Fact::replayOtherBias, Fact::replayInputZero});
  scaled.bias = [&](int output) { return 4 * scaled.biases[static_cast<size_t>(output)]; };
  compare(scaled);
  expectExplained(Fact::replayScaledBias, {Fact::replayNoBias, Fact::replayOtherBias});
  others.bias = [&](int output) { return others.biases[static_cast<size_t>((output + 3) % outputs)]; };
  compare(others);
  expectExplained(Fact::replayOtherBias, {Fact::replayNoBias, Fact::replayScaledBias});
  auto known = productOfConvolution();
  known->biasBefore = {1.5F, -2, 0.5F};
  before.bias = [&](int output) { return known->biasBefore[static_cast<size_t>(output % 3)]; };
  compare(before, known);
  expectExplained(Fact::replayStaleBias, {Fact::replayNoBias, Fact::replayOtherBias});
}

TEST_F(ReplayFacts, AScale) {
  Convolution wrong;
  wrong.finish = [](float sum, int) { return std::max(sum / 8, 0.0F); };
  compare(wrong);
  expectExplained(Fact::replayPowerOfScale, {Fact::replayNoBias, Fact::replayShorterDepth});
}

TEST_F(ReplayFacts, PartsOfTheSum) {
  Convolution shorter, lost, doubled;
  shorter.counts = [](int, int, int channel) { return channel < channels - 1; };
  compare(shorter);
  expectExplained(Fact::replayShorterDepth, {Fact::replayLostPart, Fact::replayTurnedWeights});
  lost.counts = [](int y, int, int) { return y >= 1; }; // loses one of three kernel rows
  compare(lost);
  expectExplained(Fact::replayLostPart, {Fact::replayShorterDepth, Fact::replayDoubledPart});
  doubled.weight = [&](int output, int y, int x, int channel) {
    const float own = doubled.stored(((output * taps + y) * taps + x) * channels + channel);
    return y == 1 ? 2 * own : own;
  };
  compare(doubled);
  expectExplained(Fact::replayDoubledPart, {Fact::replayLostPart, Fact::replayPowerOfScale});
}

TEST_F(ReplayFacts, InputsFromElsewhere) {
  Convolution moved, longer, shifted;
  moved.addressBy = [](int, int) { return -7; };
  compare(moved);
  expectExplained(Fact::replayMovedInput, {Fact::replayLongerRows, Fact::replayShiftedInput});
  longer.addressBy = [](int row, int) { return 3 * row; };
  compare(longer);
  expectExplained(Fact::replayLongerRows, {Fact::replayMovedInput, Fact::replayShiftedInput});
  shifted.addressBy = [](int, int) { return -2 * width * channels; }; // two rows too early
  shifted.firstRow = 2;
  shifted.stride = 1;
  compare(shifted);
  EXPECT_GT(fact(Fact::replayShiftedInput), 0.8F); // all but the last rows
}

TEST_F(ReplayFacts, Windows) {
  Convolution strides, dilations, padded, filled;
  strides.stride = 2;
  compare(strides);
  expectExplained(Fact::replayStride, {Fact::replayDilation, Fact::replayLongerRows});
  dilations.dilation = 2;
  compare(dilations);
  expectExplained(Fact::replayDilation, {Fact::replayStride, Fact::replayMorePadding});
  padded.firstRow = 1;
  compare(padded);
  expectExplained(Fact::replayMorePadding, {Fact::replayShiftedInput, Fact::replayPaddingValue});
  filled.padding = 3;
  compare(filled);
  expectExplained(Fact::replayPaddingValue, {Fact::replayMorePadding, Fact::replayShiftedInput});
}

// A wrong stride in one tile: its positions count from the start of the tile's part.
TEST_F(ReplayFacts, AStrideOfOneTile) {
  Convolution wrong;
  wrong.stride = 2;
  const Tensor all = wrong.result(), right = reference;
  target = right;
  for (size_t output = 0; output < outputs; ++output) // rows 4 .. 7, stepping from row 4 on
    for (size_t i = 0; i < 4 * width; ++i) {
      const size_t row = i / width, column = i % width, from = 4 + 2 * row;
      if (from < height)
        target.mutableAs<float>()[(output * height + 4 + row) * width + column] =
            right.as<float>()[(output * height + from) * width + column];
    }
  Circumstances known;
  known.product = productOfConvolution();
  known.parts.emplace();
  known.parts->push_back({0, {0, 0, 0, 0}, {1, outputs, 4, width}});
  known.parts->push_back({1, {0, 0, 4, 0}, {1, outputs, 4, width}});
  make(known);
  EXPECT_GE(fact(Fact::replayStride), 0.97F);
}

// Fixture in eight bits: weights have a scale per output, inputs have a zero point.
class ReplayedBits : public ReplayFacts {
protected:
  static constexpr float inputStep = 0x1p-5F, zero = -100;

  static float stepOf(int output) { return output % 2 ? 0x1p-6F : 0x1p-4F; }
  static void quantise(Convolution &it) {
    for (float &x : it.inputs)
      x = std::round((x + 1) * 100) * inputStep; // stored values from -100 to 100
    for (size_t i = 0; i < it.kernels.size(); ++i)
      it.kernels[i] = std::round(it.kernels[i] * 120) * stepOf(static_cast<int>(i / depth));
    it.finish = [](float sum, int) { return sum; };
  }
  // Results with a scale of 4, saturated.
  static Tensor stored(const Convolution &it) {
    const Tensor reals = it.result();
    Tensor made(DType::i8, reals.shape());
    for (size_t i = 0; i < reals.elementCount(); ++i)
      made.mutableAs<int8_t>()[i] =
          static_cast<int8_t>(std::clamp(std::nearbyint(reals.as<float>()[i] / 4), -128.0F, 127.0F));
    return made;
  }
  static std::shared_ptr<Product> quantised() {
    Convolution right;
    quantise(right);
    auto it = productOfConvolution();
    it->input = right.inputs;
    it->weights = right.kernels;
    it->inputSteps = StoredSteps{{inputStep}, zero, true};
    it->weightSteps = StoredSteps{{}, 0, true};
    for (int output = 0; output < outputs; ++output)
      it->weightSteps->steps.push_back(stepOf(output));
    return it;
  }
  void compareBits(Convolution &wrong) {
    Convolution right;
    quantise(right);
    reference = stored(right);
    target = stored(wrong);
    Circumstances known;
    known.product = quantised();
    make(known);
    EXPECT_EQ(fact(Fact::replaysKnown), 1);
  }
};

TEST_F(ReplayedBits, TypesOfInputsAndWeights) {
  Convolution inputs, weights;
  quantise(inputs);
  for (float &x : inputs.inputs) // -100 .. -1 become 156 .. 255, as does the zero point
    x += x / inputStep + zero < 0 ? 0 : -256 * inputStep;
  compareBits(inputs);
  expectExplained(Fact::replayInputType, {Fact::replayWeightType, Fact::replayTurnedWeights});
  quantise(weights);
  for (size_t i = 0; i < weights.kernels.size(); ++i)
    weights.kernels[i] += weights.kernels[i] < 0 ? 256 * stepOf(static_cast<int>(i / depth)) : 0;
  compareBits(weights);
  expectExplained(Fact::replayWeightType, {Fact::replayInputType, Fact::replayTurnedWeights});
}

TEST_F(ReplayedBits, AZeroPoint) {
  Convolution wrong;
  quantise(wrong);
  for (float &x : wrong.inputs)
    x -= 30 * inputStep;
  compareBits(wrong);
  expectExplained(Fact::replayInputZero, {Fact::replayPaddingValue, Fact::replayOtherBias});
}

TEST_F(ReplayedBits, ScalesOfOthers) {
  Convolution wrong;
  quantise(wrong);
  wrong.finish = [](float sum, int output) { return sum * stepOf(output + 1) / stepOf(output); };
  compareBits(wrong);
  expectExplained(Fact::replayOtherScale, {Fact::replayPowerOfScale, Fact::replayNoBias});
}

TEST_F(ReplayFacts, NothingIsKnownOfAnotherLayer) {
  auto other = productOfConvolution();
  for (float &it : other->weights)
    it = mixed(static_cast<size_t>((it + 1) * 1e5F)); // the reference does not follow from these operands
  Convolution wrong;
  wrong.stride = 2;
  target = wrong.result();
  Circumstances known;
  known.product = other;
  make(known);
  for (auto i = static_cast<size_t>(Fact::replaysKnown); i < numFacts; ++i)
    EXPECT_EQ(made.facts[i], 0) << nameOf(static_cast<Fact>(i));
}

TEST_F(ReplayFacts, NothingIsWrong) {
  target = reference;
  Circumstances known;
  known.product = productOfConvolution();
  make(known);
  for (auto i = static_cast<size_t>(Fact::innerDifferent); i < numFacts; ++i)
    EXPECT_EQ(made.facts[i], 0) << nameOf(static_cast<Fact>(i));
}

} // namespace
} // namespace tilerig::verify
