// Tests of the replay features, which compute a layer again with a suspected fault, on a convolution with one
// fault that a naive loop computes.
#include "tests/unit/Verify/EvidencePair.h"
#include "tests/unit/Verify/WrongConvolution.h"

#include <cmath>
#include <functional>

namespace tilerig::verify {
namespace {

using namespace test::convolved;

class ReplayFeatures : public test::EvidencePair {
protected:
  ReplayFeatures() { reference = Convolution().result(); }

  void compare(const Convolution &wrong, std::shared_ptr<const Product> of = productOfConvolution()) {
    target = wrong.result();
    Circumstances known;
    known.product = std::move(of);
    make(known);
    EXPECT_EQ(feature(Feature::replaysKnown), 1);
  }
  // Expects that the fault of the feature `family` explains all errors, and that the faults of `others`
  // explain few.
  void expectExplained(Feature family, std::initializer_list<Feature> others) {
    // The share that a feature explains may be slightly below 1, since in eight bits a few results next to a
    // tie differ.
    EXPECT_GE(feature(family), 0.95F) << nameOf(family);
    for (const Feature other : others)
      EXPECT_LT(feature(other), 0.7F) << nameOf(other);
  }
};

TEST_F(ReplayFeatures, MirroredWeights) {
  Convolution wrong;
  wrong.weight = [&](int output, int y, int x, int channel) {
    return wrong.stored(((output * taps + taps - 1 - y) * taps + x) * channels + channel);
  };
  compare(wrong);
  expectExplained(Feature::replayTurnedWeights, {Feature::replayMovedWeights, Feature::replayShiftedInput});
}

TEST_F(ReplayFeatures, WeightsInTheOrderOfTheFile) {
  Convolution wrong; // weights in file order: the axis of channels before those of the kernel
  wrong.weight = [&](int output, int y, int x, int channel) {
    const int place = (y * taps + x) * channels + channel;
    const int from = place / (taps * taps), tap = place % (taps * taps);
    return wrong.stored((output * taps * taps + tap) * channels + from);
  };
  compare(wrong);
  expectExplained(Feature::replayTurnedWeights, {Feature::replayMovedWeights, Feature::replayOtherWeights});
}

TEST_F(ReplayFeatures, WeightsFromElsewhere) {
  Convolution wrong;
  wrong.weight = [&](int output, int y, int x, int channel) {
    return wrong.stored(((output * taps + y) * taps + x) * channels + channel + 5);
  };
  compare(wrong);
  expectExplained(Feature::replayMovedWeights, {Feature::replayTurnedWeights, Feature::replayOtherWeights});
}

TEST_F(ReplayFeatures, TwoOutputsWithEachOthersWeights) {
  Convolution wrong;
  wrong.weight = [&](int output, int y, int x, int channel) {
    const int from = output == 2 ? 7 : output == 7 ? 2 : output;
    return wrong.stored(((from * taps + y) * taps + x) * channels + channel);
  };
  compare(wrong);
  expectExplained(Feature::replayExchangedWeights,
                  {Feature::replayOtherWeights, Feature::replayMovedWeights});
}

TEST_F(ReplayFeatures, WeightsReadBeyondTheirEnd) {
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
  expectExplained(Feature::replayOtherWeights,
                  {Feature::replayExchangedWeights, Feature::replayTurnedWeights});
}

TEST_F(ReplayFeatures, WeightsOfTheLayerBefore) {
  Convolution wrong;
  auto known = productOfConvolution();
  for (size_t i = 0; i < 50; ++i)
    known->weightsBefore.push_back(mixed(7000 + i));
  wrong.weight = [&](int output, int y, int x, int channel) {
    const int place = ((output * taps + y) * taps + x) * channels + channel;
    return output < 6 ? known->weightsBefore[static_cast<size_t>(place % 50)] : wrong.stored(place);
  };
  compare(wrong, known);
  expectExplained(Feature::replayStaleWeights, {Feature::replayNoWeights, Feature::replayMovedWeights});
}

TEST_F(ReplayFeatures, WeightsThatAreMissing) {
  Convolution wrong;
  wrong.weight = [&](int output, int y, int x, int channel) {
    return output < 12 ? wrong.stored(((output * taps + y) * taps + x) * channels + channel) : 0;
  };
  compare(wrong);
  expectExplained(Feature::replayNoWeights, {Feature::replayNoSum, Feature::replayNoBias});
}

TEST_F(ReplayFeatures, Biases) {
  Convolution none, scaled, others, before;
  none.bias = [](int) { return 0; };
  compare(none);
  expectExplained(Feature::replayNoBias, {Feature::replayOtherBias, Feature::replayInputZero});
  scaled.bias = [&](int output) { return 4 * scaled.biases[static_cast<size_t>(output)]; };
  compare(scaled);
  expectExplained(Feature::replayScaledBias, {Feature::replayNoBias, Feature::replayOtherBias});
  others.bias = [&](int output) { return others.biases[static_cast<size_t>((output + 3) % outputs)]; };
  compare(others);
  expectExplained(Feature::replayOtherBias, {Feature::replayNoBias, Feature::replayScaledBias});
  auto known = productOfConvolution();
  known->biasBefore = {1.5F, -2, 0.5F};
  before.bias = [&](int output) { return known->biasBefore[static_cast<size_t>(output % 3)]; };
  compare(before, known);
  expectExplained(Feature::replayStaleBias, {Feature::replayNoBias, Feature::replayOtherBias});
}

TEST_F(ReplayFeatures, AScale) {
  Convolution wrong;
  wrong.finish = [](float sum, int) { return std::max(sum / 8, 0.0F); };
  compare(wrong);
  expectExplained(Feature::replayPowerOfScale, {Feature::replayNoBias, Feature::replayShorterDepth});
}

TEST_F(ReplayFeatures, PartsOfTheSum) {
  Convolution shorter, lost, doubled;
  shorter.counts = [](int, int, int channel) { return channel < channels - 1; };
  compare(shorter);
  expectExplained(Feature::replayShorterDepth, {Feature::replayLostPart, Feature::replayTurnedWeights});
  lost.counts = [](int y, int, int) { return y >= 1; }; // the sums lack the first of the three kernel rows
  compare(lost);
  expectExplained(Feature::replayLostPart, {Feature::replayShorterDepth, Feature::replayDoubledPart});
  doubled.weight = [&](int output, int y, int x, int channel) {
    const float own = doubled.stored(((output * taps + y) * taps + x) * channels + channel);
    return y == 1 ? 2 * own : own;
  };
  compare(doubled);
  expectExplained(Feature::replayDoubledPart, {Feature::replayLostPart, Feature::replayPowerOfScale});
}

TEST_F(ReplayFeatures, InputsFromElsewhere) {
  Convolution moved, longer, shifted;
  moved.addressBy = [](int, int) { return -7; };
  compare(moved);
  expectExplained(Feature::replayMovedInput, {Feature::replayLongerRows, Feature::replayShiftedInput});
  longer.addressBy = [](int row, int) { return 3 * row; };
  compare(longer);
  expectExplained(Feature::replayLongerRows, {Feature::replayMovedInput, Feature::replayShiftedInput});
  // The convolution reads its input at addresses that are two rows too low.
  shifted.addressBy = [](int, int) { return -2 * width * channels; };
  shifted.firstRow = 2;
  shifted.stride = 1;
  compare(shifted);
  EXPECT_GT(feature(Feature::replayShiftedInput),
            0.8F); // a shift of the input explains all rows but the last
}

TEST_F(ReplayFeatures, Windows) {
  Convolution strides, dilations, padded, filled;
  strides.stride = 2;
  compare(strides);
  expectExplained(Feature::replayStride, {Feature::replayDilation, Feature::replayLongerRows});
  dilations.dilation = 2;
  compare(dilations);
  expectExplained(Feature::replayDilation, {Feature::replayStride, Feature::replayMorePadding});
  padded.firstRow = 1;
  compare(padded);
  expectExplained(Feature::replayMorePadding, {Feature::replayShiftedInput, Feature::replayPaddingValue});
  filled.padding = 3;
  compare(filled);
  expectExplained(Feature::replayPaddingValue, {Feature::replayMorePadding, Feature::replayShiftedInput});
}

// The stride is wrong in one tile only. The tile counts its positions from the start of its own part.
TEST_F(ReplayFeatures, AStrideOfOneTile) {
  Convolution wrong;
  wrong.stride = 2;
  const Tensor all = wrong.result(), right = reference;
  target = right;
  // The wrong tile computes the rows 4 .. 7, and counts the stride from row 4.
  for (size_t output = 0; output < outputs; ++output)
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
  EXPECT_GE(feature(Feature::replayStride), 0.97F);
}

// Fixture in eight bits: weights have a scale per output, inputs have a zero point.
class ReplayedBits : public ReplayFeatures {
protected:
  static constexpr float inputStep = 0x1p-5F, zero = -100;

