// How far a row is from all that was trained on.
//
// Features are turned and scaled so that rows of a class lie round, and a class is as many points as its rows
// have heaps: one centre would make strangers of those that are planted in another way than most.
#pragma once

#include "classifier/Training/Learn.h"

namespace tilerig::classifier {

struct FeatureSpace {
  size_t numFeatures = 0, kept = 0;  // distances are between points of `kept` numbers
  std::vector<float> matrix, offset; // [kept, numFeatures], [kept]
  std::vector<float> centres;        // [count, kept]

  size_t countCentres() const { return centres.size() / kept; }
  double distance(std::span<const float> features) const; // to the nearest centre
};

struct KnownRows {
  const Answers &answers;
  const Indices &which; // rows of the answers
};

FeatureSpace fitSpace(const Rows &rows, const KnownRows &training);

} // namespace tilerig::classifier
