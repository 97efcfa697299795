#include "classifier/Training/FeatureSpace.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

namespace tilerig::classifier {

namespace {

using Eigen::Index, Eigen::MatrixXd;

constexpr Index mostDirections = 48, mostCentres = 40, leastRows = 4; // of a heap
constexpr int rounds = 20;                                            // of moving centres
constexpr double leastVariance = 0.1;                                 // of the mean one

MatrixXd matrixOf(const KnownRows &known) {
  const auto width = static_cast<Index>(known.answers.numFeatures);
  MatrixXd matrix(static_cast<Index>(known.which.size()), width);
  for (Index i = 0; i < matrix.rows(); ++i)
    matrix.row(i) =
        Eigen::Map<const Eigen::VectorXf>(known.answers.featuresOf(static_cast<size_t>(i)).data(), width)
            .cast<double>()
            .transpose();
  return matrix;
}

MatrixXd covarianceOf(const MatrixXd &centred) {
  return centred.transpose() * centred / static_cast<double>(centred.rows());
}

// The rows of each class, less its mean.
MatrixXd withoutClassMeans(MatrixXd points, const std::vector<std::vector<Index>> &classes) {
  for (const std::vector<Index> &of : classes) {
    Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(points.cols());
    for (Index row : of)
      sum += points.row(row);
    for (Index row : of)
      points.row(row) -= sum / static_cast<double>(of.size());
  }
  return points;
}

Index nearest(const MatrixXd &centres, const Eigen::RowVectorXd &point) {
  Index found = 0;
  (centres.rowwise() - point).rowwise().squaredNorm().minCoeff(&found);
  return found;
}

// Each centre moves into the middle of the rows that are nearest to it (S. Lloyd: Least squares quantization
// in PCM, 1982).
MatrixXd heapsOf(const MatrixXd &points, const std::vector<Index> &of) {
  const auto count = static_cast<Index>(of.size()),
             kept = std::clamp(count / leastRows, Index{1}, mostCentres);
  MatrixXd centres(kept, points.cols());
  for (Index i = 0; i < kept; ++i)
    centres.row(i) = points.row(of[static_cast<size_t>(i * count / kept)]);
  for (int round = 0; round < rounds; ++round) {
    MatrixXd sums = MatrixXd::Zero(kept, points.cols());
    Eigen::VectorXd counts = Eigen::VectorXd::Zero(kept);
    for (Index row : of) {
      const Index centre = nearest(centres, points.row(row));
      sums.row(centre) += points.row(row);
      counts(centre) += 1;
    }
    for (Index i = 0; i < kept; ++i)
      if (counts(i) > 0)
        centres.row(i) = sums.row(i) / counts(i);
  }
  return centres;
}

void append(const MatrixXd &matrix, std::vector<float> &to) {
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index j = 0; j < matrix.cols(); ++j)
      to.push_back(static_cast<float>(matrix(i, j)));
}

} // namespace

// The directions in which features vary most, turned and scaled so that within classes they vary alike.
FeatureSpace fitSpace(const Rows &rows, const KnownRows &training) {
  const MatrixXd features = matrixOf(training);
  std::vector<std::vector<Index>> classes(numBugClasses);
  for (size_t i = 0; i < training.which.size(); ++i)
    classes[static_cast<size_t>(rows.bugClass(training.which[i]))].push_back(static_cast<Index>(i));

  const Eigen::RowVectorXd mean = features.colwise().mean();
  const Index kept = std::min(features.cols(), mostDirections);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> principal(covarianceOf(features.rowwise() - mean));
  const MatrixXd directions = principal.eigenvectors().rightCols(kept);
  MatrixXd within = covarianceOf(withoutClassMeans((features.rowwise() - mean) * directions, classes));
  within.diagonal().array() += leastVariance * within.trace() / static_cast<double>(kept) + 1e-9;
  const MatrixXd matrix =
      within.llt().matrixL().solve(MatrixXd::Identity(kept, kept)) * directions.transpose();
  const MatrixXd points = (features.rowwise() - mean) * matrix.transpose();

  FeatureSpace space{training.answers.numFeatures, static_cast<size_t>(kept), {}, {}, {}};
  append(matrix, space.matrix);
  append(-(matrix * mean.transpose()), space.offset);
  for (const std::vector<Index> &of : classes)
    if (!of.empty())
      append(heapsOf(points, of), space.centres);
  return space;
}

double FeatureSpace::distance(std::span<const float> features) const {
  std::vector<double> point(offset.begin(), offset.end());
  for (size_t i = 0; i < kept; ++i)
    for (size_t j = 0; j < numFeatures; ++j)
      point[i] += static_cast<double>(matrix[i * numFeatures + j]) * features[j];
  double least = std::numeric_limits<double>::infinity();
  for (size_t centre = 0; centre < countCentres(); ++centre) {
    double squares = 0;
    for (size_t i = 0; i < kept; ++i)
      squares += (point[i] - centres[centre * kept + i]) * (point[i] - centres[centre * kept + i]);
    least = std::min(least, squares);
  }
  return std::sqrt(least);
}

} // namespace tilerig::classifier
