// Tests of hypotheses that explain all errors of a pair of dumps, and of the classes that they favour.
#include "verify/Verdict/ExactEvidence.h"
#include "tests/unit/Verify/WrongConvolution.h"
#include "verify/Metrics/Compare.h"
#include "verify/Verdict/Verdict.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

namespace tilerig::test {
namespace {

using namespace verify;
using namespace verify::test::convolved;

constexpr int64_t side = 24, planes = 12;

// An image with channels of pseudo-random numbers.
Tensor image() {
  Tensor tensor(DType::f32, {1, planes, side, side});
  for (size_t i = 0; i < tensor.elementCount(); ++i)
    tensor.mutableAs<float>()[i] = mixed(i) + 0.25F;
  return tensor;
}
float valueAt(const Tensor &of, int64_t channel, int64_t row, int64_t column) {
  return of.as<float>()[static_cast<size_t>((channel * side + row) * side + column)];
}
// Compares the image with a target whose elements are change(reference, channel, row, column), and returns
// the hypothesis that explains the errors.
template <class Change>
std::optional<Feature> hypothesis(Change change) {
  const Tensor reference = image();
  Tensor target(DType::f32, reference.shape());
  for (int64_t channel = 0, i = 0; channel < planes; ++channel)
    for (int64_t row = 0; row < side; ++row)
      for (int64_t column = 0; column < side; ++column)
        target.mutableAs<float>()[static_cast<size_t>(i++)] = change(reference, channel, row, column);
  const auto replayed = replayHypotheses(reference, target, compareTensors(reference, target), {});
  EXPECT_TRUE(replayed);
  return exactHypothesis(*replayed);
}

TEST(ExactEvidence, ANumberForEachChannelIsABias) {
  const auto feature = hypothesis([](const Tensor &of, int64_t c, int64_t y, int64_t x) {
    return valueAt(of, c, y, x) + 0.3F * mixed(static_cast<size_t>(100000 + c));
  });
  EXPECT_EQ(feature, Feature::byChannelOffset);
  EXPECT_EQ(classesOf(*feature).front(), BugClass::biasLoading);
}

// If all elements of a channel have the same expected value, as after a global pool on a small image, an
// error that is the same for the whole channel looks like an offset. Such an error is no evidence of a wrong
// bias.
TEST(ExactEvidence, ConstantChannelsGiveNoEvidenceOfABias) {
  constexpr int64_t channels = 128, each = 4;
  Tensor reference(DType::f32, {1, channels, 2, 2}), target(DType::f32, reference.shape());
  for (int64_t i = 0; i < channels * each; ++i) {
    const auto at = static_cast<size_t>(i), channel = static_cast<size_t>(i / each);
    reference.mutableAs<float>()[at] = mixed(channel);
    target.mutableAs<float>()[at] = mixed(channel) + 0.001F * mixed(7000 + channel);
  }
  const auto replayed = replayHypotheses(reference, target, compareTensors(reference, target), {});
  ASSERT_TRUE(replayed);
  EXPECT_FALSE(exactHypothesis(*replayed));
}

TEST(ExactEvidence, AShiftByARowIsPadding) {
  const auto feature = hypothesis([](const Tensor &of, int64_t c, int64_t y, int64_t x) {
    return y > 0 ? valueAt(of, c, y - 1, x) : 0.7F * mixed(static_cast<size_t>(200000 + x));
  });
  EXPECT_EQ(feature, Feature::replayShiftedInput);
  EXPECT_EQ(classesOf(*feature).front(), BugClass::padding);
}

TEST(ExactEvidence, TheBorderAloneIsPadding) {
  const auto feature = hypothesis([](const Tensor &of, int64_t c, int64_t y, int64_t x) {
    return y < side - 1 ? valueAt(of, c, y, x) : mixed(static_cast<size_t>(300000 + c * side + x));
  });
  EXPECT_EQ(feature, Feature::borderDifferent);
  EXPECT_EQ(classesOf(*feature).front(), BugClass::padding);
}

TEST(ExactEvidence, OtherChannelsAreCoefficients) {
  const auto feature = hypothesis([](const Tensor &of, int64_t c, int64_t y, int64_t x) {
    return valueAt(of, c == 2 ? 9 : c == 9 ? 2 : c, y, x);
  });
  EXPECT_EQ(feature, Feature::otherChannels);
  EXPECT_EQ(classesOf(*feature).front(), BugClass::coefficientLoading);
}

TEST(ExactEvidence, TransposedIsOrientation) {
  const auto feature =
      hypothesis([](const Tensor &of, int64_t c, int64_t y, int64_t x) { return valueAt(of, c, x, y); });
  EXPECT_EQ(feature, Feature::transposed);
}

// Rounding makes single elements fail all over the image, more in channels of large numbers; this is not
// taken for a bug.
TEST(ExactEvidence, NoiseIsNotWrong) {
  const auto feature = hypothesis([](const Tensor &of, int64_t c, int64_t y, int64_t x) {
    const auto at = static_cast<size_t>(600000 + (c * side + y) * side + x);
    return valueAt(of, c, y, x) + (y == side - 1 ? 1.0F : c < 3 ? 0.003F : 0.0003F) * mixed(at);
  });
  EXPECT_EQ(feature, Feature::borderDifferent);
}

TEST(ExactEvidence, ChannelsWithFewWrongElementsGoWithTheTensor) {
  const auto feature = hypothesis([](const Tensor &of, int64_t c, int64_t y, int64_t x) {
    return valueAt(of, c, y, x) + (y == 0 && (c < 6 || x == 2 * c) ? 0.5F : 0.0F);
  });
  EXPECT_EQ(feature, Feature::borderDifferent);
}

TEST(ExactEvidence, SmallImagesHaveABorder) {
  constexpr size_t small = 7;
  Tensor reference(DType::f32, {1, planes, small, small}), target(DType::f32, {1, planes, small, small});
  for (size_t i = 0; i < reference.elementCount(); ++i) {
    const bool isAtBorder = i % small == 0 || i / small % small == 0;
    reference.mutableAs<float>()[i] = mixed(i);
    target.mutableAs<float>()[i] = mixed(i) + (isAtBorder ? 0.5F * mixed(700000 + i) : 0.0F);
  }
  const auto replayed = replayHypotheses(reference, target, compareTensors(reference, target), {});
  ASSERT_TRUE(replayed);
  EXPECT_EQ(exactHypothesis(*replayed), Feature::borderDifferent);
}

// In an image of so few rows that none is an inner one, errors are not attributed to the border.
TEST(ExactEvidence, FlatImagesHaveNoBorder) {
  Tensor reference(DType::f32, {1, 16, 2, 32}), target(DType::f32, {1, 16, 2, 32});
  for (size_t i = 0; i < reference.elementCount(); ++i) {
    reference.mutableAs<float>()[i] = mixed(i);
    target.mutableAs<float>()[i] = mixed(i) + 0.5F * mixed(700000 + i);
  }
  const auto replayed = replayHypotheses(reference, target, compareTensors(reference, target), {});
  ASSERT_TRUE(replayed);
  EXPECT_FALSE(exactHypothesis(*replayed));
}

// Errors at the end of the image or in a corner, which may also be the part of a tile, are not taken for
// wrong padding.
TEST(ExactEvidence, NotAllAtTheBorderIsPadding) {
  EXPECT_FALSE(hypothesis([](const Tensor &of, int64_t c, int64_t y, int64_t x) {
    return y < side - 2 ? valueAt(of, c, y, x) : 0.0F;
  }));
  EXPECT_FALSE(hypothesis([](const Tensor &of, int64_t c, int64_t y, int64_t x) {
    return valueAt(of, c, y, x) + (x < 4 && y < 4 ? mixed(static_cast<size_t>(c * side + x)) : 0.0F);
  }));
}

// A bias error is found in 8-bit tensors, too, where both sides are rounded to integers.
TEST(ExactEvidence, EightBitsHaveBiasesToo) {
  Tensor reference(DType::i8, {1, planes, side, side}), target(DType::i8, {1, planes, side, side});
  for (size_t i = 0; i < reference.elementCount(); ++i) {
    const float due = 60 * mixed(i), bias = 0.7F * static_cast<float>(i / (side * side)) - 4;
    reference.mutableAs<int8_t>()[i] = static_cast<int8_t>(std::lround(due));
    target.mutableAs<int8_t>()[i] = static_cast<int8_t>(std::lround(due + bias));
  }
  const auto replayed = replayHypotheses(reference, target, compareTensors(reference, target), {});
  ASSERT_TRUE(replayed);
  EXPECT_EQ(exactHypothesis(*replayed), Feature::byChannelOffset);
}

// There is no exact hypothesis if all elements are random numbers, if few elements are wrong, if some rows
// are zero, or if some channels have an offset and the others are random.
TEST(ExactEvidence, OtherErrorsGiveNoHypothesis) {
  EXPECT_FALSE(hypothesis([](const Tensor &, int64_t c, int64_t y, int64_t x) {
    return mixed(static_cast<size_t>(400000 + (c * side + y) * side + x));
  }));
  EXPECT_FALSE(hypothesis([](const Tensor &of, int64_t c, int64_t y, int64_t x) {
    return valueAt(of, c, y, x) + (c == 3 && y == 5 && x < 9 ? 0.5F : 0.0F);
  }));
  EXPECT_FALSE(hypothesis([](const Tensor &of, int64_t c, int64_t y, int64_t x) {
    return y > 8 && y < 16 ? 0.0F : valueAt(of, c, y, x);
  }));
  const auto both = hypothesis([](const Tensor &of, int64_t c, int64_t y, int64_t x) {
    return c < 6 ? valueAt(of, c, y, x) + 0.3F
                 : mixed(static_cast<size_t>(500000 + (c * side + y) * side + x));
  });
  EXPECT_FALSE(both);
}

TEST(ExactEvidence, SomeChannelsAreReplaced) {
  const auto replacedBy = [](float size) {
    return hypothesis([size](const Tensor &of, int64_t c, int64_t y, int64_t x) {
      const auto at = static_cast<size_t>(900000 + (c * side + y) * side + x);
      return valueAt(of, c, y, x) + (c < 3 ? size * mixed(at) : 0.0F);
    });
  };
  EXPECT_EQ(replacedBy(1), Feature::channelsDifferent);
  EXPECT_FALSE(replacedBy(0.1F)); // a little noise
}

// Even if all errors lie in some channels or at the border, they may be rounding errors. Whether there is a
// bug is left to the classifier.
TEST(ExactEvidence, MayHoldForACorrectTensor) {
  Scores scores;
  scores.probabilities[static_cast<size_t>(BugClass::noError)] = 0.7F;
  scores.probabilities[static_cast<size_t>(BugClass::splitting)] = 0.3F;
  for (const auto &[feature, bugClass] : {std::pair{Feature::channelsDifferent, BugClass::coefficientLoading},
                                          {Feature::borderDifferent, BugClass::padding}}) {
    const Probabilities preferred = preferHypothesis(scores, feature).probabilities;
    EXPECT_GE(preferred[static_cast<size_t>(BugClass::noError)], 0.7F);
    EXPECT_EQ(likeliest(preferred, 2).back(), bugClass);
    EXPECT_NEAR(std::accumulate(preferred.begin(), preferred.end(), 0.0F), 1, 1e-5);
  }
}

TEST(ExactEvidence, GoesBeforeTheClassifier) {
  Scores scores;
  scores.probabilities[static_cast<size_t>(BugClass::orientation)] = 0.97F;
  scores.probabilities[static_cast<size_t>(BugClass::biasLoading)] = 0.03F;
  scores.unknown = 0.9F;
  const Scores preferred = preferHypothesis(scores, Feature::byChannelOffset);
  EXPECT_EQ(likeliest(preferred.probabilities, 1).front(), BugClass::biasLoading);
  EXPECT_NEAR(std::accumulate(preferred.probabilities.begin(), preferred.probabilities.end(), 0.0F), 1, 1e-5);
  Features features{};
  features[static_cast<size_t>(Feature::largestError)] = 1;
  EXPECT_EQ(decide(preferred, features).answer, Answer::named);
  // An offset for each channel points to two bug classes, biasLoading and quantisationType. If the classifier
  // is sure of the less frequent one, quantisationType, no class is named.
  scores.probabilities[static_cast<size_t>(BugClass::quantisationType)] = 0.9F;
  EXPECT_EQ(decide(preferHypothesis(scores, Feature::byChannelOffset), features).answer, Answer::cannotSay);
}

// Fixture with convolutions all of whose results are wrong.
class AllIsWrong : public testing::Test {
protected:
  static constexpr int64_t taps = 5, step = 2, outputs = 32;
  using Weight = std::function<float(int64_t output, int64_t y, int64_t x)>;

