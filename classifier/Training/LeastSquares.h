// Linear least squares with a small weight decay: fits a linear classifier without gradients.
#pragma once

#include <Eigen/Dense>
#include <span>
#include <vector>

namespace tilerig::classifier {

class LeastSquares {
public:
  explicit LeastSquares(size_t labels) : labels(labels) {}
  void add(std::span<const float> features, size_t label, double weight);

  struct Plane {
    std::vector<float> weight, bias; // [labels, features], [labels]
  };
  Plane solve() const;

private:
  size_t labels;
  Eigen::MatrixXd squares, products; // of the features with a constant 1
};

} // namespace tilerig::classifier
