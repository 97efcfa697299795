// Distance of a row from the training rows, in the space of features.
//
// It uses the direction of the features from their mean: their length says how clear a case is rather than of
// which class. A class is represented by several directions, found by clustering: with a single one, rarer
// kinds of its bugs would look unknown.
#pragma once

#include "classifier/Training/Learn.h"

namespace tilerig::classifier {

struct FeatureSpace {
  size_t numFeatures = 0;
  std::vector<float> middle;     // [numFeatures]: mean
  std::vector<float> directions; // [count, numFeatures], unit vectors

  // Features close to the mean have no clear direction, so lengths are at least this.
  static constexpr float leastLength = 1e-3f;

  size_t countDirections() const { return directions.size() / numFeatures; }
  // 1 minus the cosine of the angle to the nearest direction, in 0 to 2; 0 if the row has the direction of
  // known rows.
  double distance(std::span<const float> features) const;
};

struct KnownRows {
  const Answers &answers;
  const Indices &which; // indices of the rows that were answered
};

FeatureSpace fitSpace(const Rows &rows, const KnownRows &training);

} // namespace tilerig::classifier
