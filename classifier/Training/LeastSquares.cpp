#include "classifier/Training/LeastSquares.h"

namespace tilerig::classifier {

void LeastSquares::add(std::span<const float> embedding, size_t label, double weight) {
  const auto width = static_cast<Eigen::Index>(embedding.size()) + 1;
  if (squares.size() == 0) {
    squares = Eigen::MatrixXd::Zero(width, width);
    products = Eigen::MatrixXd::Zero(width, static_cast<Eigen::Index>(labels));
  }
  Eigen::VectorXd row(width);
  row.head(width - 1) = Eigen::Map<const Eigen::VectorXf>(embedding.data(), width - 1).cast<double>();
  row(width - 1) = 1;
  squares.selfadjointView<Eigen::Lower>().rankUpdate(row, weight);
  products.col(static_cast<Eigen::Index>(label)) += weight * row;
}

LeastSquares::Plane LeastSquares::solve() const {
  constexpr double decay = 1e-4; // weight decay, relative to the mean square of the embedding
  const Eigen::Index width = squares.rows();
  Eigen::MatrixXd decayed = squares;
  decayed.diagonal().array() += decay * squares.trace() / static_cast<double>(width) + 1e-9;
  const Eigen::MatrixXd solution = decayed.selfadjointView<Eigen::Lower>().llt().solve(products);
  Plane plane;
  for (Eigen::Index column = 0; column < solution.cols(); ++column) {
    for (Eigen::Index i = 0; i + 1 < width; ++i)
      plane.weight.push_back(static_cast<float>(solution(i, column)));
    plane.bias.push_back(static_cast<float>(solution(width - 1, column)));
  }
  return plane;
}

} // namespace tilerig::classifier
