// Tests of the calibration of the classifier's probabilities on synthetic answers whose classes are drawn
// from known probabilities.
#include "classifier/Training/Calibrate.h"

#include "classifier/Training/Chance.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

namespace tilerig::test {
namespace {

using namespace classifier;

constexpr size_t numRows = 400, embeddingWidth = numBugClasses;

// Synthetic answers of a classifier. Logits are drawn at random, and the class is drawn from their softmax;
// the model's logits are `sharpness` times as large. The embeddings of each class have a direction of their
// own; `place` is added to all embeddings.
struct Drawn {
  Rows rows;
  Answers answers;
  Indices which;

  explicit Drawn(double sharpness, uint64_t seed = 1, double place = 0) {
    const verify::Evidence blank{Tensor(DType::u8, {channelBytes}), Tensor(DType::u8, {pictureBytes}), {}};
    answers.embeddingWidth = embeddingWidth;
    for (size_t row = 0; row < numRows; ++row) {
      Chance chance = Chance(seed).of(row);
      std::array<double, numBugClasses> logits{};
      double sum = 0;
      for (double &logit : logits)
        sum += std::exp(logit = 2 * chance.bell());
      double left = chance.share() * sum;
      size_t bugClass = 0;
      while (bugClass + 1 < numBugClasses && (left -= std::exp(logits[bugClass])) > 0)
        ++bugClass;
      verify::Origin origin;
      origin.bugClass = static_cast<BugClass>(bugClass);
      rows.add(blank, origin);
      for (double logit : logits)
        answers.logits.push_back(static_cast<float>(sharpness * logit));
      for (size_t i = 0; i < embeddingWidth; ++i)
        answers.embedding.push_back(static_cast<float>(place + chance.bell() + (i == bugClass ? 10 : 0)));
      answers.mixed.push_back(static_cast<float>(place + chance.bell()));
      which.push_back(row);
    }
  }
  KnownRows known() const { return {answers, which}; }
};

TEST(Calibrate, FindsTheTemperature) {
  for (double sharpness : {0.5, 1.0, 3.0}) {
    const Drawn drawn(sharpness);
    EXPECT_NEAR(fitTemperature(drawn.rows, drawn.known()) / sharpness, 1, 0.15) << sharpness;
  }
}

TEST(Calibrate, DistancesAreFromTheNearestClass) {
  const Drawn drawn(1);
  const EmbeddingSpace space = fitSpace(drawn.rows, drawn.known());
  double sum = 0;
  for (size_t i : drawn.which)
    sum += space.distance(drawn.answers.embeddingOf(i));
  EXPECT_LT(sum / static_cast<double>(drawn.which.size()), 0.2);
  std::array<float, embeddingWidth> away;
  away.fill(-10);
  EXPECT_GT(space.distance(away), 0.5);
}

// The distance of a tensor from the training rows depends on the direction of its embedding (a vector), not
// on the vector's length.
TEST(Calibrate, DistancesAreOfDirections) {
  const Drawn drawn(1);
  const EmbeddingSpace space = fitSpace(drawn.rows, drawn.known());
  std::array<float, embeddingWidth> one, twice;
  for (size_t i = 0; i < embeddingWidth; ++i) {
    one[i] = space.middle[i] + drawn.answers.embedding[i];
    twice[i] = space.middle[i] + 2 * drawn.answers.embedding[i];
  }
  EXPECT_NEAR(space.distance(one), space.distance(twice), 1e-3);
}

// A class may have several clusters in embedding space; a point between two clusters is far from both.
TEST(Calibrate, AClassMayHaveSeveralClusters) {
  const verify::Evidence blank{Tensor(DType::u8, {channelBytes}), Tensor(DType::u8, {pictureBytes}), {}};
  Rows rows;
  Answers answers;
  answers.embeddingWidth = 2;
  Indices which;
  for (size_t row = 0; row < 400; ++row) {
    Chance chance = Chance(3).of(row);
    verify::Origin origin;
    origin.bugClass = row % 4 < 2 ? BugClass::padding : BugClass::scaling;
    rows.add(blank, origin);
    const double across = origin.bugClass == BugClass::scaling ? 0 : row % 2 ? 40 : -40;
    answers.embedding.push_back(static_cast<float>(chance.bell() + across));
    answers.embedding.push_back(
        static_cast<float>(chance.bell() + (origin.bugClass == BugClass::scaling ? 20 : 0)));
    which.push_back(row);
  }
  const EmbeddingSpace space = fitSpace(rows, {answers, which});
  const float between[] = {0, -20}, inFirst[] = {-40, 0}, inSecond[] = {40, 0};
  EXPECT_GT(space.distance(between), 4 * std::max(space.distance(inFirst), space.distance(inSecond)));
}

TEST(Calibrate, DistantRowsAreUnknown) {
  const Drawn drawn(1), elsewhere(1, 2, 8);
  const auto calibration = calibrate(drawn.rows, drawn.known(), drawn.known());
  ASSERT_TRUE(calibration);
  size_t rejected = 0, found = 0;
  for (size_t i : drawn.which) {
    rejected += calibration->unknown(drawn.answers, i) > 0;
    found += calibration->unknown(elsewhere.answers, i) > 0;
  }
  EXPECT_NEAR(static_cast<double>(rejected) / static_cast<double>(drawn.which.size()), 0.05, 0.01);
  EXPECT_GT(static_cast<double>(found) / static_cast<double>(drawn.which.size()), 0.9);
}

TEST(Calibrate, RefusesWithoutRows) {
  const Drawn drawn(1);
  const Indices none;
  const auto calibration = calibrate(drawn.rows, drawn.known(), {drawn.answers, none});
  ASSERT_FALSE(calibration);
  EXPECT_EQ(calibration.error().kind, ErrorKind::invalidInput);
}

} // namespace
} // namespace tilerig::test
