// The plane through classes that is nearest in squares, with a little weight decay: what is fitted without
// gradients.
#pragma once

#include "isa/Bugs/Bug.h"

#include <Eigen/Dense>
#include <span>
#include <vector>

namespace tilerig::classifier {

class LeastSquares {
public:
  void add(std::span<const float> features, size_t bugClass, double weight);

  struct Plane {
    std::vector<float> weight, bias; // [numBugClasses, features], [numBugClasses]
  };
  Plane solve() const;

private:
  Eigen::MatrixXd squares, products; // of features and 1
};

} // namespace tilerig::classifier
