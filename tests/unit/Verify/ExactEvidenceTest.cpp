// Hypotheses that explain all that is wrong in a pair of dumps, and the classes that they put first.
#include "verify/Verdict/ExactEvidence.h"
#include "tests/unit/Verify/WrongConvolution.h"
#include "verify/Metrics/Compare.h"
#include "verify/Verdict/Verdict.h"

#include <gtest/gtest.h>
#include <numeric>

namespace tilerig::test {
namespace {

using namespace verify;
using namespace verify::test::convolved;

constexpr int64_t side = 24, numChannels3 = 12;

// Channels of numbers that resemble nothing.
Tensor image() {
  Tensor made(DType::f32, {1, numChannels3, side, side});
  for (size_t i = 0; i < made.elementCount(); ++i)
    made.mutableAs<float>()[i] = mixed(i) + 0.25F;
  return made;
}
float valueAt(const Tensor &of, int64_t channel, int64_t row, int64_t column) {
  return of.as<float>()[static_cast<size_t>((channel * side + row) * side + column)];
}
// The target has change(reference, channel, row, column).
template <class Change>
std::optional<Fact> hypothesis(Change change) {
  const Tensor reference = image();
  Tensor target(DType::f32, reference.shape());
  for (int64_t channel = 0, i = 0; channel < numChannels3; ++channel)
    for (int64_t row = 0; row < side; ++row)
      for (int64_t column = 0; column < side; ++column)
        target.mutableAs<float>()[static_cast<size_t>(i++)] = change(reference, channel, row, column);
  const auto replayed = replayHypotheses(reference, target, compareTensors(reference, target), {});
  EXPECT_TRUE(replayed);
  return exactHypothesis(*replayed);
}

TEST(ExactEvidence, ANumberForEachChannelIsABias) {
  const auto found = hypothesis([](const Tensor &of, int64_t c, int64_t y, int64_t x) {
    return valueAt(of, c, y, x) + 0.3F * mixed(static_cast<size_t>(100000 + c));
  });
  EXPECT_EQ(found, Fact::byChannelOffset);
  EXPECT_EQ(classesOf(*found).front(), BugClass::biasLoading);
}

TEST(ExactEvidence, TheImageARowOnIsPadding) {
  const auto found = hypothesis([](const Tensor &of, int64_t c, int64_t y, int64_t x) {
    return y > 0 ? valueAt(of, c, y - 1, x) : 0.7F * mixed(static_cast<size_t>(200000 + x));
  });
  EXPECT_EQ(found, Fact::replayShiftedInput);
  EXPECT_EQ(classesOf(*found).front(), BugClass::padding);
}

TEST(ExactEvidence, TheBorderAloneIsPadding) {
  const auto found = hypothesis([](const Tensor &of, int64_t c, int64_t y, int64_t x) {
    return y < side - 1 ? valueAt(of, c, y, x) : mixed(static_cast<size_t>(300000 + c * side + x));
  });
  EXPECT_EQ(found, Fact::borderDifferent);
  EXPECT_EQ(classesOf(*found).front(), BugClass::padding);
}

TEST(ExactEvidence, OtherChannelsAreCoefficients) {
  const auto found = hypothesis([](const Tensor &of, int64_t c, int64_t y, int64_t x) {
    return valueAt(of, c == 2 ? 9 : c == 9 ? 2 : c, y, x);
  });
  EXPECT_EQ(found, Fact::otherChannels);
  EXPECT_EQ(classesOf(*found).front(), BugClass::coefficientLoading);
}

TEST(ExactEvidence, TransposedIsOrientation) {
  const auto found =
      hypothesis([](const Tensor &of, int64_t c, int64_t y, int64_t x) { return valueAt(of, c, x, y); });
  EXPECT_EQ(found, Fact::transposed);
}

// Numbers that resemble nothing, few elements, a part of the image, and zeros say nothing exactly.
TEST(ExactEvidence, ThereIsNone) {
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

TEST(ExactEvidence, GoesBeforeTheClassifier) {
  Scores scores;
  scores.probabilities[static_cast<size_t>(BugClass::orientation)] = 0.97F;
  scores.probabilities[static_cast<size_t>(BugClass::biasLoading)] = 0.03F;
  scores.unknown = 0.9F;
  const Scores preferred = preferHypothesis(scores, Fact::byChannelOffset);
  EXPECT_EQ(likeliest(preferred.probabilities, 1).front(), BugClass::biasLoading);
  EXPECT_NEAR(std::accumulate(preferred.probabilities.begin(), preferred.probabilities.end(), 0.0F), 1, 1e-5);
  Facts facts{};
  facts[static_cast<size_t>(Fact::largestError)] = 1;
  EXPECT_EQ(decide(preferred, facts).answer, Answer::named);
  // Of classes that it speaks for alike, the classifier's own decides how sure it is.
  scores.probabilities[static_cast<size_t>(BugClass::quantisationType)] = 0.9F;
  EXPECT_EQ(decide(preferHypothesis(scores, Fact::byChannelOffset), facts).answer, Answer::cannotSay);
}

} // namespace
} // namespace tilerig::test
