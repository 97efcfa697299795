#include "classifier/Training/Calibrate.h"

#include <algorithm>
#include <cmath>

namespace tilerig::classifier {

namespace {

using verify::Fact;
using Probabilities = std::array<double, numBugClasses>;

constexpr double acceptedShare = 0.95;

bool isKnownToBeWrong(const verify::Facts &facts) {
  return facts[static_cast<size_t>(Fact::oracleKnown)] != 0 &&
         facts[static_cast<size_t>(Fact::different)] != 0;
}

double logSumExp(std::span<const float> logits, double temperature, size_t first) {
  const double most = *std::max_element(logits.begin() + static_cast<std::ptrdiff_t>(first), logits.end());
  double sum = 0;
  for (size_t i = first; i < logits.size(); ++i)
    sum += std::exp((logits[i] - most) / temperature);
  return most / temperature + std::log(sum);
}

double surprise(const Rows &rows, const KnownRows &known, double temperature) {
  double sum = 0;
  for (size_t i = 0; i < known.which.size(); ++i) {
    const size_t row = known.which[i], bugClass = static_cast<size_t>(rows.bugClass(row));
    const size_t first = isKnownToBeWrong(rows.facts(row)) ? 1 : 0;
    if (bugClass >= first)
      sum += logSumExp(known.answers.logitsOf(i), temperature, first) -
             known.answers.logitsOf(i)[bugClass] / temperature;
  }
  return sum;
}

// By halving: the surprise has one valley.
double lowest(const std::function<double(double)> &of, double low, double high) {
  constexpr double golden = 0.6180339887498949;
  for (int i = 0; i < 60; ++i) {
    const double left = high - golden * (high - low), right = low + golden * (high - low);
    (of(left) < of(right) ? high : low) = of(left) < of(right) ? right : left;
  }
  return (low + high) / 2;
}

// Logistic regression on numbers that are made comparable first.
struct Plane {
  UnknownScores weights{};
};
Plane separate(const std::vector<UnknownScores> &known, const std::vector<UnknownScores> &unknown) {
  UnknownScores mean{}, deviation{};
  const auto count = static_cast<double>(known.size());
  for (size_t k = 0; k < numUnknownScores; ++k) {
    for (const UnknownScores &scores : known)
      mean[k] += scores[k] / count;
    for (const UnknownScores &scores : known)
      deviation[k] += (scores[k] - mean[k]) * (scores[k] - mean[k]) / count;
    deviation[k] = std::sqrt(deviation[k]) + 1e-6;
  }
  UnknownScores weights{};
  double bias = 0;
  for (int round = 0; round < 2000; ++round) {
    UnknownScores slope{};
    double biasSlope = 0;
    auto learn = [&](const std::vector<UnknownScores> &rows, double due) {
      for (const UnknownScores &scores : rows) {
        double sum = bias;
        for (size_t k = 0; k < numUnknownScores; ++k)
          sum += weights[k] * (scores[k] - mean[k]) / deviation[k];
        const double error = (1 / (1 + std::exp(-sum)) - due) / static_cast<double>(rows.size());
        for (size_t k = 0; k < numUnknownScores; ++k)
          slope[k] += error * (scores[k] - mean[k]) / deviation[k];
        biasSlope += error;
      }
    };
    learn(known, 0);
    learn(unknown, 1);
    for (size_t k = 0; k < numUnknownScores; ++k)
      weights[k] -= 0.3 * (slope[k] + 1e-3 * weights[k]);
    bias -= 0.3 * biasSlope;
  }
  for (size_t k = 0; k < numUnknownScores; ++k)
    weights[k] /= deviation[k];
  return {weights};
}

double product(const UnknownScores &weights, const UnknownScores &scores) {
  double sum = 0;
  for (size_t k = 0; k < numUnknownScores; ++k)
    sum += weights[k] * scores[k];
  return sum;
}

std::vector<UnknownScores> scoresOf(const Calibration &calibration, const KnownRows &known) {
  std::vector<UnknownScores> all;
  for (size_t i = 0; i < known.which.size(); ++i)
    all.push_back(calibration.scores(known.answers.logitsOf(i), known.answers.featuresOf(i)));
  return all;
}

// What so many of the known rows do not exceed.
double acceptedUpTo(const Calibration &calibration, const std::vector<UnknownScores> &known) {
  std::vector<double> sums;
  for (const UnknownScores &scores : known)
    sums.push_back(product(calibration.weights, scores));
  const auto place =
      sums.begin() + static_cast<std::ptrdiff_t>(acceptedShare * static_cast<double>(sums.size() - 1));
  std::ranges::nth_element(sums, place);
  return *place;
}

} // namespace

double fitTemperature(const Rows &rows, const KnownRows &known) {
  return std::exp(lowest([&](double exponent) { return surprise(rows, known, std::exp(exponent)); }, -4, 4));
}

UnknownScores Calibration::scores(std::span<const float> logits, std::span<const float> features) const {
  const double most = *std::ranges::max_element(logits) / temperature;
  return {most, space.distance(features)};
}

double Calibration::unknown(std::span<const float> logits, std::span<const float> features) const {
  return product(weights, scores(logits, features)) + bias;
}

Result<Calibration> calibrate(const Rows &rows, const KnownRows &training, const KnownRows &calibration,
                              const KnownRows &unknown) {
  if (calibration.which.empty())
    return invalidInput("the dataset", "has no row to calibrate on",
                        "name a family that it has: --held-out calibration=FAMILY");
  Calibration found;
  found.temperature = fitTemperature(rows, calibration);
  found.space = fitSpace(rows, training);
  const std::vector<UnknownScores> known = scoresOf(found, calibration);
  // Without bugs to choose by, the one score that needs none.
  found.weights =
      unknown.which.empty() ? UnknownScores{0, 1} : separate(known, scoresOf(found, unknown)).weights;
  found.bias = -acceptedUpTo(found, known);
  return found;
}

} // namespace tilerig::classifier
