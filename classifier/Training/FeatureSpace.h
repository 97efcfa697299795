// How far a row is from all that was trained on.
//
// What counts is where features point to from the middle of all: how long they are says more of how plain a
// case is than of which. A class is as many directions as its rows have heaps: one would make strangers of
// those that are planted in another way than most.
#pragma once

#include "classifier/Training/Learn.h"

namespace tilerig::classifier {

struct FeatureSpace {
  size_t numFeatures = 0;
  std::vector<float> middle;     // [numFeatures]
  std::vector<float> directions; // [count, numFeatures], each of length 1

  // What is nearly in the middle points nowhere: shorter ones count as this long, or longer by as much.
  static constexpr float leastLength = 1e-3f;

  size_t countDirections() const { return directions.size() / numFeatures; }
  // 1 less the cosine of the angle to the nearest direction: 0 where a row points as known ones do, 2 away
  // from it.
  double distance(std::span<const float> features) const;
};

struct KnownRows {
  const Answers &answers;
  const Indices &which; // rows of the answers
};

FeatureSpace fitSpace(const Rows &rows, const KnownRows &training);

} // namespace tilerig::classifier
