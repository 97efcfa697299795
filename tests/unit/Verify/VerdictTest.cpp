// Tests of verdicts: the decision from the classifier's scores, and cases without a verdict.
#include "verify/Metrics/Compare.h"
#include "verify/Verdict/VerdictRecord.h"
#include "verify/Verdict/Words.h"

#include <gtest/gtest.h>
#include <limits>
#include <set>

namespace tilerig::test {
namespace {

using namespace verify;
using enum BugClass;

size_t at(BugClass bugClass) { return static_cast<size_t>(bugClass); }

Scores scores(float noErrorShare, float paddingShare, float scalingShare, float unknown = 0.1f) {
  Scores result;
  result.probabilities[at(noError)] = noErrorShare;
  result.probabilities[at(padding)] = paddingShare;
  result.probabilities[at(scaling)] = scalingShare;
  result.unknown = unknown;
  return result;
}

Features features(float different, bool hasOracle) {
  Features result{};
  result[static_cast<size_t>(Feature::different)] = different;
  result[static_cast<size_t>(Feature::oracleKnown)] = hasOracle;
  result[static_cast<size_t>(Feature::largestError)] = different > 0 ? 1 : 0;
  return result;
}

TEST(Verdict, WhatIsEqualHasNoError) {
  for (bool hasOracle : {false, true}) {
    const Verdict verdict = decide(scores(0, 1, 0, 1), features(0, hasOracle));
    EXPECT_EQ(verdict.answer, Answer::named);
    EXPECT_EQ(verdict.bugClass, noError);
    EXPECT_EQ(verdict.probabilities[at(noError)], 1);
  }
}

TEST(Verdict, WithAnOracleADifferenceIsABug) {
  const Verdict verdict = decide(scores(0.8f, 0.15f, 0.05f), features(0.1f, true));
  EXPECT_EQ(verdict.bugClass, padding);
  EXPECT_EQ(verdict.probabilities[at(noError)], 0);
  EXPECT_FLOAT_EQ(verdict.probabilities[at(padding)], 0.75f);
  EXPECT_FLOAT_EQ(verdict.probabilities[at(scaling)], 0.25f);
}

// A bug in a compiler pass also changes the oracle, which is the ONNX model that the compiler writes. If the
// program differs from the oracle, the cause is therefore another one.
TEST(Verdict, OnlyWithoutAnOracleIsAPassSuspected) {
  Scores ofPass = scores(0, 0.01f, 0);
  ofPass.probabilities[at(rewrite)] = 0.99f;
  EXPECT_EQ(decide(ofPass, features(0.1f, false)).bugClass, rewrite);
  Features ofCheck = features(0.1f, true);
  ofCheck[static_cast<size_t>(Feature::orderKnown)] = 1;
  const Verdict verdict = decide(ofPass, ofCheck);
  EXPECT_EQ(verdict.bugClass, padding);
  EXPECT_EQ(verdict.probabilities[at(rewrite)], 0);
  EXPECT_FLOAT_EQ(verdict.probabilities[at(padding)], 1);
}

// Where dumps are compared with what the original model computes from them, no program is known, and a pass may be wrong.
TEST(Verdict, TheOriginalModelShowsBugsOfPasses) {
  Scores ofPass = scores(0.5f, 0.1f, 0);
  ofPass.probabilities[at(rewrite)] = 0.4f;
  const Verdict verdict = decide(ofPass, features(0.1f, true));
  EXPECT_EQ(verdict.bugClass, rewrite);
  EXPECT_EQ(verdict.probabilities[at(noError)], 0);
  EXPECT_FLOAT_EQ(verdict.probabilities[at(rewrite)], 0.8f);
}

TEST(Verdict, WithoutAnOracleABugHasToBeNearlyCertain) {
  for (const Scores &unsure : {scores(0.01f, 0.99f, 0), scores(0, 0.8f, 0.2f)}) {
    const Verdict verdict = decide(unsure, features(0.1f, false));
    EXPECT_EQ(verdict.answer, Answer::cannotSay);
    EXPECT_EQ(verdict.bugClass, noError);
    EXPECT_NE(verdict.reason.find(nameOf(padding)), std::string::npos) << verdict.reason;
  }
  EXPECT_EQ(decide(scores(0.6f, 0.4f, 0), features(0.1f, false)).answer, Answer::named);
  EXPECT_EQ(decide(scores(0.001f, 0.95f, 0.049f), features(0.1f, false)).bugClass, padding);
}

// Without an oracle (a reference that is exact in every bit), rounding is no bug: two systems may round
// differently. With an oracle, the device has to round as the oracle does.
TEST(Verdict, WithoutAnOracleRoundingIsNoBug) {
  Scores rounded = scores(0.003f, 0, 0);
  rounded.probabilities[at(rounding)] = 0.997f;
  const Verdict verdict = decide(rounded, features(0.1f, false));
  EXPECT_EQ(verdict.bugClass, noError);
  EXPECT_FLOAT_EQ(verdict.probabilities[at(noError)], 1);
  EXPECT_EQ(verdict.probabilities[at(rounding)], 0);
  EXPECT_EQ(decide(rounded, features(0.1f, true)).bugClass, rounding);
}

TEST(Verdict, WithoutAnOracleEffectsOfPrecisionAreNoBug) {
  for (const auto &[error, due] : {std::pair{0.7f, noError}, {0.8f, padding}}) {
    Features tensorFeatures = features(0.1f, false);
    tensorFeatures[static_cast<size_t>(Feature::largestError)] = error;
    EXPECT_EQ(decide(scores(0, 1, 0), tensorFeatures).bugClass, due) << error;
    tensorFeatures[static_cast<size_t>(Feature::oracleKnown)] = 1;
    EXPECT_EQ(decide(scores(0, 1, 0), tensorFeatures).bugClass, padding) << error;
    tensorFeatures[static_cast<size_t>(Feature::oracleKnown)] = 0;
    tensorFeatures[static_cast<size_t>(Feature::notFinite)] = 0.1f;
    EXPECT_EQ(decide(scores(0, 1, 0), tensorFeatures).bugClass, padding) << error;
  }
}

TEST(Verdict, EvidenceUnlikeAllKnownBugsIsUnknown) {
  EXPECT_EQ(decide(scores(0, 0.6f, 0.4f, 0.7f), features(0.1f, true)).answer, Answer::unknown);
  EXPECT_EQ(decide(scores(0, 0.6f, 0.4f, 0.3f), features(0.1f, true)).answer, Answer::named);
  const Verdict verdict = decide(scores(0, 1, 0, 0.7f), features(0.1f, false));
  EXPECT_EQ(verdict.answer, Answer::cannotSay);
  EXPECT_EQ(verdict.bugClass, noError);
}

// If an oracle (a reference that is exact in every bit) shows an error, the verdict names a class of bugs
// even if the classifier is sure that there is no error. The probabilities still sum to one.
TEST(Verdict, ProbabilitiesStaySharesOfOne) {
  const Verdict verdict = decide(scores(1, 0, 0), features(0.1f, true));
  float sum = 0;
  for (float share : verdict.probabilities)
    sum += share;
  EXPECT_NEAR(sum, 1, 1e-6);
  EXPECT_NE(verdict.bugClass, noError);
}

TEST(Verdict, TheLikeliestFirst) {
  EXPECT_EQ(likeliest(scores(0.1f, 0.3f, 0.6f).probabilities, 2), (std::vector{scaling, padding}));
  EXPECT_EQ(likeliest({}, 100).size(), numBugClasses);
}

Tensor floats(std::vector<float> numbers) {
  Tensor tensor(DType::f32, {static_cast<int64_t>(numbers.size())});
  std::ranges::copy(numbers, tensor.mutableAs<float>().begin());
  return tensor;
}
std::optional<std::string> why(const std::vector<float> &reference, const std::vector<float> &target) {
  const Tensor r = floats(reference), t = floats(target);
  return whyNothingCanBeSaid(compareTensors(r, t), r);
}

TEST(CannotSay, GivesTheReason) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> sound = {1, 2, 3, 4, 5, 6, 7, 8}, other = {1, 2, 3, 4, 5, 6, 7, 9};
  EXPECT_EQ(why(sound, other), std::nullopt);
  EXPECT_EQ(why({}, {}), "0 elements are too few for a verdict");
  EXPECT_EQ(why({1, 2}, {1, 3}), "2 elements are too few for a verdict");
  EXPECT_EQ(why(std::vector<float>(8), other), "all elements of the reference are zero");
  EXPECT_EQ(why(std::vector<float>(8, 3), other), "all elements of the reference have the same value");
  EXPECT_EQ(why({nan, 2, 3, 4, 5, 6, 7, 8}, other), "the reference contains NaN or infinity");
  EXPECT_EQ(why(sound, std::vector<float>(8, nan)), "most elements of the target are NaN or infinite");
  EXPECT_TRUE(why(sound, {1, 2, 3}));
}

TEST(Words, EveryFeatureAndClassHasADescription) {
  std::set<std::string_view> all;
  for (size_t i = 0; i < numChannels; ++i)
    EXPECT_TRUE(all.insert(wordsOf(static_cast<Channel>(i))).second) << i;
  for (size_t i = 0; i < numBugClasses; ++i)
    EXPECT_TRUE(all.insert(wordsOf(static_cast<BugClass>(i))).second) << i;
  for (size_t i = 0; i < numFeatures; ++i)
    EXPECT_FALSE(wordsOf(static_cast<Feature>(i)).empty()) << i;
  EXPECT_FALSE(all.contains(""));
}

// A verdict may name as its reason any feature that is measured on the tensor's errors, but never a feature
// that describes the tensor itself.
TEST(Words, ErrorsAreReasons) {
  for (size_t i = 0; i < numFeatures; ++i) {
    const auto feature = static_cast<Feature>(i);
    const bool isMeasured = feature >= Feature::unordered && !nameOf(feature).ends_with("_known");
    EXPECT_EQ(isEvidence(feature), isMeasured) << nameOf(feature);
  }
}

TEST(Words, SuspectsAreSitesOfTheClass) {
  EXPECT_EQ(suspectsOf(padding), (std::vector<std::string>{"convolution lowering", "fill constant"}));
  EXPECT_TRUE(suspectsOf(noError).empty());
}

TEST(VerdictRecord, ListsMissingInformation) {
  EXPECT_EQ(missingFrom(Features{}).size(), 6u);
  Features all{};
  all.fill(1);
  EXPECT_TRUE(missingFrom(all).empty());
}

TEST(VerdictRecord, HasEveryField) {
  ExplainedVerdict explained{.verdict = decide(scores(0, 0.75f, 0.25f), features(0.1f, true)),
                             .reasons = {{"lags", "words", 2}},
                             .attribution =
                                 Attribution{.all = {300, 200},
                                             .replayed = 300,
                                             .classes = {{padding, {170, 150}, {Feature::borderDifferent}}},
                                             .unexplained = {130, 50}}};
  const Json record = verdictRecord(explained);
  EXPECT_EQ(record["answer"], "named");
  EXPECT_EQ(record["class"], "padding");
  EXPECT_EQ(record["probabilities"].size(), numBugClasses);
  EXPECT_EQ(record["top"][0]["class"], "padding");
  EXPECT_EQ(record["top"][0]["attributed"], 150);
  EXPECT_EQ(record["top"][1]["attributed"], 0);
  EXPECT_EQ(record["attribution"]["unexplained"]["failed"], 50);
  EXPECT_EQ(record["top"].size(), 3u);
  EXPECT_EQ(record["evidence"][0]["name"], "lags");
  EXPECT_EQ(verdictLine(record), "padding 0.75, scaling 0.25, no_error 0.00");

  const Json nothing = verdictRecord({.verdict = cannotSay("too few")});
  EXPECT_TRUE(nothing["attribution"].is_null());
  EXPECT_EQ(nothing["answer"], "cannot_say");
  EXPECT_TRUE(nothing["class"].is_null());
  EXPECT_TRUE(nothing["probabilities"].is_null());
  EXPECT_EQ(verdictLine(nothing), "cannot say: too few");
}

} // namespace
} // namespace tilerig::test
