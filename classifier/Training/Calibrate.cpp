#include "classifier/Training/Calibrate.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

namespace tilerig::classifier {

namespace {

using verify::Fact;
using Probabilities = std::array<double, numBugClasses>;

constexpr double acceptedShare = 0.95;
constexpr float farAway = 1e3f;

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

Eigen::MatrixXd matrixOf(const KnownRows &known) {
  const auto width = static_cast<Eigen::Index>(known.answers.numFeatures);
  Eigen::MatrixXd matrix(static_cast<Eigen::Index>(known.which.size()), width);
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    matrix.row(i) =
        Eigen::Map<const Eigen::VectorXf>(known.answers.featuresOf(static_cast<size_t>(i)).data(), width)
            .cast<double>()
            .transpose();
  return matrix;
}

Eigen::MatrixXd covarianceOf(const Eigen::MatrixXd &centred) {
  return centred.transpose() * centred / static_cast<double>(centred.rows());
}

} // namespace

double fitTemperature(const Rows &rows, const KnownRows &known) {
  return std::exp(lowest([&](double exponent) { return surprise(rows, known, std::exp(exponent)); }, -4, 4));
}

// The directions in which features vary most, turned and scaled so that within classes they vary alike.
FeatureSpace fitSpace(const Rows &rows, const KnownRows &training) {
  const Eigen::MatrixXd features = matrixOf(training);
  const Eigen::RowVectorXd mean = features.colwise().mean();
  const Eigen::Index kept = std::min<Eigen::Index>(features.cols(), 64);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> principal(covarianceOf(features.rowwise() - mean));
  const Eigen::MatrixXd directions = principal.eigenvectors().rightCols(kept);
  Eigen::MatrixXd points = (features.rowwise() - mean) * directions;

  Eigen::MatrixXd centres = Eigen::MatrixXd::Zero(numBugClasses, kept);
  Eigen::VectorXd counts = Eigen::VectorXd::Zero(numBugClasses);
  auto classOf = [&](Eigen::Index i) {
    return static_cast<Eigen::Index>(rows.bugClass(training.which[static_cast<size_t>(i)]));
  };
  for (Eigen::Index i = 0; i < points.rows(); ++i)
    centres.row(classOf(i)) += points.row(i), counts(classOf(i)) += 1;
  for (Eigen::Index c = 0; c < centres.rows(); ++c)
    centres.row(c) /= std::max(counts(c), 1.0);
  for (Eigen::Index i = 0; i < points.rows(); ++i)
    points.row(i) -= centres.row(classOf(i));
  Eigen::MatrixXd within = covarianceOf(points);
  within.diagonal().array() += 1e-2 * within.trace() / static_cast<double>(kept) + 1e-9;
  const Eigen::MatrixXd inverseRoot = within.llt().matrixL().solve(Eigen::MatrixXd::Identity(kept, kept));

  const Eigen::MatrixXd matrix = inverseRoot * directions.transpose();
  const Eigen::VectorXd offset = -(matrix * mean.transpose());
  const Eigen::MatrixXd whiteCentres = centres * inverseRoot.transpose();
  FeatureSpace space{training.answers.numFeatures, static_cast<size_t>(kept), {}, {}, {}};
  for (Eigen::Index i = 0; i < kept; ++i) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j)
      space.matrix.push_back(static_cast<float>(matrix(i, j)));
    space.offset.push_back(static_cast<float>(offset(i)));
  }
  for (Eigen::Index c = 0; c < whiteCentres.rows(); ++c)
    for (Eigen::Index i = 0; i < kept; ++i)
      space.centres.push_back(counts(c) > 0 ? static_cast<float>(whiteCentres(c, i)) : farAway);
  return space;
}

double FeatureSpace::distance(std::span<const float> features) const {
  std::vector<double> point(offset.begin(), offset.end());
  for (size_t i = 0; i < kept; ++i)
    for (size_t j = 0; j < numFeatures; ++j)
      point[i] += static_cast<double>(matrix[i * numFeatures + j]) * features[j];
  double nearest = std::numeric_limits<double>::infinity();
  for (size_t c = 0; c < numBugClasses; ++c) {
    double squares = 0;
    for (size_t i = 0; i < kept; ++i)
      squares += (point[i] - centres[c * kept + i]) * (point[i] - centres[c * kept + i]);
    nearest = std::min(nearest, squares);
  }
  return std::sqrt(nearest);
}

UnknownScores Calibration::scores(std::span<const float> logits, std::span<const float> features) const {
  const double most = *std::ranges::max_element(logits) / temperature;
  return {std::exp(most - logSumExp(logits, temperature, 0)), most, space.distance(features)};
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
      unknown.which.empty() ? UnknownScores{-10, 0, 0} : separate(known, scoresOf(found, unknown)).weights;
  found.bias = -acceptedUpTo(found, known);
  return found;
}

} // namespace tilerig::classifier