  static float stepOf(int output) { return output % 2 ? 0x1p-6F : 0x1p-4F; }
  static void quantise(Convolution &convolution) {
    for (float &x : convolution.inputs)
      x = std::round((x + 1) * 100) * inputStep; // stored 8-bit values from -100 to 100
    for (size_t i = 0; i < convolution.kernels.size(); ++i)
      convolution.kernels[i] = std::round(convolution.kernels[i] * 120) * stepOf(static_cast<int>(i / depth));
    convolution.finish = [](float sum, int) { return sum; };
  }
  // The results of the convolution, quantised with a scale of 4 and saturated.
  static Tensor stored(const Convolution &convolution) {
    const Tensor reals = convolution.result();
    Tensor tensor(DType::i8, reals.shape());
    for (size_t i = 0; i < reals.elementCount(); ++i)
      tensor.mutableAs<int8_t>()[i] =
          static_cast<int8_t>(std::clamp(std::nearbyint(reals.as<float>()[i] / 4), -128.0F, 127.0F));
    return tensor;
  }
  static std::shared_ptr<Product> quantised() {
    Convolution right;
    quantise(right);
    auto product = productOfConvolution();
    product->input = right.inputs;
    product->weights = right.kernels;
    product->inputSteps = StoredSteps{{inputStep}, zero, true};
    product->weightSteps = StoredSteps{{}, 0, true};
    for (int output = 0; output < outputs; ++output)
      product->weightSteps->steps.push_back(stepOf(output));
    return product;
  }
  void compareBits(Convolution &wrong) {
    Convolution right;
    quantise(right);
    reference = stored(right);
    target = stored(wrong);
    Circumstances known;
    known.product = quantised();
    make(known);
    EXPECT_EQ(feature(Feature::replaysKnown), 1);
  }
};

TEST_F(ReplayedBits, TypesOfInputsAndWeights) {
  Convolution inputs, weights;
  quantise(inputs);
  // Reads signed inputs as unsigned: the stored integers -100 .. -1 become 156 .. 255.
  for (float &x : inputs.inputs)
    x += x / inputStep + zero < 0 ? 0 : -256 * inputStep;
  compareBits(inputs);
  expectExplained(Feature::replayInputType, {Feature::replayWeightType, Feature::replayTurnedWeights});
  quantise(weights);
  for (size_t i = 0; i < weights.kernels.size(); ++i)
    weights.kernels[i] += weights.kernels[i] < 0 ? 256 * stepOf(static_cast<int>(i / depth)) : 0;
  compareBits(weights);
  expectExplained(Feature::replayWeightType, {Feature::replayInputType, Feature::replayTurnedWeights});
}

TEST_F(ReplayedBits, AZeroPoint) {
  Convolution wrong;
  quantise(wrong);
  for (float &x : wrong.inputs)
    x -= 30 * inputStep;
  compareBits(wrong);
  expectExplained(Feature::replayInputZero, {Feature::replayPaddingValue, Feature::replayOtherBias});
}

TEST_F(ReplayedBits, ScalesOfOthers) {
  Convolution wrong;
  quantise(wrong);
  wrong.finish = [](float sum, int output) { return sum * stepOf(output + 1) / stepOf(output); };
  compareBits(wrong);
  expectExplained(Feature::replayOtherScale, {Feature::replayPowerOfScale, Feature::replayNoBias});
}

TEST_F(ReplayFeatures, NothingIsKnownOfAnotherLayer) {
  auto other = productOfConvolution();
  for (float &weight : other->weights)
    weight =
        // With these weights, the layer does not compute the reference. Computing it again with a fault is
        // then useless, so the features are zero.
        mixed(static_cast<size_t>((weight + 1) * 1e5F));
  Convolution wrong;
  wrong.stride = 2;
  target = wrong.result();
  Circumstances known;
  known.product = other;
  make(known);
  for (auto i = static_cast<size_t>(Feature::replaysKnown); i < numFeatures; ++i)
    EXPECT_EQ(evidence.features[i], 0) << nameOf(static_cast<Feature>(i));
}

TEST_F(ReplayFeatures, NothingIsWrong) {
  target = reference;
  Circumstances known;
  known.product = productOfConvolution();
  make(known);
  for (auto i = static_cast<size_t>(Feature::innerDifferent); i < numFeatures; ++i)
    EXPECT_EQ(evidence.features[i], 0) << nameOf(static_cast<Feature>(i));
}

} // namespace
} // namespace tilerig::verify
