#include "classifier/Training/Calibrate.h"

#include "verify/Verdict/Verdict.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tilerig::classifier {

namespace {

using Probabilities = std::array<double, numBugClasses>;

constexpr double acceptedShare = 0.95;

double logSumExp(std::span<const float> logits, double temperature) {
  const double most = std::ranges::max(logits);
  double sum = 0;
  for (const float logit : logits)
    sum += std::exp((logit - most) / temperature);
  return most / temperature + std::log(sum);
}

// The labels that a row can have, according to what is known before the classifier runs.
verify::PossibleClasses possibleLabels(const Rows &rows, size_t row, Labels labels) {
  return labels.alone() ? verify::PossibleClasses{0, labels.count()}
                        : verify::possibleClasses(rows.features(row));
}

double surprise(const Rows &rows, const KnownRows &known, Labels labels, double temperature) {
  double sum = 0;
  for (size_t i = 0; i < known.which.size(); ++i) {
    const size_t row = known.which[i], label = labels.of(rows.bugClass(row));
    const auto [first, last] = possibleLabels(rows, row, labels);
    const std::span<const float> logits = known.answers.logitsOf(i);
    if (label >= first && label < last)
      sum += logSumExp(logits.subspan(first, last - first), temperature) - logits[label] / temperature;
  }
  return sum;
}

// The argument between `low` and `high` at which the function `of` is lowest, by golden-section search. `of`
// is a negative log-likelihood, which has a single minimum.
double lowest(const std::function<double(double)> &of, double low, double high) {
  constexpr double golden = 0.6180339887498949;
  for (int i = 0; i < 60; ++i) {
    const double left = high - golden * (high - low), right = low + golden * (high - low);
    (of(left) < of(right) ? high : low) = of(left) < of(right) ? right : left;
  }
  return (low + high) / 2;
}

std::vector<UnknownScores> scoresOf(const Rows &rows, const Calibration &calibration,
                                    const KnownRows &known) {
  std::vector<UnknownScores> all;
  for (size_t i = 0; i < known.which.size(); ++i)
    if (rows.bugClass(known.which[i]) != BugClass::noError)
      all.push_back(calibration.scores(known.answers, i));
  return all;
}

// Weights of the three scores whose weighted sum is the unknown score. The weight of a score is 1 / its
// standard deviation over the rows with known bugs.
UnknownScores weightsOf(const std::vector<UnknownScores> &known) {
  UnknownScores weights{};
  const auto count = static_cast<double>(known.size());
  for (size_t k = 0; k < numUnknownScores; ++k) {
    double mean = 0, squares = 0;
    for (const UnknownScores &scores : known)
      mean += scores[k] / count;
    for (const UnknownScores &scores : known)
      squares += (scores[k] - mean) * (scores[k] - mean) / count;
    weights[k] = 1 / (std::sqrt(squares) + 1e-3);
  }
  return weights;
}

double product(const UnknownScores &weights, const UnknownScores &scores) {
  return std::inner_product(weights.begin(), weights.end(), scores.begin(), 0.0);
}

// The quantile of the unknown score over the rows with known bugs: the value that a given share of them does
// not exceed.
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

double fitTemperature(const Rows &rows, const KnownRows &known, Labels labels) {
  return std::exp(
      lowest([&](double exponent) { return surprise(rows, known, labels, std::exp(exponent)); }, -4, 4));
}

UnknownScores Calibration::scores(const Answers &answers, size_t i) const {
  const double most = *std::ranges::max_element(answers.logitsOf(i)) / temperature;
  return {-most, answers.mixed.empty() ? 0 : answers.mixed[i] - most, space.distance(answers.embeddingOf(i))};
}

double Calibration::unknown(const Answers &answers, size_t i) const {
  return product(weights, scores(answers, i)) + bias;
}

Status checkCalibrates(const Rows &rows, const Indices &which) {
  if (std::ranges::any_of(which, [&](size_t row) { return rows.bugClass(row) != BugClass::noError; }))
    return success();
  return invalidInput("the dataset", "the calibration set has no row with a bug",
                      "choose a family of the dataset with --held-out calibration=FAMILY");
}

Result<Calibration> calibrate(const Rows &rows, const KnownRows &training, const KnownRows &calibration,
                              Labels labels) {
  TILERIG_CHECK_OK(checkCalibrates(rows, calibration.which));
  Calibration result;
  result.temperature = fitTemperature(rows, calibration, labels);
  result.space = fitSpace(rows, training);
  const std::vector<UnknownScores> known = scoresOf(rows, result, calibration);
  result.weights = weightsOf(known);
  result.bias = -acceptedUpTo(result, known);
  return result;
}

} // namespace tilerig::classifier
