// Tests of attribution, the numbers of wrong elements that each bug class explains, on tensors whose counts
// are known by construction.
#include "tests/unit/Verify/WrongConvolution.h"
#include "verify/Metrics/Compare.h"
#include "verify/Verdict/AttributionRecord.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace tilerig::test {
namespace {

using namespace verify;
using namespace verify::test::convolved;
using enum BugClass;

Probabilities likely(std::initializer_list<BugClass> classes) {
  Probabilities probabilities{};
  float share = 0.6F;
  for (const BugClass bugClass : classes) {
    probabilities[static_cast<size_t>(bugClass)] = share;
    share /= 2;
  }
  return probabilities;
}

template <class T>
T valueOf(Result<T> result) {
  EXPECT_TRUE(result) << result.error().message();
  return *std::move(result);
}

// What is known about the tensor: only that its reference is exact in every bit (an oracle).
Circumstances ofOracle() {
  Circumstances known;
  known.isOracle = true;
  return known;
}

Attribution attributed(const Tensor &reference, const Tensor &target, const Circumstances &known,
                       const Probabilities &probabilities) {
  const Comparison comparison = compareTensors(reference, target, {.limits = {}, .exact = known.isOracle});
  const ReplayedHypotheses replayed = valueOf(replayHypotheses(reference, target, comparison, known));
  const Attribution attribution = attribute(replayed.wrong, replayed.explanations, probabilities);
  EXPECT_EQ(attribution.all.elements, known.isOracle ? comparison.different : comparison.failed);
  EXPECT_EQ(attribution.all.failed, comparison.failed);
  ElementCounts sum = attribution.unexplained;
  for (const ClassAttribution &of : attribution.classes)
    sum.elements += of.counts.elements, sum.failed += of.counts.failed;
  EXPECT_EQ(sum.elements, attribution.all.elements);
  EXPECT_EQ(sum.failed, attribution.all.failed);
  return attribution;
}

// Two bugs at once: output channels from number 10 on lack their bias, and the corner of the image that one
// tile computes is zero. In one channel, some results are arbitrary, which no bug explains.
class TwoBugs : public testing::Test {
protected:
  static constexpr int firstWithoutBias = 10, tileRows = 4, tileColumns = 4, strange = 3;
  Tensor reference, target;
  ElementCounts ofBias, ofTile, ofNothing;
  Circumstances known;

  static bool isOnTile(int row, int column) { return row < tileRows && column < tileColumns; }

