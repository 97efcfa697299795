// The plane through classes that is nearest in squares, with a little weight decay: what is fitted without
// gradients.
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
  Eigen::MatrixXd squares, products; // of features and 1
};

} // namespace tilerig::classifier