  static float weight(int64_t output, int64_t y, int64_t x) {
    return mixed(static_cast<size_t>((output * taps + y) * taps + x));
  }
  static float otherWeight(int64_t output, int64_t y, int64_t x) {
    return weight(output + outputs, y, x) * (output % 2 ? 1.0F : 0.4F);
  }
  static float flipped(int64_t output, int64_t y, int64_t x) { return weight(output, taps - 1 - y, x); }

  // A convolution with stride 2 over an image surrounded by zeros, with `padding` rows and columns of them at
  // the start.
  static Tensor convolved(const Weight &weight, int64_t padding) {
    Tensor result(DType::f32, {1, outputs, side, side});
    for (int64_t output = 0, i = 0; output < outputs; ++output)
      for (int64_t row = 0; row < side; ++row)
        for (int64_t column = 0; column < side; ++column) {
          float sum = 0;
          for (int64_t y = 0; y < taps; ++y)
            for (int64_t x = 0; x < taps; ++x)
              sum += weight(output, y, x) * pixel(step * row + y - padding, step * column + x - 2);
          result.mutableAs<float>()[static_cast<size_t>(i++)] = sum;
        }
    return result;
  }
  // The verdict if the classifier takes the weights for flipped, with a probability of 97 %.
  static Verdict verdictOn(const Tensor &target) {
    const Tensor reference = convolved(weight, 2);
    const auto replayed = replayHypotheses(reference, target, compareTensors(reference, target), {});
    EXPECT_TRUE(replayed);
    Scores scores;
    scores.probabilities[static_cast<size_t>(BugClass::orientation)] = 0.97F;
    scores.probabilities[static_cast<size_t>(BugClass::padding)] = 0.03F;
    Features features{};
    features[static_cast<size_t>(Feature::largestError)] = 1;
    return decideOnDumps(scores, features, *replayed);
  }
  static BugClass first(const Verdict &verdict) { return likeliest(verdict.probabilities, 1).front(); }

private:
  static float pixel(int64_t row, int64_t column) {
    constexpr int64_t size = step * side;
    const bool isInside = row >= 0 && row < size && column >= 0 && column < size;
    return isInside ? mixed(static_cast<size_t>(800000 + row * size + column)) : 0;
  }
};

TEST_F(AllIsWrong, RowsHaveMovedAcrossTheBorder) {
  for (const int64_t padding : {1, 3}) {
    const Verdict verdict = verdictOn(convolved(weight, padding));
    EXPECT_EQ(verdict.answer, Answer::cannotSay);
    EXPECT_EQ(first(verdict), BugClass::padding) << padding;
  }
}

TEST_F(AllIsWrong, OtherCoefficientsHaveAnotherSpread) {
  const Verdict verdict = verdictOn(convolved(otherWeight, 2));
  EXPECT_EQ(verdict.answer, Answer::cannotSay);
  EXPECT_EQ(first(verdict), BugClass::coefficientLoading);
}

// The result with flipped weights looks like the result with any other weights, so no class is named, even if
// the classifier is sure of one.
TEST_F(AllIsWrong, NoClassIsNamed) {
  const Verdict verdict = verdictOn(convolved(flipped, 2));
  EXPECT_EQ(verdict.answer, Answer::cannotSay);
  EXPECT_EQ(std::ranges::max(verdict.probabilities), 0);
  EXPECT_FALSE(verdict.reason.empty());
}

// If each channel of the result is the expected channel times a factor, the classifier's verdict stands.
TEST_F(AllIsWrong, ButIsAFunctionOfTheReference) {
  const Tensor reference = convolved(weight, 2);
  Tensor target = reference;
  for (size_t i = 0; i < target.elementCount(); ++i)
    target.mutableAs<float>()[i] *= 1.3F + 0.05F * static_cast<float>(i / (side * side));
  const auto replayed = replayHypotheses(reference, target, compareTensors(reference, target), {});
  ASSERT_TRUE(replayed);
  Features features{};
  EXPECT_TRUE(resemblesNothing(features, *replayed));
  features[static_cast<size_t>(Feature::byChannelGain)] = 1;
  EXPECT_FALSE(resemblesNothing(features, *replayed));
}

TEST(ExactEvidence, AnUnlikelyClassIsNoAnswer) {
  Scores scores;
  scores.probabilities.fill(0.4F / numBugClasses);
  scores.probabilities[static_cast<size_t>(BugClass::scaling)] = 0.6F;
  Features features{};
  features[static_cast<size_t>(Feature::largestError)] = 1;
  EXPECT_EQ(likeliest(decideOnDumps(scores, features, {}).probabilities, 1).front(), BugClass::scaling);
  scores.probabilities[static_cast<size_t>(BugClass::scaling)] = 0.3F;
  EXPECT_EQ(std::ranges::max(decideOnDumps(scores, features, {}).probabilities), 0);
  // If the reference is exact in every bit (an oracle) and elements differ, there is a bug, and the likeliest
  // class is named.
  features[static_cast<size_t>(Feature::oracleKnown)] = features[static_cast<size_t>(Feature::different)] = 1;
  EXPECT_EQ(decideOnDumps(scores, features, {}).bugClass, BugClass::scaling);
}

} // namespace
} // namespace tilerig::test