  TwoBugs() {
    Convolution right, without;
    right.finish = without.finish = [](float sum, int) { return sum; };
    without.bias = [&without](int output) {
      return output < firstWithoutBias ? without.biases[static_cast<size_t>(output)] : 0;
    };
    reference = right.result();
    target = without.result();
    known.product = productOfConvolution();
    known.isOracle = true;
  }
  void breakTile() {
    each([&](int, int row, int column, float &value) {
      if (isOnTile(row, column))
        value = 0;
    });
  }
  void addStrangeValues() {
    each([&](int output, int row, int column, float &value) {
      if (output == strange && !isOnTile(row, column))
        value = 5 * mixed(static_cast<size_t>(9000 + row * width + column));
    });
  }
  template <class Visit>
  void each(Visit visit) {
    for (int output = 0; output < outputs; ++output)
      for (int row = 0; row < height; ++row)
        for (int column = 0; column < width; ++column)
          visit(output, row, column, target.mutableAs<float>()[indexOf(output, row, column)]);
  }
  static size_t indexOf(int output, int row, int column) {
    return static_cast<size_t>((output * height + row) * width + column);
  }
  // Counts the wrong elements that each of the two injected bugs explains.
  void count() {
    const Comparison limits = compareTensors(reference, target, {.limits = {}, .exact = true});
    const WrongElements wrong = valueOf(findWrongElements(reference, target, limits, true));
    for (const WrongElement &element : wrong.elements) {
      const int at = static_cast<int>(element.index), column = at % width, row = at / width % height,
                output = at / width / height;
      ElementCounts &of = isOnTile(row, column) ? ofTile : output == strange ? ofNothing : ofBias;
      ++of.elements;
      of.failed += element.failed;
    }
  }
  static void expectEqual(const ElementCounts &actual, const ElementCounts &due) {
    EXPECT_EQ(actual.elements, due.elements);
    EXPECT_EQ(actual.failed, due.failed);
  }
};

TEST_F(TwoBugs, OneAlone) {
  count();
  const Attribution attribution = attributed(reference, target, known, likely({biasLoading, hardware}));
  ASSERT_EQ(attribution.classes.size(), 1u);
  EXPECT_EQ(attribution.classes[0].bugClass, biasLoading);
  EXPECT_EQ(attribution.classes[0].explainedBy.front(), Feature::replayNoBias);
  expectEqual(attribution.of(biasLoading), attribution.all);
}

TEST_F(TwoBugs, EachExplainsItsElements) {
  breakTile();
  count();
  const Attribution attribution = attributed(reference, target, known, likely({biasLoading, hardware}));
  expectEqual(attribution.of(biasLoading), ofBias);
  expectEqual(attribution.of(hardware), ofTile);
  expectEqual(attribution.unexplained, {});
  EXPECT_GT(ofBias.failed, 100u); // the missing bias must make many elements wrong
  EXPECT_GT(ofTile.failed, 100u);
}

TEST_F(TwoBugs, IndependentOfTheClassifier) {
  breakTile();
  count();
  const Attribution attribution =
      attributed(reference, target, known, likely({table, hardware, biasLoading}));
  expectEqual(attribution.of(biasLoading), ofBias);
  expectEqual(attribution.of(hardware), ofTile);
  ASSERT_EQ(attribution.classes.size(), 2u);
  EXPECT_EQ(attribution.classes[0].bugClass, hardware); // the more likely of the two classes comes first
}

TEST_F(TwoBugs, TheRestIsUnexplained) {
  breakTile();
  addStrangeValues();
  count();
  const Attribution attribution = attributed(reference, target, known, likely({biasLoading, hardware}));
  expectEqual(attribution.of(biasLoading), ofBias);
  expectEqual(attribution.of(hardware), ofTile);
  expectEqual(attribution.unexplained, ofNothing);
  EXPECT_GT(ofNothing.failed, 30u);
}

// Attribution from two dumps, without a program: the operands of the layer are not known, and elements whose
// errors are within the limits do not count as wrong.
TEST_F(TwoBugs, FromTwoDumps) {
  breakTile();
  count();
  const Attribution attribution = attributed(reference, target, {}, likely({biasLoading, hardware}));
  EXPECT_EQ(attribution.of(biasLoading).failed, ofBias.failed);
  EXPECT_EQ(attribution.of(hardware).failed, ofTile.failed);
  EXPECT_EQ(attribution.classes[0].explainedBy.front(), Feature::byChannelOffset);
}

TEST(Attribution, NothingExplainsNoise) {
  Tensor reference(DType::f32, {1, 8, 16, 16}), target(DType::f32, {1, 8, 16, 16});
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (float &value : reference.mutableAs<float>())
    value = normal(random);
  for (float &value : target.mutableAs<float>())
    value = normal(random);
  Probabilities all;
  all.fill(1.0F / numBugClasses);
  const Attribution attribution = attributed(reference, target, ofOracle(), all);
  EXPECT_EQ(attribution.unexplained.elements, attribution.all.elements);
}

// Of a large number of elements only a sample is replayed; its counts are scaled to all elements.
TEST(Attribution, CountsAreThoseOfAllElements) {
  const Shape shape = {1, 4, 511, 513};
  Tensor reference(DType::f32, shape), target(DType::f32, shape);
  for (size_t i = 0; i < reference.elementCount(); ++i) {
    reference.mutableAs<float>()[i] = 1 + mixed(i);
    target.mutableAs<float>()[i] = reference.as<float>()[i] + (i < 3 * 511 * 513 ? 1.0F : 0.0F);
  }
  const Attribution attribution = attributed(reference, target, ofOracle(), likely({biasLoading}));
  EXPECT_EQ(attribution.all.elements, 3u * 511 * 513);
  EXPECT_LE(attribution.replayed, WrongElements::most);
  EXPECT_EQ(attribution.of(biasLoading).elements, attribution.all.elements);
}

TEST(Attribution, EveryReplaySpeaksForAClass) {
  for (auto i = static_cast<size_t>(Feature::replayTurnedWeights); i < numFeatures; ++i)
    EXPECT_FALSE(classesOf(static_cast<Feature>(i)).empty()) << nameOf(static_cast<Feature>(i));
  EXPECT_TRUE(classesOf(Feature::isConv).empty());
}

TEST(AttributionRecord, SharesAreOfFailedElements) {
  const Attribution attribution{.all = {100, 40},
                                .replayed = 100,
                                .classes = {{padding, {60, 30}, {Feature::borderDifferent}}},
                                .unexplained = {40, 10}};
  const Json record = attributionRecord(attribution);
  EXPECT_EQ(record["classes"][0]["class"], "padding");
  EXPECT_EQ(record["classes"][0]["failed"], 30);
  EXPECT_EQ(record["classes"][0]["share"], 0.75);
  EXPECT_EQ(record["classes"][0]["explained_by"][0]["name"], "border_different");
  EXPECT_EQ(record["unexplained"]["share"], 0.25);
  EXPECT_EQ(attributionLine(record),
            "explanations of the 40 failed elements: padding 75.0 % (errors lie at the border of the "
            "image), unexplained 25.0 %");
  // If all errors are within the limits, no element failed. The shares of bug classes then refer to all
  // elements that differ.
  const Json passed = attributionRecord({.all = {4, 0},
                                         .replayed = 4,
                                         .classes = {{rounding, {3, 0}, {Feature::smallSteps}}},
                                         .unexplained = {1, 0}});
  EXPECT_EQ(passed["classes"][0]["share"], 0.75);
  EXPECT_EQ(attributionLine(passed).find("explanations of the 4 different elements: rounding 75.0 %"), 0u);
  // A finding of the analyser, or a trap, has already shown the bug class. The wrong elements therefore need
  // not be explained by a replay, which computes the layer again with a suspected bug.
  const Json unreplayed =
      attributionRecord({.all = {1, 1}, .classes = {{BugClass::clipping, {1, 1}, {}}}, .unexplained = {}});
  EXPECT_EQ(attributionLine(unreplayed),
            "explanations of the 1 failed elements: clipping 100.0 %, unexplained 0.0 %");
}

// A class is reproduced by a replay that is typical of it and explains nearly all elements.
TEST(Reproduced, NeedsATypicalReplay) {
  const auto of = [](BugClass bugClass, Feature hypothesis, uint64_t explained, uint64_t all) {
    Attribution attribution;
    attribution.all = {all, all};
    attribution.classes = {{bugClass, {explained, explained}, {hypothesis}}};
    return isReproduced(attribution, bugClass);
  };
  EXPECT_TRUE(of(biasLoading, Feature::replayOtherBias, 99, 100));
  EXPECT_TRUE(of(orientation, Feature::replayTurnedWeights, 100, 100));
  EXPECT_FALSE(of(biasLoading, Feature::replayOtherBias, 90, 100));
  EXPECT_FALSE(of(biasLoading, Feature::replayOtherBias, 10, 10));     // too few
  EXPECT_FALSE(of(memoryMapping, Feature::replayOtherBias, 100, 100)); // typical of another class
  EXPECT_FALSE(of(hardware, Feature::replayNoSum, 100, 100));          // zeros
  EXPECT_FALSE(of(orientation, Feature::transposed, 100, 100));        // no replay
  EXPECT_FALSE(isReproduced(Attribution(), biasLoading));
}

} // namespace
} // namespace tilerig::test
