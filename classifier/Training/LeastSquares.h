// Linear least squares with a small weight decay: fits a linear classifier without gradients.
#pragma once

#include <Eigen/Dense>
#include <span>
#include <vector>

namespace tilerig::classifier {

class LeastSquares {
public:
  explicit LeastSquares(size_t labels) : labels(labels) {}
  // Adds a row with this embedding. The desired output is 1 for the row's label and 0 for other labels;
  // `weight` is the weight of the squared error.
  void add(std::span<const float> embedding, size_t label, double weight);

  struct Plane {
    std::vector<float> weight, bias; // weights [labels, width of the embedding], biases [labels]
  };
  Plane solve() const;

private:
  size_t labels;
  // Weighted sums over the rows, where each embedding has a constant 1 appended: of the products of its
  // elements with one another (`squares`), and of the products of its elements with the outputs (`products`).
  Eigen::MatrixXd squares, products;
};

} // namespace tilerig::classifier
