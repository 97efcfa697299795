#include "classifier/Training/EmbeddingSpace.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace tilerig::classifier {

namespace {

using Eigen::Index, Eigen::MatrixXd;

// Maximum number of clusters of the embeddings of one class, and minimum mean number of rows per cluster.
constexpr Index mostHeaps = 32, leastRows = 4;
constexpr int rounds = 20; // number of k-means iterations

MatrixXd matrixOf(const KnownRows &known) {
  const auto width = static_cast<Index>(known.answers.embeddingWidth);
  MatrixXd matrix(static_cast<Index>(known.which.size()), width);
  for (Index i = 0; i < matrix.rows(); ++i)
    matrix.row(i) =
        Eigen::Map<const Eigen::VectorXf>(known.answers.embeddingOf(static_cast<size_t>(i)).data(), width)
            .cast<double>()
            .transpose();
  return matrix;
}

Eigen::RowVectorXd directionOf(const Eigen::RowVectorXd &row) {
  return row / (row.norm() + EmbeddingSpace::leastLength);
}

Index nearest(const MatrixXd &centres, const Eigen::RowVectorXd &direction) {
  Index index = 0;
  (centres * direction.transpose()).maxCoeff(&index);
  return index;
}

// Clusters rows by the directions of their embeddings and returns the clusters' centres, by spherical
// k-means: each centre moves to the mean direction of the rows nearest to it (I. Dhillon and D. Modha:
// Concept decompositions for large sparse text data using clustering, 2001).
MatrixXd heapsOf(const MatrixXd &directions, const std::vector<Index> &of) {
  const auto count = static_cast<Index>(of.size()), kept = std::clamp(count / leastRows, Index{1}, mostHeaps);
  MatrixXd centres(kept, directions.cols());
  for (Index i = 0; i < kept; ++i)
    centres.row(i) = directions.row(of[static_cast<size_t>(i * count / kept)]);
  for (int round = 0; round < rounds; ++round) {
    MatrixXd sums = MatrixXd::Zero(kept, directions.cols());
    for (Index row : of)
      sums.row(nearest(centres, directions.row(row))) += directions.row(row);
    for (Index i = 0; i < kept; ++i)
      if (!sums.row(i).isZero())
        centres.row(i) = sums.row(i).normalized();
  }
  return centres;
}

template <class Matrix>
void append(const Matrix &matrix, std::vector<float> &to) {
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index j = 0; j < matrix.cols(); ++j)
      to.push_back(static_cast<float>(matrix(i, j)));
}

} // namespace

EmbeddingSpace fitSpace(const Rows &rows, const KnownRows &training) {
  MatrixXd points = matrixOf(training);
  const Eigen::RowVectorXd middle = points.colwise().mean();
  for (Index i = 0; i < points.rows(); ++i)
    points.row(i) = directionOf(points.row(i) - middle);
  std::vector<std::vector<Index>> classes(numBugClasses);
  for (size_t i = 0; i < training.which.size(); ++i)
    classes[static_cast<size_t>(rows.bugClass(training.which[i]))].push_back(static_cast<Index>(i));

  EmbeddingSpace space{training.answers.embeddingWidth, {}, {}};
  append(middle, space.middle);
  for (const std::vector<Index> &of : classes)
    if (!of.empty())
      append(heapsOf(points, of), space.directions);
  return space;
}

double EmbeddingSpace::distance(std::span<const float> embedding) const {
  std::vector<double> from(embedding.begin(), embedding.end());
  double squares = 0;
  for (size_t i = 0; i < embeddingWidth; ++i) {
    from[i] -= middle[i];
    squares += from[i] * from[i];
  }
  double most = -std::sqrt(squares);
  for (size_t which = 0; which < countDirections(); ++which) {
    double along = 0;
    for (size_t i = 0; i < embeddingWidth; ++i)
      along += from[i] * directions[which * embeddingWidth + i];
    most = std::max(most, along);
  }
  return 1 - most / (std::sqrt(squares) + leastLength);
}

} // namespace tilerig::classifier
